package report

import (
	"bufio"
	"fmt"
	"strings"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
)

var _ = diffFormats.register("json", "for programs, as in docs/schemas/diff.schema.json", writeDiffJSON)

// writeDiffJSON writes the format of docs/schemas/diff.schema.json.
func writeDiffJSON(w *bufio.Writer, d *diff.Diff, _ Options) error {
	return WriteJSON(w, d)
}

func itemName(it *diff.Item) string {
	kind := strings.ReplaceAll(string(it.Kind), "_", " ")
	switch {
	case it.Kind == finding.Server:
		return "the server's own words"
	case it.Name == "":
		return kind + " without a name"
	}
	return kind + " " + Visible(it.Name)
}

// diffSum returns the closing summary line.
func diffSum(d *diff.Diff) string {
	s := fmt.Sprintf("%d changed, %d removed, %d added, %d the same.", d.Summary.Changed, d.Summary.Removed, d.Summary.Added, d.Summary.Same)
	if !d.Summary.Complete {
		s += " The comparison is incomplete."
	}
	return s
}

// most is the number of bytes shown of one text or value; JSON has all of it.
const most = 4_000

func clipped(s string) string {
	if len(s) <= most {
		return Visible(s)
	}
	head := excerpt.Head(s, most)
	return Visible(head) + fmt.Sprintf(" … and %d bytes more, which --format json shows", len(s)-len(head))
}

// beside cuts unchanged text to what is next to a change: its beginning if the text before it changed, its end if the
// text after it did. cut reports whether anything was left out.
func beside(s string, before, after bool) (head, tail string, cut bool) {
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

// indentLines makes a text Visible but keeps its line breaks, with prefix before each new line.
func indentLines(s, prefix string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, Visible(line))
	}
	return strings.Join(out, "\n"+prefix)
}

// sides returns the values of a change as "a → b", or the only one there is.
func sides(old, new string) string {
	switch {
	case old == "":
		return clipped(new)
	case new == "":
		return clipped(old)
	}
	return clipped(old) + " → " + clipped(new)
}
