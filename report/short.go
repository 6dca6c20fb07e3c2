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
	labelColumns = 10 // of the labels before the text of a line
	leastRows    = 5  // findings that are listed on even the lowest terminal
	mostParts    = 3  // rows of a section that the short text names
	mostSteps    = 8  // steps of a data flow on a terminal
)

// writeShort writes one screen of text: findings, worst first and one per line, then a few lines for each part of the
// coverage, and last the summary.
func writeShort(w *bufio.Writer, r *result.Report, d *document, opt Options) error {
	p := newPage(w, opt)
	var tail bytes.Buffer
	end := *p
	end.w = bufio.NewWriter(&tail)
	for i := range d.sections {
		end.writeShortSection(&d.sections[i], opt.Height)
	}
	end.writeBrief(d.About...)
	end.writeVerdict(d)
	if err := end.w.Flush(); err != nil {
		return err
	}
	room := len(r.Findings)
	if opt.Height > 0 {
		room = max(opt.Height-1-bytes.Count(tail.Bytes(), []byte{'\n'}), leastRows)
	}
	p.writeFindingLines(r, room)
	_, _ = p.w.Write(tail.Bytes())
	return nil // the writer keeps its first error for Flush
}

// writeShortSection writes a table of several rows, a row that is alone in full, or the first rows as lines.
func (p *page) writeShortSection(s *section, height int) {
	switch {
	case s.Aligned == nil || s.PageOnly && s.Brief == "":
	case s.n > 1:
		all, indent, how := *s, 0, *s.Aligned
		if !s.Lines {
			p.writeIndented(0, p.bold(s.Title))
			all, indent = s.overview(), 2
		}
		if how.Rest = "-v lists them"; height > 0 {
			how.Most = max(height-8, leastRows)
		}
		all.Aligned = &how
		p.writeTable(indent, &all)
		p.writeBlank()
	case s.n == 1 && !s.Lines:
		one := *s
		one.Title, one.Remark = "", ""
		p.writeSection(one)
	}
	p.writeBrief(s.briefLines()...)
}

// firstOf returns a line for each of n texts, the first beside label; beyond mostParts they are counted.
func firstOf(label, noun string, n int, text func(int) string) (out []field) {
	for i := range n {
		if i == mostParts && n > mostParts+1 {
			return append(out, field{Label: label, Text: fmt.Sprintf("… and %s%s more: -v lists them", groupDigits(n-i), noun)})
		}
		out = append(out, field{Label: label, Text: text(i)})
		label = ""
	}
	return out
}

// briefLines returns what the short text says of a section.
func (s *section) briefLines() (out []field) {
	if s.Short != nil || s.Brief == "" || s.Aligned != nil {
		return s.Short
	}
	for _, text := range append([]string{s.Remark}, s.Intro...) {
		if text != "" {
			out = append(out, field{Text: text})
		}
	}
	if listed := s.listed(); s.BriefRows {
		rows := firstOf("", " "+s.Noun+"s", len(listed), func(i int) string {
			r := s.row(listed[i])
			return strings.TrimSpace(r.Badge + "  " + r.line() + spaced(r.Where))
		})
		for i := range min(len(rows), len(listed)) {
			rows[i].Tone = s.row(listed[i]).Tone
		}
		out = append(out, rows...)
	}
	if len(out) > 0 {
		out[0].Label = s.Brief
	}
	return out
}

// writeBrief writes lines, clipped on a terminal and whole elsewhere.
func (p *page) writeBrief(lines ...field) {
	for _, l := range lines {
		text := p.fit(Visible(l.Text), labelColumns)
		gap := strings.Repeat(" ", max(labelColumns-columns(l.Label), 1))
		if l.Label != "" && l.Tone != "" {
			p.writeIndented(0, p.paint(l.Tone, l.Label), gap, p.bold(text))
		} else {
			p.writeIndented(0, p.dim(l.Label), gap, p.paint(l.Tone, text))
		}
	}
}

// fit clips a text to the room left on a line after used columns; a pipe has no limit.
func (p *page) fit(text string, used int) string {
	if p.whole {
		return text
	}
	return clipEnd(text, max(p.width-used, 1))
}

// A findingLine is one line of the short text: all findings of one rule in one definition.
type findingLine struct {
	*finding.Finding
	count int
}

