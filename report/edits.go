package report

import (
	"fmt"
	"html/template"
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
// text after it did.
func nextToChange(s string, before, after bool) string {
	const around = 60
	if len(s) <= 2*around+20 {
		return s
	}
	head, tail := "", ""
	if before {
		head = excerpt.Head(s, around)
	}
	if after {
		tail = excerpt.Tail(s, around)
	}
	return head + "…" + tail
}

// editsText marks removed and added text as [-so-] and {+so+}, each line in colours if p paints. Line breaks are kept, with
// bar before each new line, so that no text can pass for a line of ours.
func editsText(p palette, edits []diff.Edit, bar string) string {
	var b strings.Builder
	for i, e := range edits {
		text, more := clipBytes(e.Text)
		var look tone
		switch e.Op {
		case diff.Remove:
			text, look = "[-"+text+"-]", "high"
		case diff.Insert:
			text, look = "{+"+text+"+}", toneGood
		default:
			text, more = nextToChange(e.Text, i > 0, i+1 < len(edits)), ""
		}
		lines := strings.Split(text, "\n")
		for n := range lines {
			lines[n] = p.paint(look, Visible(lines[n]))
		}
		b.WriteString(strings.Join(lines, "\n"+bar) + more)
	}
	return b.String()
}

// editsHTML is the markup of a changed text.
func editsHTML(edits []diff.Edit) (out template.HTML) {
	tags := map[diff.Op][2]template.HTML{diff.Remove: {"<del>", "</del>"}, diff.Insert: {"<ins>", "</ins>"}}
	for _, e := range edits {
		text, more := clipBytes(e.Text)
		out += tags[e.Op][0] + visibleLinesHTML(text) + tags[e.Op][1] + template.HTML(more)
	}
	return out
}

// mdEdits shows a changed text in a code block, which it cannot end.
func mdEdits(edits []diff.Edit) string {
	text, longest := untick(editsText(false, edits, "  "))
	fence := strings.Repeat("`", max(3, longest+1))
	return "\n\n  " + fence + "\n  " + text + "\n  " + fence
}
