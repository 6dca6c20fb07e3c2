package report

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

const (
	// labelColumns is the width of the labels before the text of a line.
	labelColumns = 10
	// leastRows is the number of findings listed on even the lowest terminal.
	leastRows = 5
)

// writeScreen writes one screen of text: findings, worst first and one per line, then a line for each part of the
// coverage, and last the summary.
func (p *page) writeScreen(r *result.Report, opt Options) error {
	var tail bytes.Buffer
	end := *p
	end.w = bufio.NewWriter(&tail)
	end.writeScreenTail(r, opt)
	if err := end.w.Flush(); err != nil {
		return err
	}
	room := len(r.Findings)
	if opt.Height > 0 {
		room = max(opt.Height-1-bytes.Count(tail.Bytes(), []byte{'\n'}), leastRows)
	}
	p.findingLines(r, room)
	_, _ = p.w.Write(tail.Bytes())
	return nil // the writer keeps its first error for Flush
}

// writeScreenTail writes everything below the findings.
func (p *page) writeScreenTail(r *result.Report, opt Options) {
	for _, s := range append(sectionsOf(r), problemSection(problemsBesideVerdicts(r), "")) {
		switch {
		case s.ID == "attacks":
			p.attackLines(r, opt.Height)
		case s.ID == "sandboxes":
			p.serverTable(r, opt.Height)
		}
		p.writeBrief(s.briefLines()...)
	}
	if attacksOnly(r) {
		p.attackSum(r)
	} else {
		p.coverageLine(r)
		p.writeSummary(r)
	}
	p.writeEnding(r, opt)
}

// fit clips a text to the room left on a line after used columns; a pipe has no limit.
func (p *page) fit(text string, used int) string {
	if p.whole {
		return text
	}
	return clipEnd(text, max(p.width-used, 1))
}

// clipEnd shortens s to n columns and keeps the head, which in our own words says most.
func clipEnd(s string, n int) string {
	if head := clipHead(s, n); len(head) == len(s) {
		return s
	}
	return strings.TrimRight(clipHead(s, n-1), " ") + "…"
}

// A findingLine is one line of the short text: all findings of one rule in one definition.
type findingLine struct {
	*finding.Finding
	place string // of the definition, Visible
	count int
}

// findingLines lists findings above info in at most room lines.
func (p *page) findingLines(r *result.Report, room int) {
	lines := collectLines(r)
	shown := lines
	if len(lines) > room {
		shown = lines[:room-1]
	}
	layout := layOut(shown, p)
	path := false // only the first data flow is shown
	for i := range shown {
		p.findingLine(&shown[i], layout)
		if !path && len(shown[i].Steps) > 0 {
			path = true
			p.pathLines(shown[i].Finding, layout.severity+2)
		}
	}
	if hidden := lines[len(shown):]; len(hidden) > 0 {
		p.writeIndented(0, p.dim("… and "+countBySeverity(hidden)+" more: -v lists them"))
	}
}

// collectLines makes a line per rule and definition, the severest first, otherwise in the order of findings. Findings
// of severity info are counted elsewhere.
func collectLines(r *result.Report) []findingLine {
	type key struct {
		rule         finding.Rule
		sev          finding.Severity
		server, file string
		kind         finding.Kind
		item         string
		seq          int
	}
	several := len(r.Coverage.Servers) > 1
	index := map[key]int{}
	var lines []findingLine
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity <= finding.Info {
			continue
		}
		l := &f.Location
		k := key{f.Rule, f.Severity, l.Server, cmp.Or(l.File, l.Origin), l.Kind, l.Item, l.Seq}
		if at, ok := index[k]; ok && (l.Item != "" || l.Server != "") {
			lines[at].count++
			continue
		}
		index[k] = len(lines)
		lines = append(lines, findingLine{f, Visible(shortPlace(l, several)), 1})
	}
	slices.SortStableFunc(lines, func(a, b findingLine) int { return cmp.Compare(b.Severity, a.Severity) })
	return lines
}

// clipPlace shortens a place to n columns. The server's name, which many lines share, is shortened before the
// definition's, down to a third of the columns.
func clipPlace(place, server string, n int) string {
	if columns(place) <= n || server == "" || !strings.HasPrefix(place, server+": ") {
		return clipText(place, n)
	}
	rest := place[len(server):]
	head := clipEnd(server, max(n-columns(rest), n/3))
	return head + clipText(rest, n-columns(head))
}

