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

// writeDiffJSON writes the form that docs/schemas/diff.schema.json describes.
func writeDiffJSON(w *bufio.Writer, d *diff.Diff, _ Options) error {
	return WriteJSON(w, d)
}

// itemName is what a reader calls an item.
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

// diffSum is the last line.
func diffSum(d *diff.Diff) string {
	s := fmt.Sprintf("%d changed, %d removed, %d added, %d the same.", d.Summary.Changed, d.Summary.Removed, d.Summary.Added, d.Summary.Same)
	if !d.Summary.Complete {
		s += " The comparison is incomplete."
	}
	return s
}

// most is how much of one text or value a person is shown, in bytes; json has all of it.
const most = 4_000

func clipped(s string) string {
	if len(s) <= most {
		return Visible(s)
	}
	head := excerpt.Head(s, most)
	return Visible(head) + fmt.Sprintf(" … and %d bytes more, which --format json shows", len(s)-len(head))
}

// beside cuts a text that stayed to what stands beside a change: its beginning where
// something before it changed, its end where something behind it did. cut tells that
// something between, before or behind was left out.
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

// indentLines makes a text visible and keeps its lines, each new one behind prefix.
func indentLines(s, prefix string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, Visible(line))
	}
	return strings.Join(out, "\n"+prefix)
}

// sides are the values of a change as one text: "a → b", or the one there is.
func sides(old, new string) string {
	switch {
	case old == "":
		return clipped(new)
	case new == "":
		return clipped(old)
	}
	return clipped(old) + " → " + clipped(new)
}
