package report

import (
	"fmt"
	"strings"

	"gauntlet/diff"
	"gauntlet/internal/leaf/excerpt"
)

// most is the number of bytes shown of one text or value; JSON has all of it.
const most = 4_000

// clipped makes a text Visible and cuts what is beyond most.
func clipped(s string) string {
	head, more := clipBytes(s)
	return Visible(head) + more
}

// clipBytes cuts a text to most bytes and says how much is missing.
func clipBytes(s string) (head, more string) {
	if len(s) <= most {
		return s, ""
	}
	head = excerpt.Head(s, most)
	return head, fmt.Sprintf(" … and %d bytes more, which --format json shows", len(s)-len(head))
}

// nextToChange cuts unchanged text to what is next to a change: its beginning if the text before it changed, its end if the
// text after it did. cut reports whether anything was left out.
func nextToChange(s string, before, after bool) (head, tail string, cut bool) {
	const around = 60
	if len(s) <= 2*around+20 {
		return s, "", false
	}
	if before {
		head = excerpt.Head(s, around)
	}
	if after {
		tail = excerpt.Tail(s, around)
	}
	return head, tail, true
}

// writeEdits marks unchanged, removed and added text. Line breaks are kept behind a bar, so that no text can pass for a
// line of ours.
func (p *page) writeEdits(indent int, edits []diff.Edit) {
	bar := strings.Repeat(" ", indent) + "│ "
	var b strings.Builder
	for i, e := range edits {
		switch e.Op {
		case diff.Remove:
			b.WriteString(p.marked("31", "[-", e.Text, "-]", bar))
		case diff.Insert:
			b.WriteString(p.marked("32", "{+", e.Text, "+}", bar))
		default:
			head, tail, cut := nextToChange(e.Text, i > 0, i+1 < len(edits))
			b.WriteString(indentLines(head, bar))
			if cut {
				b.WriteString("…")
			}
			b.WriteString(indentLines(tail, bar))
		}
	}
	p.writeIndented(0, bar, b.String())
}

// marked colours each line separately, so that no colour spills into our margin.
func (p *page) marked(sgr, open, text, closing, bar string) string {
	text, more := clipBytes(text)
	shown := strings.Split(open+indentLines(text, "\x00")+closing, "\n\x00")
	for i := range shown {
		shown[i] = p.sgr(sgr, shown[i])
	}
	return strings.Join(shown, "\n"+bar) + more
}

// indentLines makes a text Visible but keeps its line breaks, with prefix before each new line.
func indentLines(s, prefix string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, Visible(line))
	}
	return strings.Join(out, "\n"+prefix)
}

// editsHTML is the markup of a changed text.
func editsHTML(b *strings.Builder, edits []diff.Edit) {
	tags := map[diff.Op][2]string{diff.Remove: {"<del>", "</del>"}, diff.Insert: {"<ins>", "</ins>"}}
	b.WriteString("<pre>")
	for _, e := range edits {
		text, more := clipBytes(e.Text)
		b.WriteString(tags[e.Op][0] + string(visibleLinesHTML(text)) + tags[e.Op][1] + more)
	}
	b.WriteString("</pre>")
}

// mdEdits shows a text before and after as a line diff in a code block that code hosts colour.
func mdEdits(edits []diff.Edit) string {
	h := hunk{}
	for i, e := range edits {
		switch e.Op {
		case diff.Remove:
			h.old += e.Text
		case diff.Insert:
			h.new += e.Text
		default:
			head, tail, cut := nextToChange(e.Text, i > 0, i+1 < len(edits))
			h.keepLine(head)
			if cut {
				h.keepLine("…")
				h.keepLine(tail)
			}
		}
	}
	h.flush()
	text, longest := untick(strings.Join(h.out, "\n  "))
	fence := strings.Repeat("`", max(3, longest+1))
	return "\n\n  " + fence + "diff\n  " + text + "\n  " + fence
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
