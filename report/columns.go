package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = " … "

// columns returns how many terminal columns s takes, which must have been made Visible:
// two for a wide character of East Asia and most emoji, none for a combining mark.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// clipText shortens s to at most n columns. It keeps the head and, shorter, the tail: what
// was appended to an honest text is as telling as how it begins.
func clipText(s string, n int) string {
	if len(s) <= n || len(clipHead(s, n)) == len(s) {
		return s
	}
	room := n - columns(ellipsis)
	last := tail(s, room/3)
	return clipHead(s, room-columns(last)) + ellipsis + last
}

// marks is how many characters per column head and tail let through, so that a pile of
// combining marks, which take no column, does not get round the clipping.
const marks = 4

// clipHead returns the longest prefix of s that fits n columns.
func clipHead(s string, n int) string {
	taken, runes := 0, 0
	for i, r := range s {
		taken += runeColumns(r)
		runes++
		if taken > n || runes > marks*n {
			return s[:i]
		}
	}
	return s
}

// tail returns the longest suffix of s that fits n columns.
func tail(s string, n int) string {
	taken, runes, i := 0, 0, len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		taken += runeColumns(r)
		runes++
		if taken > n || runes > marks*n {
			break
		}
		i -= size
	}
	return s[i:]
}

// wrap breaks s at spaces into lines of at most n columns, and a longer word wherever it
// must: a terminal would go on in its first column, where our own words stand. It
// returns at least one line.
func wrap(s string, n int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Split(s, " ") {
		if line != "" && columns(word) > n {
			lines = append(lines, line)
			line, used = "", 0
		}
		for part := clipHead(word, n); part != "" && len(part) < len(word); part = clipHead(word, n) {
			lines = append(lines, part)
			word = word[len(part):]
		}
		w := columns(word)
		if line != "" && used+1+w > n {
			lines = append(lines, strings.TrimRight(line, " "))
			line, used = "", 0
		}
		if line != "" {
			line += " "
			used++
		}
		line += word
		used += w
	}
	return append(lines, line)
}
