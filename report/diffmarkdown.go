package report

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"gauntlet/diff"
)

var _ = diffFormats.register("markdown", "for pull requests", writeDiffMarkdown)

// writeDiffMarkdown writes a page for a pull request comment. Server text appears only in code, where it cannot become
// markup, a link or a mention. A page that is too long is cut, and says so.
func writeDiffMarkdown(w *bufio.Writer, d *diff.Diff, _ Options) error {
	p := &mdPage{w: w, left: markdownLimit}
	p.must("### What MCP servers say: " + diffSum(d) + "\n")
	p.writeSection(problemSection(d.Problems, ""))
	left := 0
	for i := range d.Servers {
		s := &d.Servers[i]
		for j := range s.Items {
			m := &diffMarkdown{}
			if j == 0 || left > 0 {
				m.writeServer(s)
			}
			m.writeItem(&s.Items[j])
			if left > 0 || p.left-m.Len() < mdReserve {
				left++
				continue
			}
			p.must(m.String())
		}
		if len(s.Items) == 0 { // only the name changed
			m := &diffMarkdown{}
			m.writeServer(s)
			p.must(m.String())
		}
	}
	if left > 0 {
		p.must(fmt.Sprintf("\n%s not shown: a comment has at most 65,536 characters. The other formats have all.\n", countNoun(left, "definition")))
	}
	return nil // the writer keeps its first error for Flush
}

type diffMarkdown struct{ strings.Builder }

func (m *diffMarkdown) writeLine(s string) { m.WriteString(s + "\n") }

func (m *diffMarkdown) writeServer(s *diff.Server) {
	m.writeLine("")
	head := "#### Server " + codeSpan(cmp.Or(s.Entry, s.Name), mdWide)
	if s.Entry != "" && s.Entry != s.Name {
		head += " (" + codeSpan(s.Name, mdWide) + ")"
	}
	if s.State != diff.Changed {
		head += " " + string(s.State)
	}
	if s.Was != "" {
		head += ", called " + codeSpan(s.Was, mdWide) + " before"
	}
	m.writeLine(head)
}

func (m *diffMarkdown) writeItem(it *diff.Item) {
	m.writeLine("")
	name := itemName(it)
	if it.Name != "" {
		name = strings.ReplaceAll(string(it.Kind), "_", " ") + " " + codeSpan(it.Name, mdWide)
	}
	m.writeLine(fmt.Sprintf("**%s %s**", capitalised(name), it.State))
	for j := range it.Parts {
		m.writePart(&it.Parts[j])
	}
}

func (m *diffMarkdown) writePart(p *diff.Part) {
	m.writeLine("")
	head := "- " + codeSpan(p.Member, mdWide) + " " + string(p.State)
	if p.Member == "" {
		head = "- definition " + string(p.State)
	}
	if p.Class != "" {
		head += ", " + map[bool]string{true: "accepts the same", false: "**" + p.Class + "**"}[p.Class == "same"]
	}
	m.writeLine(head)
	if p.Text != nil {
		m.writeEdits(p.Text)
	}
	for _, e := range p.Schema {
		s := fmt.Sprintf("  - %s at %s", classWord(e.Class), codeSpan(visiblePointer(e.Pointer), mdWide))
		if e.Text == nil {
			s += ": " + codeSpan(e.Words, mdWide) + " " + codeSpan(sides(e.Old, e.New), mdWide)
		}
		m.writeLine(s)
		if e.Text != nil {
			m.writeEdits(e.Text)
		}
	}
	for _, v := range p.Values {
		if v.Text != nil {
			m.writeLine("  - " + codeSpan(visiblePointer(v.Pointer), mdWide))
			m.writeEdits(v.Text)
			continue
		}
		s := "  - "
		if v.Pointer != "" {
			s += codeSpan(v.Pointer, mdWide) + " " + valueWords(v)
		}
		m.writeLine(s + codeSpan(sides(v.Old, v.New), mdWide))
	}
	if p.More > 0 {
		m.writeLine(fmt.Sprintf("  - and %d more", p.More))
	}
}

// writeEdits shows a text before and after as a line diff in a code block that code hosts colour.
func (m *diffMarkdown) writeEdits(edits []diff.Edit) {
	h := hunk{}
	for i, e := range edits {
		switch e.Op {
		case diff.Remove:
			h.old += e.Text
		case diff.Insert:
			h.new += e.Text
		default:
			head, tail, cut := beside(e.Text, i > 0, i+1 < len(edits))
			h.keepLine(head)
			if cut {
				h.keepLine("…")
				h.keepLine(tail)
			}
		}
	}
	h.flush()
	text := strings.Join(h.out, "\n  ")
	if longestRun(text) > maxTicks {
		text = strings.ReplaceAll(text, "`", "<U+0060>")
	}
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	m.writeLine("")
	m.writeLine("  " + fence + "diff")
	m.writeLine("  " + text)
	m.writeLine("  " + fence)
}

// A hunk collects lines before and after a change.
type hunk struct {
	old, new string
	out      []string
}

// keepLine adds unchanged text. At the end of a line, the collected lines are written.
func (h *hunk) keepLine(s string) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		h.old += line
		h.new += line
		if !more {
			return
		}
		h.flush()
		s = rest
	}
}

// flush writes the collected lines; lines that both sides share at either end are written once.
func (h *hunk) flush() {
	old, new := linesOf(h.old), linesOf(h.new)
	h.old, h.new = "", ""
	head, tail := 0, 0
	for head < min(len(old), len(new)) && old[head] == new[head] {
		head++
	}
	for tail < min(len(old), len(new))-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	h.addLines("  ", old[:head])
	h.addLines("- ", old[head:len(old)-tail])
	h.addLines("+ ", new[head:len(new)-tail])
	h.addLines("  ", old[len(old)-tail:])
}

func (h *hunk) addLines(sign string, lines []string) {
	for _, line := range lines {
		h.out = append(h.out, sign+clipped(line))
	}
}

// linesOf splits a text into lines; an empty text has none.
func linesOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func longestRun(s string) int {
	longest, n := 0, 0
	for i := range len(s) {
		if n++; s[i] != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}
