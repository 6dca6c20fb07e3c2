package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"gauntlet/result"
)

const (
	defaultWidth = 100
	minWidth     = 50

	badgeColumns = 8  // of the badge of a block
	labelRoom    = 10 // columns of a label and the gap after it
	mostLabel    = 24 // columns of a label beside which others are aligned
	longestText  = 40 // lines of a text before its middle is left out
	mostAlike    = 8  // fields of one label that the short text shows of a row
)

var _ = formats.register(defaultFormat, "for people: one line per finding, the worst first; with --verbose grouped by definition, with the offending text underlined", writePretty)

// writePretty writes one screen of text or, if verbose, everything.
func writePretty(w *bufio.Writer, r *result.Report, opt Options) error {
	p := newPage(w, opt)
	if opt.Verbose {
		p.writeEverything(r)
		p.writeEnding(r, opt)
		return nil
	}
	return p.writeScreen(r, opt)
}

// writeEverything writes all sections and, last because a terminal still shows the end, problems and the summary.
func (p *page) writeEverything(r *result.Report) {
	for _, s := range append(sectionsOf(r), problemSection(r.Problems, "the scan is incomplete")) {
		switch s.ID {
		case "findings":
			s = byDefinition(r.Findings)
		case "attacks":
			s.Title = "" // each run stands apart
			if len(r.Attacks) > 1 {
				p.attackTable(r.Attacks, 0)
			}
		}
		p.writeSection(s)
	}
	if attacksOnly(r) {
		p.attackSum(r)
		return
	}
	p.coverage(r)
	p.writeSummary(r)
}

// serversAsked reports whether there is a server whose posture can be described.
func serversAsked(r *result.Report) bool {
	return (r.Clients == nil && r.Coverage.Trace == nil || r.Summary.Servers > 0) && !attacksOnly(r)
}

// writeEnding explains the exit code and names the next command.
func (p *page) writeEnding(r *result.Report, opt Options) {
	if g := opt.Gate; g != nil {
		p.writeIndented(0, g.exitWords(r))
	}
	if opt.Next != "" {
		p.writeIndented(0, "Next: ", p.bold(Visible(opt.Next)))
	}
}

// exitWords explains the exit code.
func (g *Gate) exitWords(r *result.Report) string {
	return fmt.Sprintf("Exit code %d: %s.", r.ExitCode(g.FailOn, g.AllowPartial), Visible(r.ExitReason(g.FailOn, g.AllowPartial)))
}

// A page is pretty output being written.
type page struct {
	palette
	w       *bufio.Writer
	width   int
	whole   bool // not a terminal: lines of the short text are not clipped
	verbose bool
}

func newPage(w *bufio.Writer, opt Options) *page {
	return &page{w: w, palette: palette(opt.Color), width: tableWidth(opt), verbose: opt.Verbose, whole: opt.Width == 0}
}

// writeIndented writes a line. Callers make a stranger's text Visible first.
func (p *page) writeIndented(indent int, parts ...string) {
	_, _ = fmt.Fprintf(p.w, "%*s%s\n", indent, "", strings.Join(parts, ""))
}

func (p *page) writeBlank() { _ = p.w.WriteByte('\n') }

// writeSection writes the rows of s that ask for something, below its heading and those of their groups. Blocks without
// a heading of their section stand apart.
func (p *page) writeSection(s section) {
	listed := s.listed()
	if !s.says(len(listed)) || s.PageOnly {
		return
	}
	indent := 0
	if s.Title != "" {
		title, remark := strings.TrimSpace(s.Title+" "+clipText(Visible(s.Name), p.width/2)), spaced(s.Remark)
		if columns(title+remark) > p.width {
			s.Intro, remark = slices.Concat([]string{s.Remark}, s.Intro), ""
		}
		p.writeIndented(0, p.bold(title), p.dim(remark))
		indent = 2
	}
	for _, text := range s.Intro {
		p.writeField(indent, field{Text: text, Aside: true}, 0)
	}
	if s.Table != nil {
		if len(s.Table.Rows) > 0 {
			p.writeTable(indent, *s.Table)
		}
		p.writeBlank()
		return
	}
	room := 0 // for the badges of lines
	for _, i := range listed {
		if badge := s.row(i).Badge; s.Lines && badge != "" {
			room = min(max(labelRoom, room, columns(Visible(badge))+2), p.width/3)
		}
	}
	var in []heading
	for _, i := range listed {
		r := s.row(i)
		p.writeGroup(indent, in, r.Group)
		in = r.Group
		if s.Lines {
			p.writeLineRow(indent+2*len(in), room, &r)
			continue
		}
		p.writeBlock(indent+2*len(in), &r)
		if s.Title == "" {
			p.writeBlank()
		}
	}
	if s.Title != "" {
		p.writeBlank()
	}
}

