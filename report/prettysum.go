package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// A ledger sums the lists of all servers by kind.
type ledger struct {
	read  []string    // "2 servers", "3 tools"; "0 prompts" only if no server lacks the list
	lacks []briefLine // what was not looked at
	ran   int         // number of checks
}

var listKinds = []finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate}

func readLedger(r *result.Report) ledger {
	items, states, same := map[finding.Kind]int{}, map[finding.Kind]map[string]int{}, map[finding.Kind]int{}
	for _, k := range listKinds {
		states[k] = map[string]int{}
	}
	for _, s := range r.Coverage.Servers {
		for _, l := range s.Lists {
			items[l.Kind] += l.Items - l.Unchanged
			same[l.Kind] += l.Unchanged
			if of := states[l.Kind]; of != nil {
				of[l.State]++
			}
		}
	}
	l := ledger{read: []string{countNoun(r.Summary.Servers, "server")}}
	var missing, unread, unchanged []string
	if n := same[finding.Server]; n > 0 {
		unchanged = append(unchanged, countNoun(n, "part")+" of servers' own words")
	}
	for _, k := range listKinds {
		if n := items[k]; n > 0 || states[k][result.StateAbsent]+states[k][result.StateUnread] == 0 && len(r.Coverage.Servers) > 0 {
			l.read = append(l.read, countNoun(n, kindWord(k)))
		}
		switch n := states[k][result.StateAbsent]; {
		case n > 0 && n == r.Summary.Servers:
			missing = append(missing, kindWord(k)+"s")
		case n > 0:
			missing = append(missing, fmt.Sprintf("%ss (%s)", kindWord(k), countNoun(n, "server")))
		}
		if states[k][result.StateUnread] > 0 {
			unread = append(unread, kindWord(k)+"s")
		}
		if n := same[k]; n > 0 {
			unchanged = append(unchanged, countNoun(n, kindWord(k)))
		}
	}
	l.lack("Unchanged", "equal to the baseline and not scanned again", unchanged)
	l.lack("Absent", "not in the input", missing)
	l.lack("Unread", "not looked for in sources", unread)
	l.ran = checksRun(r)
	return l
}

func checksRun(r *result.Report) (n int) {
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" {
			n++
		}
	}
	return n
}

func (l *ledger) lack(label, why string, what []string) {
	if what != nil {
		l.lacks = append(l.lacks, briefLine{Label: label, Text: why + ": " + strings.Join(what, ", ")})
	}
}

// looked says what was looked at.
func (l *ledger) looked(r *result.Report) string {
	return fmt.Sprintf("%s; %s; %s ran", strings.Join(l.read, ", "), countNoun(r.Summary.Strings, "string"), countNoun(l.ran, "check"))
}

// coverage says what was scanned and what the input lacks.
func (p *page) coverage(r *result.Report) {
	l := readLedger(r)
	for _, line := range slices.Concat(inputLines(r), []briefLine{{Label: "Looked at", Text: l.looked(r)}}, l.lacks) {
		p.writeField(0, field{Label: line.Label, Text: line.Text}, labelRoom)
	}
}

// coverageLine is coverage in one line, plus a line per input that is not a server.
func (p *page) coverageLine(r *result.Report) {
	l := readLedger(r)
	text := fmt.Sprintf("%s; %s ran", strings.Join(l.read, ", "), countNoun(l.ran, "check"))
	if s := r.Coverage.Servers; len(s) == 1 && s[0].Server != "" {
		text += "; the server is " + clipText(Visible(s[0].Server), p.width/3)
	}
	for _, lack := range l.lacks {
		text += "; " + lack.Text
	}
	p.writeBrief(append(inputLines(r), briefLine{Label: "Looked at", Text: text})...)
}

// inputLines say what was read of configurations and recordings, and what checks did not judge.
func inputLines(r *result.Report) (out []briefLine) {
	write := func(label, text string) { out = append(out, briefLine{Label: label, Text: text}) }
	if c := r.Clients; c != nil {
		configurations := 0
		for _, f := range c.Files {
			if f.Kind == "" {
				configurations++
			}
		}
		text := countNoun(configurations, "configuration") + " with " + countNoun(len(c.Entries), "server")
		if n := len(c.Files) - configurations; n > 0 {
			text += ", and " + countNoun(n, "file") + " for agents"
		}
		write("Read", text)
	}
	if t := r.Coverage.Trace; t != nil {
		text := countNoun(t.Messages, "message") + " with " + countNoun(len(t.Servers), "server") + " from " + t.File
		if t.Boundary != "" {
			text += ", against the boundary in " + t.Boundary
		}
		if t.Redacted > 0 {
			text += "; " + groupDigits(t.Redacted) + " of them redacted, and what was taken out cannot be followed"
		}
		write("Read", text)
		for _, caveat := range t.Caveats {
			write("Note", t.File+": "+caveat)
		}
	}
	for _, note := range checkNotes(r) {
		write("Note", note)
	}
	return out
}

// checkNotes say what checks that ran did not judge.
func checkNotes(r *result.Report) (out []string) {
	said := map[string]bool{}
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" && c.Reason != "" && !said[c.Reason] {
			said[c.Reason] = true
			out = append(out, string(c.Rule)+": "+c.Reason)
		}
	}
	return out
}

// writeSummary writes counts by severity and whether the scan was complete.
func (p *page) writeSummary(r *result.Report) {
	text := p.bold("No findings.")
	if len(r.Findings) > 0 {
		text = p.bold(countNoun(len(r.Findings), "finding")) + ": " + bySeverity(r.Findings).words(p.colourSeverity) + "."
	}
	if n := len(r.Suppressed); n > 0 {
		text += " " + groupDigits(n) + " suppressed."
	}
	if unscanned(r) > 0 {
		text += " What equals the baseline was not scanned again."
	}
	switch {
	case complete(r):
		text += p.green(" The scan is complete.")
	default:
		text += p.colourSeverity(finding.High, " The scan is "+incompleteWords(r)+".")
	}
	p.writeIndented(0, text)
}

// unscanned counts the definitions skipped because they equal the baseline.
func unscanned(r *result.Report) int {
	n := 0
	for _, s := range r.Coverage.Servers {
		for _, l := range s.Lists {
			n += l.Unchanged
		}
	}
	return n
}

func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return groupDigits(n) + " " + noun + "s"
}

func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
