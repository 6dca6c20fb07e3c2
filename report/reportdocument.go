package report

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

var (
	_ = formats.register("html", "for a browser: one self-contained file", func(w *bufio.Writer, r *result.Report, opt Options) error {
		return writeHTML(w, reportDocument(r, opt), opt)
	})
	_ = formats.register("markdown", "for comments and job summaries: at most 65,536 characters, the worst first", func(w *bufio.Writer, r *result.Report, opt Options) error {
		return writeMarkdown(w, reportDocument(r, opt), opt)
	})
	_ = formats.register(defaultFormat, "for people: one line per finding, the worst first; with --verbose everything, with the offending text underlined", func(w *bufio.Writer, r *result.Report, opt Options) error {
		if opt.Verbose {
			return writeText(w, reportDocument(r, opt), opt)
		}
		return writeShort(w, r, reportDocument(r, opt), opt)
	})
)

// reportDocument says what was read and found, and what was not looked at.
func reportDocument(r *result.Report, opt Options) *document {
	l := readLedger(r)
	d := &document{
		Page:  Page{Title: reportTitle(r), Class: reportClass(r, opt.Gate), Verdict: reportVerdict(r), Missing: notLookedAt(r, &l)},
		AtEnd: true, Complete: complete(r), Next: opt.Next, tool: r.Tool,
	}
	what := "scan"
	if attacksOnly(r) {
		what = "run"
	} else {
		d.Read, d.About = "Looked at "+l.looked+".", append(inputLines(r), field{Label: "Looked at", Text: strings.Join(append([]string{l.looked}, l.lacks...), "; ")})
	}
	switch {
	case !d.Complete:
		d.State = "The " + what + " is " + incompleteWords(r) + "."
	case !attacksOnly(r):
		d.State = "The scan is complete."
	}
	d.title = strings.TrimSpace("gauntlet: " + d.Verdict + " " + d.State)
	if g := opt.Gate; g != nil {
		d.Exit = fmt.Sprintf("Exit code %d: %s.", r.ExitCode(g.FailOn, g.AllowPartial), Visible(r.ExitReason(g.FailOn, g.AllowPartial)))
	}
	d.sections = slices.Concat(sectionsOf(r), []section{flowSection(r)}, conversationSections(r, opt.Traces), capabilitySections(opt.Capabilities))
	return d
}

// reportVerdict summarizes the result in our own words.
func reportVerdict(r *result.Report) string {
	var parts []string
	if n := len(r.Findings); n > 0 {
		parts = append(parts, countNoun(n, "finding")+": "+bySeverity(r.Findings).words())
	} else if !attacksOnly(r) {
		parts = append(parts, "No findings")
	}
	if n := len(r.Suppressed); n > 0 {
		parts = append(parts, groupDigits(n)+" suppressed")
	}
	if unscanned(r) > 0 {
		parts = append(parts, "What equals the baseline was not scanned again")
	}
	if r.Attacks != nil {
		parts = append(parts, attackCounts(r.Attacks))
	}
	if n := r.Failed(); n > 0 {
		parts = append(parts, countNoun(n, "expectation")+" not met")
	}
	return strings.Join(parts, ". ") + "."
}

// reportClass returns the style of the verdict: bad, open (nothing bad, but incomplete) or ok.
func reportClass(r *result.Report, g *Gate) string {
	if g == nil {
		g = &Gate{FailOn: finding.High}
	}
	switch code := r.ExitCode(g.FailOn, g.AllowPartial); {
	case code == result.ExitGate:
		return "bad"
	case code == result.ExitTrouble || !complete(r):
		return "open"
	}
	return "ok"
}

func reportTitle(r *result.Report) string {
	switch s := r.Coverage.Servers; {
	case len(s) == 1 && s[0].Server != "":
		return s[0].Server
	case len(s) > 1:
		return countNoun(len(s), "server")
	case len(r.Attacks) == 1:
		return attackTitle(&r.Attacks[0])
	case len(r.Attacks) > 1:
		return countNoun(len(r.Attacks), "attack")
	case r.Coverage.Trace != nil:
		return r.Coverage.Trace.File
	}
	return "gauntlet report"
}

// notLookedAt lists what was not scanned: problems first, then what was not requested.
func notLookedAt(r *result.Report, l *ledger) (out []string) {
	for i := range r.Problems {
		out = append(out, problemText(&r.Problems[i]))
	}
	out = slices.Concat(out, r.Undone()[len(r.Problems):], cutShortChecks(r.Coverage.Checks), checkNotes(r), l.lacks)
	needs, by := skippedNeeds(r.Skipped)
	for _, n := range needs {
		out = append(out, fmt.Sprintf("%s not run for want of %s: %s", countNoun(len(by[n]), "check"), n, strings.Join(by[n], ", ")))
	}
	return out
}

// A ledger sums the lists of all servers by kind.
type ledger struct {
	looked string   // what was looked at
	lacks  []string // what was not
}

var listKinds = []finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate}

func readLedger(r *result.Report) (l ledger) {
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
	read := []string{countNoun(r.Summary.Servers, "server")}
	var missing, unread, unchanged []string
	if n := same[finding.Server]; n > 0 {
		unchanged = append(unchanged, countNoun(n, "part")+" of servers' own words")
	}
	for _, k := range listKinds {
		absent := states[k][result.StateAbsent]
		if n := items[k]; n > 0 || absent+states[k][result.StateUnread] == 0 && len(r.Coverage.Servers) > 0 {
			read = append(read, countNoun(n, kindWord(k)))
		}
		switch {
		case absent > 0 && absent == r.Summary.Servers:
			missing = append(missing, kindWord(k)+"s")
		case absent > 0:
			missing = append(missing, fmt.Sprintf("%ss (%s)", kindWord(k), countNoun(absent, "server")))
		}
		if states[k][result.StateUnread] > 0 {
			unread = append(unread, kindWord(k)+"s")
		}
		if n := same[k]; n > 0 {
			unchanged = append(unchanged, countNoun(n, kindWord(k)))
		}
	}
	l.looked = fmt.Sprintf("%s; %s ran", strings.Join(read, ", "), countNoun(checksRun(r), "check"))
	if s := r.Coverage.Servers; len(s) == 1 && s[0].Server != "" {
		l.looked += "; the server is " + clipText(Visible(s[0].Server), defaultWidth/3)
	}
	for _, lack := range []struct {
		why  string
		what []string
	}{{"equal to the baseline and not scanned again", unchanged}, {"not in the input", missing}, {"not looked for in sources", unread}} {
		if lack.what != nil {
			l.lacks = append(l.lacks, lack.why+": "+strings.Join(lack.what, ", "))
		}
	}
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

// inputLines say what was read of configurations and recordings, and what checks did not judge.
func inputLines(r *result.Report) (out []field) {
	write := func(label, text string) { out = append(out, field{Label: label, Text: text}) }
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