// writeGroup writes the headings of a group that the group before did not have.
func (p *page) writeGroup(indent int, before, group []heading) {
	same := 0
	for same < min(len(before), len(group)) && before[same] == group[same] {
		same++
	}
	for i := same; i < len(group); i++ {
		title, where := p.titled(group[i].Title, group[i].Where, indent+2*i)
		p.writeIndented(indent+2*i, p.bold(title), p.dim(where))
		if indent+i == 0 {
			p.writeBlank()
		}
	}
}

// writeLineRow writes a row as a paragraph beside its badge.
func (p *page) writeLineRow(indent, room int, r *row) {
	p.writeField(indent, field{Label: r.Badge, Text: r.line()}, room)
	p.writeField(indent, field{Text: r.Where, Aside: true}, room)
}

// writeBlock writes a row with a line of its own, an excerpt of its evidence, and its fields.
func (p *page) writeBlock(indent int, r *row) {
	badge := ""
	if r.Badge != "" {
		badge = padTo(strings.ToUpper(Visible(r.Badge)), badgeColumns) + "  "
	}
	title, where := clipText(Visible(strings.TrimPrefix(r.Rule+"  "+r.Title, "  ")), p.width-indent-columns(badge)), spaced(Visible(r.Where))
	fields := slices.Concat([]field{{Label: "why", Text: r.Text}}, r.Fields)
	switch {
	case len(r.Group) > 1: // which says where
		where = ""
	case indent+columns(badge)+columns(title)+columns(where) > p.width:
		where, fields = "", slices.Insert(fields, 1, field{Label: "in", Text: r.Where, Aside: true})
	}
	p.writeIndented(indent, p.paint(r.Tone, badge), p.bold(title), p.dim(where))
	p.excerpt(indent+2, r)
	if !p.verbose {
		fields = fewer(fields, mostAlike)
	}
	room := labelRoom
	for _, f := range fields {
		if n := columns(Visible(f.Label)) + 2; n <= mostLabel && !f.Below {
			room = max(room, n)
		}
	}
	for _, f := range fields {
		if f.Below {
			p.writeBelow(indent+2, f)
			continue
		}
		f.Label += ":"
		p.writeField(indent+2, f, room)
	}
}

// writeBelow writes a field in lines of its own. Their length is that of what changed.
func (p *page) writeBelow(indent int, f field) {
	if f.Label != "" {
		p.writeIndented(indent, Visible(f.Label))
	}
	if f.Text != "" {
		p.writeIndented(indent+2, Visible(f.Text))
	}
	if f.Edits != nil {
		p.writeEdits(indent+2, f.Edits)
	}
}

// excerpt shows the evidence, underlined.
func (p *page) excerpt(indent int, r *row) {
	for _, line := range excerptRows(r.Evidence, p.width-indent-2, maxFolded) {
		p.writeIndented(indent, p.dim("│ "), line.text)
		if line.to > line.from {
			p.writeIndented(indent, p.dim("│ "), strings.Repeat(" ", line.from), p.paint(r.Tone, underline(line.to-line.from)))
		}
	}
}

// titled makes a title and its place Visible and shares the rest of a line after indent columns between them.
func (p *page) titled(title, where string, indent int) (string, string) {
	where = spaced(clipText(Visible(where), (p.width-indent)/2-4))
	return clipText(Visible(title), p.width-indent-columns(where)), where
}

// writeField writes a text, if there is one, beside a label in room columns, and aligns further lines with it. Without
// room they are indented further, so that a stranger's text begins no line like ours.
func (p *page) writeField(indent int, f field, room int) {
	if f.Text == "" {
		return
	}
	paint := func(s string) string { return s }
	if f.Aside {
		paint = p.dim
	}
	label := clipText(Visible(f.Label), p.width/3)
	if room > 0 {
		room = max(room, columns(label)+1)
	}
	for _, l := range Wrap(clipText(Visible(f.Text), longestText*p.width), p.width-indent-max(room, 2)) {
		p.writeIndented(indent, p.dim(label), strings.Repeat(" ", room-columns(label)), paint(l))
		if label = ""; room == 0 {
			room = 2
		}
	}
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return "  " + s
}
