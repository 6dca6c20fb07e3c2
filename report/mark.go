package report

import (
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
)

// around is how many bytes of a line are looked at on either side of a mark.
const around = 1000

// Excerpt shows line[from:to] (bytes) within width columns, with what stands around it on
// the line, and a row of marks below it. All of it is Visible. Of an empty
// part the character behind it is marked, or the end of the line.
func Excerpt(line string, from, to, width int) []string {
	from = min(max(from, 0), len(line))
	to = min(max(to, from), len(line))
	if to == from && from < len(line) {
		_, size := utf8.DecodeRuneInString(line[from:])
		to = from + size
	}
	// What cannot be shown anyway is cut off first: a line may have a megabyte.
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
