package report

import (
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
)

// around is the number of bytes considered on either side of a mark.
const around = 1000

// Excerpt shows line[from:to] (bytes) and its surroundings within width columns, with a row of marks below. All of it
// is Visible. For an empty range the next character or the end of the line is marked.
func Excerpt(line string, from, to, width int) []string {
	from = min(max(from, 0), len(line))
	to = min(max(to, from), len(line))
	if to == from && from < len(line) {
		_, size := utf8.DecodeRuneInString(line[from:])
		to = from + size
	}
	// Cut first what cannot be shown: a line may have a megabyte.
	begin, end := max(0, from-around), min(len(line), to+around)
	for begin < from && !utf8.RuneStart(line[begin]) {
		begin++
	}
	raw := line[from:min(to, from+around)]
	e := finding.Evidence{Raw: raw, Before: line[begin:from], After: line[to:end], Start: from, End: to}
	if e.Raw == "" {
		e.Raw = " "
	}
	var out []string
	for _, r := range excerptRows(e, max(width, minWidth), 1) {
		out = append(out, r.text)
		if r.to > r.from {
			out = append(out, strings.Repeat(" ", r.from)+underline(r.to-r.from))
		}
	}
	return out
}