// A lineLayout holds the column widths of finding lines.
type lineLayout struct {
	severity, rule, place int
	name                  int  // rule name; 0 if there is no room
	file                  bool // there is room for file and line
}

func layOut(lines []findingLine, p *page) lineLayout {
	var l lineLayout
	for i := range lines {
		l.severity = max(l.severity, len(lines[i].Severity.String()))
		l.rule = max(l.rule, columns(Visible(string(lines[i].Rule))))
		l.place = max(l.place, columns(lines[i].place))
	}
	l.file = p.whole || p.width >= 120
	if p.whole || p.width >= 160 {
		l.name = 1
		for i := range lines {
			l.name = max(l.name, columns(Visible(lines[i].Name)))
		}
		if !p.whole {
			l.name = min(l.name, p.width/6)
		}
		l.rule += 2 + l.name
	}
	if !p.whole {
		l.place = min(l.place, p.width/4)
	}
	return l
}

func (p *page) findingLine(f *findingLine, l lineLayout) {
	badge := padTo(strings.ToUpper(f.Severity.String()), l.severity)
	rule := Visible(string(f.Rule))
	if l.name > 0 {
		name := Visible(f.Name)
		if !p.whole {
			name = clipEnd(name, l.name)
		}
		rule = padTo(rule, l.rule-2-l.name) + "  " + padTo(name, l.name)
	}
	rule = padTo(rule, l.rule)
	place := f.place
	if !p.whole {
		place = clipPlace(place, Visible(f.Location.Server), l.place)
	}
	place = padTo(place, l.place)
	text := Visible(cmp.Or(f.Message, f.Name))
	if f.count > 1 {
		text = fmt.Sprintf("(%d times) ", f.count) + text
	}
	used := columns(badge) + columns(rule) + columns(place) + 6
	at := ""
	if l.file {
		at = spaced(Visible(inFile(&finding.Location{File: f.Location.File, Line: f.Location.Line, Column: f.Location.Column})))
		if !p.whole {
			at = clipText(at, p.width/4)
		}
	}
	text = p.fit(text, used+columns(at))
	p.writeIndented(0, p.colourSeverity(f.Severity, badge), "  ", rule, "  ", p.bold(place), "  ", text, p.dim(at))
}

// mostSteps is the number of steps of a data flow shown on a terminal.
const mostSteps = 8

// pathLines shows a data flow, one place per line.
func (p *page) pathLines(f *finding.Finding, indent int) {
	steps := f.Steps
	for i := range steps {
		if left := len(steps) - i; i == mostSteps && left > 1 && !p.whole {
			p.writeIndented(indent, p.dim(fmt.Sprintf("… and %d more: -v lists them", left)))
			return
		}
		p.writeIndented(indent, p.dim(p.fit(Visible(stepText(&steps[i])), indent)))
	}
}

// countBySeverity counts lines by severity: "3 high, 1 low".
func countBySeverity(lines []findingLine) string {
	var by severityTally
	for i := range lines {
		by[min(lines[i].Severity, finding.Critical)] += lines[i].count
	}
	return by.words(func(_ finding.Severity, s string) string { return s })
}

// A severityTally has a number for each severity.
type severityTally [finding.Critical + 1]int

func bySeverity(fs []finding.Finding) (by severityTally) {
	for i := range fs {
		by[min(fs[i].Severity, finding.Critical)]++
	}
	return by
}

// A severityCount is the number of findings of a severity.
type severityCount struct {
	Name string
	N    int

	severity finding.Severity
}

// counts returns the numbers above 0, the severest first.
func (by severityTally) counts() (out []severityCount) {
	for sev := finding.Critical; sev > finding.None; sev-- {
		if by[sev] > 0 {
			out = append(out, severityCount{sev.String(), by[sev], sev})
		}
	}
	return out
}

func (by severityTally) words(paint func(finding.Severity, string) string) string {
	var parts []string
	for _, c := range by.counts() {
		parts = append(parts, paint(c.severity, groupDigits(c.N)+" "+c.Name))
	}
	return strings.Join(parts, ", ")
}
