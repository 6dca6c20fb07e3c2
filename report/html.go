package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

var _ = formats.register("html", "for a browser: one self-contained file", writeHTML)

// findingsAtOnce is the number of findings laid out at once. The rest waits in templates of findingsApart each, which
// cost a browser next to nothing.
const (
	findingsAtOnce = 200
	findingsApart  = 500
)

// writeHTML writes one self-contained page from Go templates and a small script: nothing needs a build, the page is
// readable without scripts, and one escaping template handles every server string.
func writeHTML(w *bufio.Writer, r *result.Report, opt Options) error {
	var parts []htmlPart
	for _, s := range sectionsOf(r) {
		switch {
		case s.ID == "findings" && attacksOnly(r), s.ID == "skipped": // the head has what was skipped
			continue
		case s.ID == "findings":
			parts = append(parts, htmlPart{s.ID, s.Title, func(w *bufio.Writer) error { return writeFindings(w, r, &s) }})
			continue
		case s.ID == "attacks" && s.n > 0:
			parts = append(parts, attackMatrix(r.Attacks).part())
		}
		if s.says(s.n) {
			parts = append(parts, s.part())
		}
	}
	flows := flowsOf(r, opt.Capabilities)
	if len(flows) > 0 {
		parts = append(parts, flowPart(flows))
	}
	parts = append(parts, conversationParts(r, opt.Traces)...)
	parts = append(parts, capabilityParts(opt.Capabilities)...)
	if rows := serverRows(r); len(rows) > 1 || r.Clients != nil {
		parts = append(parts, serversTable(rows).part())
	}
	head := reportHead(r, opt.Gate)
	head.graph = len(flows) > 0
	return writeHTMLPage(w, head, parts)
}

// mostOpen is the number of blocks of a section that are not folded, since few are soon read.
const mostOpen = 5

// part returns s as a part of a page: a table, or blocks that can be unfolded.
func (s section) part() htmlPart {
	if s.Lines {
		return s.table().part()
	}
	return htmlPart{s.ID, strings.TrimSpace(s.Title + " " + s.Name), func(w *bufio.Writer) error {
		if err := executeHTML(w, "blocks", s); err != nil || s.n == 0 {
			return endHTML(w, "</section>\n", err)
		}
		_, _ = w.WriteString("<ul class=\"findings\">\n")
		for i := range s.n {
			r := s.row(i)
			r.Open = r.Open || s.n <= mostOpen
			if err := executeHTML(w, "row", r); err != nil {
				return err
			}
		}
		return endHTML(w, "</ul></section>\n", nil)
	}}
}

// endHTML closes what begins a part, unless that failed.
func endHTML(w *bufio.Writer, end string, err error) error {
	if err == nil {
		_, _ = w.WriteString(end) // the writer keeps its first error for Flush
	}
	return err
}

// table returns the rows of s with a column for whatever they have.
func (s *section) table() table {
	t := table{ID: s.ID, Title: s.Title, Intro: s.Intro}
	if s.Remark != "" {
		t.Intro = slices.Concat([]string{capitalised(s.Remark) + "."}, s.Intro)
	}
	heads := []string{"Part of", cmp.Or(s.Heads[0], "State"), cmp.Or(s.Heads[1], "What"), "Where", "Why"}
	used := make([]bool, len(heads))
	var rows [][]string
	for i := range s.n {
		r := s.row(i)
		row := []string{"", r.Badge, r.Title, r.Where, r.Text}
		for _, g := range r.Group {
			row[0] = g.Title
		}
		for _, f := range r.Fields {
			at := slices.Index(heads, capitalised(f.Label))
			if at < 0 {
				at, heads, used = len(heads), append(heads, capitalised(f.Label)), append(used, false)
			}
			row = append(row, make([]string, max(at+1-len(row), 0))...)
			row[at] = f.Text
		}
		for at, text := range row {
			used[at] = used[at] || text != ""
		}
		rows = append(rows, row)
	}
	for _, row := range rows {
		row = append(row, make([]string, len(heads)-len(row))...)
		t.addRow(usedOnly(row, used)...)
	}
	t.Head = usedOnly(heads, used)
	return t
}

func usedOnly(texts []string, used []bool) (out []string) {
	for i, text := range texts {
		if used[i] {
			out = append(out, text)
		}
	}
	return out
}

type severityCount struct {
	Name string
	N    int
}

// countSeverities counts findings by severity, the severest first.
func countSeverities(fs []finding.Finding) (out []severityCount) {
	by := bySeverity(fs)
	for sev := finding.Critical; sev > finding.None; sev-- {
		if by[sev] > 0 {
			out = append(out, severityCount{sev.String(), by[sev]})
		}
	}
	return out
}

