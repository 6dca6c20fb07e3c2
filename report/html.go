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
	d := reportHead(r, opt.Gate)
	for _, s := range sectionsOf(r) {
		switch {
		case s.ID == "findings" && attacksOnly(r), s.ID == "skipped": // the head has what was skipped
			continue
		case s.ID == "findings":
			s.Filter = filterOf(r.Findings)
		case s.ID == "attacks" && s.n > 0:
			d.sections = append(d.sections, attackMatrix(r.Attacks))
		}
		if s.Filter != nil || s.says(s.n) {
			d.sections = append(d.sections, s)
		}
	}
	flows := flowsOf(r, opt.Capabilities)
	if d.graph = len(flows) > 0; d.graph {
		d.parts = append(d.parts, flowPart(flows))
	}
	d.parts = append(d.parts, conversationParts(r, opt.Traces)...)
	for _, s := range capabilitySections(opt.Capabilities) {
		d.parts = append(d.parts, s.part())
	}
	if rows := serverRows(r); len(rows) > 1 || r.Clients != nil {
		servers := serversTable(rows)
		d.parts = append(d.parts, servers.part())
	}
	return writeHTMLPage(w, d, opt)
}

// mostOpen is the number of blocks of a section that are not folded, since few are soon read.
const mostOpen = 5

// part returns s as a part of a page: a table, or blocks that can be unfolded.
func (s section) part() htmlPart {
	if s.Filter != nil {
		return htmlPart{s.ID, s.Title, func(w *bufio.Writer) error { return writeFindings(w, &s) }}
	}
	if s.Table == nil && s.Lines {
		s = s.asTable()
	}
	if s.Table != nil {
		for i, row := range s.Table.Rows { // each as long as the head
			s.Table.Rows[i] = append(row, make([]cell, len(s.Table.Head)-len(row))...)
		}
		return executed(s.ID, s.Title, "table", s)
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

// asTable returns s with its rows as a table that has a column for whatever they have.
func (s section) asTable() section {
	var t table
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
	if s.Remark != "" {
		s.Intro = slices.Concat([]string{capitalised(s.Remark) + "."}, s.Intro)
	}
	s.Table = &t
	return s
}

func usedOnly(texts []string, used []bool) (out []string) {
	for i, text := range texts {
		if used[i] {
			out = append(out, text)
		}
	}
	return out
}

// reportHead says what was read and found, and what was not looked at.
func reportHead(r *result.Report, g *Gate) *document {
	head := &document{Page: Page{Title: reportTitle(r), Class: reportClass(r, g), Verdict: reportVerdict(r), Missing: notLookedAt(r)}, Counts: bySeverity(r.Findings).counts(), Complete: complete(r), tool: r.Tool}
	head.title = "gauntlet: " + head.Verdict
	if g != nil {
		head.Exit = g.exitWords(r)
	}
	if l := readLedger(r); !attacksOnly(r) {
		head.Read = "Looked at " + l.looked(r) + "."
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
	out = append(out, checkNotes(r)...)
	l := readLedger(r)
	for _, lack := range l.lacks {
		out = append(out, lack.Text)
	}
	needs, by := skippedNeeds(r.Skipped)
	for _, n := range needs {
		out = append(out, fmt.Sprintf("%s not run for want of %s: %s", countNoun(len(by[n]), "check"), n, strings.Join(by[n], ", ")))
	}
	return out
}

// A findingFilter holds what a reader can choose findings by.
type findingFilter struct {
	Findings, AtOnce int
	Counts           []severityCount
	Servers          map[string]bool
	Rules            map[string]string // names by id
}

func filterOf(fs []finding.Finding) *findingFilter {
	f := &findingFilter{len(fs), findingsAtOnce, bySeverity(fs).counts(), map[string]bool{}, map[string]string{}}
	for i := range fs {
		f.Servers[Visible(fs[i].Location.Server)] = true
		f.Rules[Visible(string(fs[i].Rule))] = fs[i].Name
	}
	delete(f.Servers, "")
	return f
}

// writeFindings writes the filters and all findings of s.
func writeFindings(w *bufio.Writer, s *section) error {
	if err := executeHTML(w, "filters", s.Filter); err != nil {
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
func attackMatrix(runs []result.AttackRun) section {
	t := table{Head: []string{"Attack"}, None: "not run"}
	for i := range runs {
		a := &runs[i]
		t.addMark(t.rowOf(attackTitle(a)), cmp.Or(a.Agent, "whoever connected"), mark{string(attackTone(a)), fmt.Sprintf("#run-%d", i+1), outcomeWords(outcomeOf(a))})
	}
	return tableSection("matrix", "Attacks by agent", t)
}