// findingLines returns the lines of the findings above info, the severest first.
func findingLines(fs []finding.Finding) (lines []findingLine) {
	type key struct {
		rule         finding.Rule
		sev          finding.Severity
		server, file string
		kind         finding.Kind
		item         string
		seq          int
	}
	index := map[key]int{}
	for _, i := range severestFirst(fs) {
		f := &fs[i]
		l := &f.Location
		k := key{f.Rule, f.Severity, l.Server, cmp.Or(l.File, l.Origin), l.Kind, l.Item, l.Seq}
		at, known := index[k]
		switch {
		case f.Severity <= finding.Info:
		case known && (l.Item != "" || l.Server != ""):
			lines[at].count++
		default:
			index[k], lines = len(lines), append(lines, findingLine{f, 1})
		}
	}
	return lines
}

// writeFindingLines writes at most room lines, and the first data flow below its line.
func (p *page) writeFindingLines(r *result.Report, room int) {
	lines := findingLines(r.Findings)
	var hidden severityTally
	if len(lines) > room {
		for _, l := range lines[room-1:] {
			hidden[min(l.Severity, finding.Critical)] += l.count
		}
		lines = lines[:room-1]
	}
	several := len(r.Coverage.Servers) > 1
	shown := withRows(section{Aligned: &aligned{NoHead: true}}, lines, func(l *findingLine) row { return p.findingLine(l, several) })
	flow := slices.IndexFunc(lines, func(l findingLine) bool { return len(l.Steps) > 0 })
	shown.Aligned.Below = func(i int) {
		if i != flow {
			return
		}
		steps := lines[i].Steps
		for n := range steps {
			if left := len(steps) - n; n == mostSteps && left > 1 && !p.whole {
				p.writeIndented(labelColumns, p.dim(fmt.Sprintf("… and %d more: -v lists them", left)))
				return
			}
			p.writeIndented(labelColumns, p.dim(p.fit(Visible(stepText(&steps[n])), labelColumns)))
		}
	}
	p.writeTable(0, &shown)
	if words := hidden.words(); words != "" {
		p.writeIndented(0, p.dim("… and "+words+" more: -v lists them"))
	}
}

// findingLine has a cell for what there is room for. Without a terminal the place follows the message.
func (p *page) findingLine(l *findingLine, several bool) row {
	one := row{Tone: toneOf(l.Severity), Badge: strings.ToUpper(l.Severity.String()), Title: string(l.Rule)}
	if p.whole || p.width >= 160 {
		one.add("name", l.Name)
	}
	one.Fields = append(one.Fields, field{Label: "definition", Text: shortPlace(&l.Location, several), Tone: toneBold})
	text := cmp.Or(l.Message, l.Name)
	if l.count > 1 {
		text = fmt.Sprintf("(%d times) %s", l.count, text)
	}
	at := inFile(&finding.Location{File: l.Location.File, Line: l.Location.Line, Column: l.Location.Column})
	switch {
	case p.whole:
		text += spaced(at)
	case p.width >= 120:
		one.Fields = append(one.Fields, field{Label: "says", Text: text}, field{Label: "at", Text: at, Tone: toneSoft})
		return one
	}
	one.add("says", text)
	return one
}

// A severityTally has a number for each severity.
type severityTally [finding.Critical + 1]int

func bySeverity(fs []finding.Finding) (by severityTally) {
	for i := range fs {
		by[min(fs[i].Severity, finding.Critical)]++
	}
	return by
}

// counts returns the numbers above 0, the severest first, each as "3 high".
func (by severityTally) counts() (out []field) {
	for sev := finding.Critical; sev > finding.None; sev-- {
		if by[sev] > 0 {
			out = append(out, field{Label: sev.String(), Text: groupDigits(by[sev]) + " " + sev.String(), Tone: toneOf(sev)})
		}
	}
	return out
}

func (by severityTally) words() string { return cell(by.counts()).visible() }

// informationBrief names the rules that have findings of severity info.
func informationBrief(fs []finding.Finding) []field {
	n, seen := 0, map[finding.Rule]bool{}
	var rules []string
	for i := range fs {
		f := &fs[i]
		if f.Severity > finding.Info {
			continue
		}
		n++
		if !seen[f.Rule] {
			seen[f.Rule] = true
			rules = append(rules, string(f.Rule)+" "+f.Name)
		}
	}
	if n == 0 {
		return nil
	}
	return []field{{Label: "Info", Text: countNoun(n, "finding") + " to know about: " + strings.Join(rules, ", ")}}
}

// clipEnd shortens s to n columns and keeps the head, which in our own words says most.
func clipEnd(s string, n int) string {
	if head := clipHead(s, n); len(head) == len(s) {
		return s
	}
	return strings.TrimRight(clipHead(s, n-1), " ") + "…"
}
