package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
)

// An excerptRow is one line of an excerpt, Visible and clipped. Columns [from, to) are underlined; a row about the excerpt itself has none.
type excerptRow struct {
	text     string
	from, to int
}

// maxRows is the number of lines of offending text that are shown.
const maxRows = 3

// contextColumns is the number of columns shown on each side of the evidence.
const contextColumns = 36

// maxFolded is the number of rows that one line of offending text may take before its middle is left out.
const maxFolded = 12

// excerptRows shows the offending text and its surroundings on the line within n columns. A line break in it is shown as
// an escape and ends the row, so that no server can write a line of its own. Long lines continue in up to folded rows.
func excerptRows(e finding.Evidence, n, folded int) []excerptRow {
	if e.Raw == "" {
		return nil
	}
	before := textBefore(e, min(contextColumns, n/3))
	lines := strings.SplitAfter(e.Raw, "\n")
	if n := len(lines) - 1; lines[n] == "" {
		lines = lines[:n]
	}
	var rows []excerptRow
	for i, l := range lines {
		if i == maxRows && len(lines) > maxRows+1 {
			return append(rows, excerptRow{text: fmt.Sprintf("… %s more lines", groupDigits(len(lines)-maxRows))})
		}
		for _, text := range fold(Visible(l), n-columns(before), n, folded) {
			rows = append(rows, excerptRow{before + text, columns(before), columns(before) + columns(text)})
			before = ""
		}
	}
	last := &rows[len(rows)-1]
	last.text += textAfter(e, min(contextColumns, n-last.to))
	return rows
}

// fold splits a text into rows, the first of first columns, the others of n. It breaks after a space if there is one in
// the second half of a row. The last of folded rows omits the middle of what does not fit.
func fold(s string, first, n, folded int) (rows []string) {
	for room := first; len(rows) < folded-1; room = n {
		head := clipHead(s, room)
		if len(head) == len(s) {
			break
		}
		if at := strings.LastIndexByte(head, ' ') + 1; at > len(head)/2 {
			head = head[:at]
		}
		if head == "" {
			break // no character fits
		}
		rows, s = append(rows, head), s[len(head):]
	}
	if len(rows) > 0 {
		first = n
	}
	return append(rows, clipText(s, first))
}

// textBefore returns the text before the evidence on its line, at most n columns.
func textBefore(e finding.Evidence, n int) string {
	text := e.Before[strings.LastIndexByte(e.Before, '\n')+1:]
	shown := Visible(text)
	cut := len(text) < len(e.Before) || e.Start > len(e.Before)
	for over := columns(shown) - (n - 1); over > 0; {
		r, size := utf8.DecodeRuneInString(shown)
		over -= runeColumns(r)
		shown, cut = shown[size:], true
	}
	if cut || e.Start > 0 && shown == "" {
		return "…" + shown
	}
	return shown
}

// textAfter returns the text after the evidence on its line, at most n columns.
func textAfter(e finding.Evidence, n int) string {
	text, _, more := strings.Cut(e.After, "\n")
	shown := Visible(text)
	if n < 2 {
		return ""
	}
	if h := clipHead(shown, n-1); len(h) < len(shown) {
		return h + "…"
	}
	if more && columns(shown) < n {
		return shown + "…"
	}
	return shown
}

func underline(n int) string { return "^" + strings.Repeat("~", n-1) }

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
