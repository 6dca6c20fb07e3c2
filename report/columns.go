package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = " … "

// columns returns the number of terminal columns of s, which must be Visible except for colours: two for East Asian wide characters and
// most emoji, none for combining marks.
func columns(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if colour := colourLength(s[i:]); colour > 0 {
			i += colour
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeColumns(r)
		i += size
	}
	return n
}

// colourLength returns the length in bytes of the colour sequence of ours that s begins with, 0 for none. It takes no column.
func colourLength(s string) int {
	rest, ok := strings.CutPrefix(s, "\x1b[")
	if !ok {
		return 0
	}
	end := strings.IndexByte(rest, 'm')
	if end < 0 || strings.Trim(rest[:end], ";0123456789") != "" {
		return 0
	}
	return len("\x1b[") + end + 1
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

// clipText shortens s to at most n columns. It keeps the head and a shorter tail: text appended to an honest
// description tells as much as its beginning.
func clipText(s string, n int) string {
	if len(s) <= n || len(clipHead(s, n)) == len(s) {
		return s
	}
	room := n - columns(ellipsis)
	last := tail(s, room/3)
	return clipHead(s, room-columns(last)) + ellipsis + last
}

// marks is the number of characters per column that head and tail accept, so that a pile of zero-width combining marks
// cannot evade clipping.
const marks = 4

// clipHead returns the longest prefix of s that fits n columns.
func clipHead(s string, n int) string {
	taken, runes := 0, 0
	for i := 0; i < len(s); {
		if colour := colourLength(s[i:]); colour > 0 {
			i += colour
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		taken += runeColumns(r)
		runes++
		if taken > n || runes > marks*n {
			return s[:i]
		}
		i += size
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

// Wrap breaks s, which must be Visible except for colours, at spaces into lines of at most n columns, and splits longer words: a
// terminal would continue them in the first column, where only our own words may begin. It returns at least one line.
func Wrap(s string, n int) []string { return wrap(s, n, n) }

// wrap is Wrap with another width of the first line.
func wrap(s string, first, n int) []string {
	var lines []string
	line, used, room := "", 0, first
	end := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, used, room = "", 0, n
	}
	for _, word := range strings.Split(s, " ") {
		if line != "" && columns(word) > room {
			end()
		}
		for part := clipHead(word, room); part != "" && len(part) < len(word); part = clipHead(word, room) {
			lines = append(lines, part)
			word, room = word[len(part):], n
		}
		w := columns(word)
		if line != "" && used+1+w > room {
			end()
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
