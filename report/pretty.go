package report

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
)

const (
	defaultWidth = 100
	minWidth     = 50

	badgeColumns = 8  // of the badge of a block
	labelRoom    = 10 // columns of a label and the gap after it
	mostLabel    = 24 // columns of a label beside which others are aligned
	longestText  = 40 // lines of a text before its middle is left out
	mostAlike    = 8  // fields of one label that the short text shows of a row
	mostMissing  = 20 // lines of a text of what is missing; a page has all
)

// writeText writes everything of a document: the verdict, the sections, and what is missing; or the sections and last what was
// read and the verdict, where sections say what is missing.
func writeText(w *bufio.Writer, d *document, opt Options) error {
	p := newPage(w, opt)
	p.verbose = true
	head := *p
	if p.whole {
		head.width = 1 << 20
	}
	if !d.AtEnd {
		for i, text := range []string{d.Title + ": " + d.Verdict, d.Exit, d.Read} {
			head.writeField(0, field{Text: text, Aside: i > 0}, 0)
		}
	}
	for _, s := range d.sections {
		p.writeSection(s)
	}
	if d.AtEnd {
		for _, f := range d.About {
			p.writeField(0, f, labelRoom)
		}
		p.writeVerdict(d)
		return nil // the writer keeps its first error for Flush
	}
	missing, more := d.missing(), max(len(d.Missing)-mostMissing, 0)
	missing.n -= more
	head.writeSection(missing)
	if more > 0 {
		p.writeIndented(2, p.dim("… and "+countNoun(more, "further reason")))
	}
	return nil
}

// writeVerdict writes the verdict, the exit code and the next command, which are our own words.
func (p *page) writeVerdict(d *document) {
	state := p.paint("high", d.State)
	if d.Complete {
		state = p.paint(toneGood, d.State)
	}
	p.writeIndented(0, p.bold(d.Verdict), strings.Repeat(" ", min(len(d.State), 1)), state)
	if d.Exit != "" {
		p.writeIndented(0, d.Exit)
	}
	if d.Next != "" {
		p.writeIndented(0, "Next: ", p.bold(Visible(d.Next)))
	}
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
	if s.Aligned != nil && s.Lines {
		if s.n > 0 {
			p.writeTable(indent, &s)
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
	group := ""
	for n, i := range listed {
		r := s.row(i)
		if r.Rule != "" && n > 0 {
			p.writeBlank()
		}
		if r.Group != group {
			p.writeIndented(indent, p.bold(clipText(Visible(r.Group), p.width-indent)))
			group = r.Group
		}
		inside := indent
		if group != "" {
			inside += 2
		}
		if s.Lines {
			p.writeLineRow(inside, room, &r)
			continue
		}
		p.writeBlock(inside, &r)
		if s.Title == "" {
			p.writeBlank()
		}
	}
	if s.Title != "" {
		p.writeBlank()
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
	if indent+columns(badge)+columns(title)+columns(where) > p.width {
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
		bar := strings.Repeat(" ", indent+2) + "│ "
		p.writeIndented(0, bar, editsText(p.palette, f.Edits, bar))
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

// A palette paints with ANSI colours, or not at all. It is the only source of escape sequences in this package.
type palette bool

// codes use the 16 basic colours, which follow the reader's theme.
var codes = map[tone]string{
	toneBold: "1", toneSoft: "2", toneGood: "32",
	"critical": "1;31", "high": "31", "medium": "33", "low": "36", "info": "34", "none": "34",
}

func (p palette) bold(s string) string { return p.paint(toneBold, s) }
func (p palette) dim(s string) string  { return p.paint(toneSoft, s) }

func (p palette) paint(t tone, s string) string {
	if code := codes[t]; p && code != "" && s != "" {
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	return s
}
