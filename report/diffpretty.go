package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"gauntlet/diff"
	"gauntlet/internal/leaf/excerpt"
)

var _ = diffFormats.register("pretty", "for people: removals [-like this-], additions {+like this+}", writeDiffPretty)

// writeDiffPretty writes a paragraph per definition, with insertions and deletions marked.
func writeDiffPretty(w *bufio.Writer, d *diff.Diff, opt Options) error {
	p := diffPage{w, palette(opt.Color)}
	for i := range d.Servers {
		p.writeServer(&d.Servers[i])
	}
	for _, pr := range d.Problems {
		p.writeIndented(0, "problem: "+Visible(pr.Message)+p.describePlace(pr.Location.Server, pr.Location.File))
	}
	if len(d.Problems) > 0 {
		p.writeIndented(0, "")
	}
	p.writeIndented(0, p.bold(diffSum(d)))
	return nil // the writer keeps its first error for Flush
}

type diffPage struct {
	*bufio.Writer
	palette
}

func (p *diffPage) writeIndented(indent int, s string) {
	if s != "" {
		_, _ = p.WriteString(strings.Repeat(" ", indent))
	}
	_, _ = p.WriteString(s + "\n")
}

func (p *diffPage) describePlace(server, file string) string {
	switch {
	case server != "" && file != "":
		return p.dim("  (" + Visible(server) + ", " + Visible(file) + ")")
	case server+file != "":
		return p.dim("  (" + Visible(server+file) + ")")
	}
	return ""
}

func (p *diffPage) writeServer(s *diff.Server) {
	head := p.bold(Visible(cmp.Or(s.Entry, s.Name)))
	if s.Entry != "" && s.Entry != s.Name {
		head += p.dim("  (" + Visible(s.Name) + ")")
	}
	if s.State != diff.Changed {
		head += "  server " + p.colourState(s.State)
	}
	if s.Was != "" {
		head += "  called " + Visible(s.Was) + " before"
	}
	p.writeIndented(0, head)
	p.writeIndented(0, "")
	for i := range s.Items {
		it := &s.Items[i]
		p.writeIndented(2, p.bold(itemName(it))+"  "+p.colourState(it.State))
		for j := range it.Parts {
			p.writePart(&it.Parts[j], it.State)
		}
		p.writeIndented(0, "")
	}
}

func (p *diffPage) colourState(s diff.State) string {
	switch s {
	case diff.Added:
		return p.sgr("32", string(s))
	case diff.Removed:
		return p.sgr("31", string(s))
	}
	return p.sgr("33", string(s))
}

func (p *diffPage) writePart(part *diff.Part, of diff.State) {
	head := Visible(part.Member)
	if head == "" {
		head = "definition"
	}
	if part.State != of || part.Text == nil && part.Schema == nil && part.Values == nil {
		head += "  " + p.colourState(part.State)
	}
	if part.Class != "" {
		head += "  " + p.colourClass(part.Class)
	}
	p.writeIndented(4, head)
	if part.Text != nil {
		p.writeIndented(6, p.colourEdits(part.Text))
	}
	for _, e := range part.Schema {
		s := fmt.Sprintf("%-9s  %s  ", classWord(e.Class), visiblePointer(e.Pointer))
		switch {
		case e.Text != nil:
			s += p.colourEdits(e.Text)
		case e.Words == "":
			s += sides(e.Old, e.New)
		default:
			s += Visible(e.Words) + ": " + sides(e.Old, e.New)
		}
		p.writeIndented(6, s)
	}
	for _, v := range part.Values {
		s := sides(v.Old, v.New)
		if v.Text != nil {
			s = p.colourEdits(v.Text)
		} else if v.Pointer != "" {
			s = valueWords(v) + s
		}
		if v.Pointer != "" {
			s = visiblePointer(v.Pointer) + "  " + s
		}
		p.writeIndented(6, s)
	}
	if part.More > 0 {
		p.writeIndented(6, fmt.Sprintf("… and %d more", part.More))
	}
}

// valueWords says that a value was added or removed if the change itself does not show it.
func valueWords(v diff.ValueChange) string {
	switch {
	case v.Old == "":
		return "added "
	case v.New == "":
		return "removed "
	}
	return ""
}

func (p *diffPage) colourClass(c string) string {
	if c == "same" {
		return "accepts the same"
	}
	return p.sgr("33", c)
}

// classWord returns the class of a change: "words" if the accepted values stay the same.
func classWord(c string) string {
	if c == "same" {
		return "words"
	}
	return c
}

func visiblePointer(s string) string {
	if s == "" {
		return "(the whole value)"
	}
	return Visible(s)
}

// colourEdits marks unchanged, removed and added text. Line breaks are kept behind a bar, so that no text can pass for a line of ours.
func (p *diffPage) colourEdits(edits []diff.Edit) string {
	const bar = "      │ "
	var b strings.Builder
	b.WriteString("│ ")
	for i, e := range edits {
		switch e.Op {
		case diff.Remove:
			b.WriteString(p.marked("31", "[-", e.Text, "-]", bar))
		case diff.Insert:
			b.WriteString(p.marked("32", "{+", e.Text, "+}", bar))
		default:
			head, tail, cut := beside(e.Text, i > 0, i+1 < len(edits))
			b.WriteString(indentLines(head, bar))
			if cut {
				b.WriteString("…")
			}
			b.WriteString(indentLines(tail, bar))
		}
	}
	return b.String()
}

// marked colours each line separately, so that no colour spills into our margin.
func (p *diffPage) marked(sgr, open, text, closing, bar string) string {
	more := ""
	if len(text) > most {
		head := excerpt.Head(text, most)
		more = fmt.Sprintf(" … and %d bytes more, which --format json shows", len(text)-len(head))
		text = head
	}
	shown := strings.Split(open+indentLines(text, "\x00")+closing, "\n\x00")
	for i := range shown {
		shown[i] = p.sgr(sgr, shown[i])
	}
	return strings.Join(shown, "\n"+bar) + more
}