// reportHead says what was read and found, and what was not looked at.
func reportHead(r *result.Report, g *Gate) *htmlHead {
	head := &htmlHead{Title: reportTitle(r), Class: reportClass(r, g), Verdict: reportVerdict(r), Counts: countSeverities(r.Findings), Missing: notLookedAt(r), Complete: complete(r), tool: r.Tool}
	head.title = "gauntlet: " + head.Verdict
	if g != nil {
		head.Exit = g.exitWords(r)
	}
	if l := readLedger(r); !attacksOnly(r) {
		head.Read = fmt.Sprintf("Looked at %s; %s; %s ran.", strings.Join(l.read, ", "), countNoun(r.Summary.Strings, "string"), countNoun(l.ran, "check"))
	}
	return head
}

// reportVerdict summarizes the result in one line.
func reportVerdict(r *result.Report) string {
	var parts []string
	if n := len(r.Findings); n > 0 {
		parts = append(parts, countNoun(n, "finding"))
	} else if !attacksOnly(r) {
		parts = append(parts, "no findings")
	}
	if r.Attacks != nil {
		parts = append(parts, attackCounts(r.Attacks))
	}
	if n := r.Failed(); n > 0 {
		parts = append(parts, countNoun(n, "expectation")+" not met")
	}
	if !complete(r) {
		parts = append(parts, incompleteWords(r))
	}
	return capitalised(strings.Join(parts, "; "))
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

// reportTitle names what was scanned.
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
func notLookedAt(r *result.Report) (out []string) {
	for i := range r.Problems {
		out = append(out, problemText(&r.Problems[i]))
	}
	out = append(out, r.Undone()[len(r.Problems):]...)
	out = append(out, cutShortChecks(r.Coverage.Checks)...)
	for _, c := range r.Coverage.Checks {
		if c.State == "ran" && c.Reason != "" {
			out = append(out, string(c.Rule)+": "+c.Reason)
		}
	}
	l := readLedger(r)
	if l.unchanged != nil {
		out = append(out, "equal to the baseline and not scanned again: "+strings.Join(l.unchanged, ", "))
	}
	if l.missing != nil {
		out = append(out, "the input holds no "+strings.Join(l.missing, ", "))
	}
	if l.unread != nil {
		out = append(out, notInSources+strings.Join(l.unread, ", "))
	}
	needs, by := skippedNeeds(r.Skipped)
	for _, n := range needs {
		out = append(out, fmt.Sprintf("%s not run for want of %s: %s", countNoun(len(by[n]), "check"), n, strings.Join(by[n], ", ")))
	}
	return out
}

// writeFindings writes the filters and all findings of s.
func writeFindings(w *bufio.Writer, r *result.Report, s *section) error {
	servers, rules := map[string]bool{}, map[string]string{}
	for i := range r.Findings {
		f := &r.Findings[i]
		servers[Visible(f.Location.Server)] = true
		rules[Visible(string(f.Rule))] = f.Name
	}
	delete(servers, "")
	if err := executeHTML(w, "filters", map[string]any{"Findings": s.n, "AtOnce": findingsAtOnce, "Counts": countSeverities(r.Findings), "Servers": servers, "Rules": rules}); err != nil {
		return err
	}
	for i := range s.n {
		switch {
		case i == 0:
			_, _ = w.WriteString("<ul class=\"findings\" id=\"findings-list\">\n")
		case i == findingsAtOnce:
			_, _ = w.WriteString("</ul>\n<template class=\"more\"><ul>\n")
		case i > findingsAtOnce && (i-findingsAtOnce)%findingsApart == 0:
			_, _ = w.WriteString("</ul></template>\n<template class=\"more\"><ul>\n")
		}
		if err := executeHTML(w, "row", s.row(i)); err != nil {
			return err
		}
	}
	switch {
	case s.n > findingsAtOnce:
		_, _ = w.WriteString("</ul></template>\n")
	case s.n > 0:
		_, _ = w.WriteString("</ul>\n")
	}
	if s.n > 0 {
		_, _ = w.WriteString("<button type=\"button\" id=\"more\" hidden>Show more</button>\n")
	}
	return endHTML(w, "</section>\n", nil)
}

// attackMatrix shows attacks by agent, with links to the runs.
func attackMatrix(runs []result.AttackRun) table {
	t := table{ID: "matrix", Title: "Attacks by agent", Head: []string{"Attack"}, None: "not run"}
	rowOf := map[string]int{}
	for i := range runs {
		a := &runs[i]
		row, ok := rowOf[attackTitle(a)]
		if !ok {
			row = len(t.Rows)
			rowOf[attackTitle(a)] = row
			t.Rows = append(t.Rows, []cell{{{Text: attackTitle(a)}}})
		}
		t.addMark(row, cmp.Or(a.Agent, "whoever connected"), mark{string(attackTone(a)), fmt.Sprintf("#run-%d", i+1), outcomeWords(outcomeOf(a))})
	}
	return t
}
