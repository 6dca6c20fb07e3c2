package report

import (
	"fmt"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// problems lists all of them: what was not read cannot be counted away.
func (p *page) problems(ps []finding.Problem) {
	if len(ps) == 0 {
		return
	}
	p.heading("Problems", "  the scan is incomplete")
	for i := range ps {
		l := &ps[i].Location
		p.labelled(2, fmt.Sprintf("%-9s", Visible(string(ps[i].Kind))), Visible(ps[i].Message))
		var at []string
		if l.Server != "" {
			at = append(at, Visible(l.Server))
		}
		if l.Item != "" {
			at = append(at, Visible(itemTitle(l)))
		}
		if l.Origin != "" {
			at = append(at, Visible(l.Origin))
		}
		if s := describeLocation(l, true); s != "" {
			at = append(at, Visible(s))
		}
		if at != nil {
			p.painted(2, "", strings.Join(at, "  "), p.dim)
		}
	}
	p.writeBlank()
}

// checks names the checks whose outcome is less than their findings suggest.
func (p *page) checks(cs []result.CheckCoverage) {
	said := false
	for _, c := range cs {
		var remark string
		switch {
		case c.State == "failed":
			remark = "failed: " + c.Reason
		case c.Withheld > 0:
			remark = fmt.Sprintf("left out %s: one definition had too many", countNoun(c.Withheld, "more finding"))
		default:
			continue
		}
		if !said {
			p.heading("Checks cut short", "")
			said = true
		}
		p.labelled(2, Visible(string(c.Rule)), Visible(c.Name+"  "+remark))
	}
	if said {
		p.writeBlank()
	}
}

// few is how many checks that need the same are listed one by one.
const few = 3

func (p *page) skipped(skips []result.Skip) {
	if len(skips) == 0 {
		return
	}
	p.heading("Skipped checks", "")
	by := map[string][]string{}
	for _, s := range skips {
		by[s.Needs] = append(by[s.Needs], string(s.Rule)+" "+s.Name)
	}
	for _, s := range skips {
		// Whole lanes lack the same thing in most scans: that is one line, not one a check.
		switch same := by[s.Needs]; {
		case len(same) <= few || p.verbose:
			p.labelled(2, Visible(string(s.Rule)), Visible(s.Name+"  needs "+s.Needs))
		case same[0] == string(s.Rule)+" "+s.Name:
			p.labelled(2, groupDigits(len(same))+" checks", Visible("need "+s.Needs+": "+strings.Join(same, ", ")))
		}
	}
	p.writeBlank()
}

// coverage says what was looked at and what the input does not hold.
func (p *page) coverage(r *result.Report) {
	kinds := []finding.Kind{finding.Tool, finding.Prompt, finding.Resource, finding.ResourceTemplate}
	items, absent, same := map[finding.Kind]int{}, map[finding.Kind]int{}, map[finding.Kind]int{}
	for _, s := range r.Coverage.Servers {
		for _, l := range s.Lists {
			items[l.Kind] += l.Items - l.Unchanged
			same[l.Kind] += l.Unchanged
			if l.State == "absent" {
				absent[l.Kind]++
			}
		}
	}
	parts := []string{countNoun(r.Summary.Servers, "server")}
	var missing []string
	for _, k := range kinds {
		if n := items[k]; n > 0 || absent[k] == 0 && len(r.Coverage.Servers) > 0 {
			parts = append(parts, countNoun(n, kindWord(k)))
		}
		if n := absent[k]; n > 0 {
			missing = append(missing, fmt.Sprintf("%ss (%s)", kindWord(k), countNoun(n, "server")))
		}
	}
	ran := 0
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" {
			ran++
		}
	}
	if c := r.Clients; c != nil {
		p.labelled(0, "Read", countNoun(len(c.Files), "configuration")+" with "+countNoun(len(c.Entries), "server"))
	}
	p.trace(r)
	p.labelled(0, "Looked at", fmt.Sprintf("%s; %s; %s ran", strings.Join(parts, ", "), countNoun(r.Summary.Strings, "string"), countNoun(ran, "check")))
	var left []string
	for _, k := range append([]finding.Kind{finding.Server}, kinds...) {
		if n := same[k]; n > 0 && k == finding.Server {
			left = append(left, countNoun(n, "part")+" of servers' own words")
		} else if n > 0 {
			left = append(left, countNoun(n, kindWord(k)))
		}
	}
	if left != nil {
		p.labelled(0, "Unchanged", "equal to the baseline and not scanned again: "+strings.Join(left, ", "))
	}
	if missing != nil {
		p.labelled(0, "Absent", "the input holds no "+strings.Join(missing, ", "))
	}
}

// trace says what was read of a recorded conversation, and what checks of it did not judge.
func (p *page) trace(r *result.Report) {
	if t := r.Coverage.Trace; t != nil {
		text := countNoun(t.Messages, "message") + " with " + countNoun(len(t.Servers), "server") + " from " + Visible(t.File)
		if t.Boundary != "" {
			text += ", against the boundary in " + Visible(t.Boundary)
		}
		if t.Redacted > 0 {
			text += "; " + groupDigits(t.Redacted) + " of them redacted, and what was taken out cannot be followed"
		}
		p.labelled(0, "Read", text)
		for _, caveat := range t.Caveats {
			p.labelled(0, "Note", Visible(t.File+": "+caveat))
		}
	}
	said := map[string]bool{}
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" && c.Reason != "" && !said[c.Reason] {
			said[c.Reason] = true
			p.labelled(0, "Note", Visible(string(c.Rule)+": "+c.Reason))
		}
	}
}

// writeSummary is the last line: counts by severity and whether the scan was complete.
func (p *page) writeSummary(r *result.Report) {
	var by [finding.Critical + 1]int
	for i := range r.Findings {
		by[min(r.Findings[i].Severity, finding.Critical)]++
	}
	var parts []string
	for sev := finding.Critical; sev > finding.None; sev-- {
		if by[sev] > 0 {
			parts = append(parts, p.colourSeverity(sev, groupDigits(by[sev])+" "+sev.String()))
		}
	}
	text := p.bold("No findings.")
	if len(r.Findings) > 0 {
		text = p.bold(countNoun(len(r.Findings), "finding")) + ": " + strings.Join(parts, ", ") + "."
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
	case len(r.Problems) == 0:
		text += p.colourSeverity(finding.High, " The scan is incomplete.")
	default:
		text += p.colourSeverity(finding.High, " The scan is incomplete: "+countNoun(len(r.Problems), "problem")+".")
	}
	p.writeIndented(0, text)
}

// unscanned counts what was left out since it equals the baseline.
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

// groupDigits groups the digits by thousands.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
