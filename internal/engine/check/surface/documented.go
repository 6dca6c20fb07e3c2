package surface

import (
	"slices"
	"strings"
)

// A parameter is a parameter name in a tool's description.
type parameter struct {
	start, end int    // of the name
	kind       string // type in parentheses or braces after or before the name, "" if none
	listed     bool   // in a parameter list; otherwise in a sentence
}

// documented returns the parameters that a description names, in order and with repetitions, in linear time.
func documented(s string) []parameter {
	if !mentionsParameters(s) {
		return nil
	}
	d := &scanner{s: s}
	out := append(listed(d), told(d)...)
	slices.SortStableFunc(out, func(a, b parameter) int { return a.start - b.start })
	return out
}

// mentionsParameters searches for what every way to name a parameter contains: most descriptions have none and cost only this pass.
func mentionsParameters(s string) bool {
	for i := 0; i+3 <= len(s); i++ {
		switch s[i] | 0x20 {
		case 'a':
			// "Args", "arguments", "param", "parameter", "pass … as 'x'"
			if c := s[i+1] | 0x20; c == 'r' && s[i+2]|0x20 == 'g' ||
				c == 'r' && i > 0 && s[i-1]|0x20 == 'p' && s[i+2]|0x20 == 'a' ||
				c == 's' && s[i+2] == ' ' && i+3 < len(s) && quoteMark(s[i+3]) {
				return true
			}
		case 'i':
			if s[i+1]|0x20 == 'n' && hasFoldPrefix(s[i:], "inputs") {
				return true
			}
		case 'o':
			if s[i+1]|0x20 == 'p' && hasFoldPrefix(s[i:], "options:") {
				return true
			}
		}
	}
	return false
}

func quoteMark(c byte) bool { return c == '`' || c == '\'' || c == '"' }

// hasFoldPrefix is strings.HasPrefix for a lower-case ASCII prefix, ignoring case.
func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// A line is a line of a text, s[start:end], without surrounding white space.
type line struct {
	start, end int
	indent     int // in columns, with tab stops every 4
}

func eachLine(s string, yield func(line)) {
	for at := 0; at < len(s); {
		next := len(s)
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		l := line{start: at, end: next}
		for l.start < l.end && (s[l.start] == ' ' || s[l.start] == '\t') {
			if l.indent++; s[l.start] == '\t' {
				l.indent = (l.indent + 3) / 4 * 4
			}
			l.start++
		}
		l.end = l.start + len(strings.TrimRight(s[l.start:l.end], " \t\r\n"))
		yield(l)
		at = next
	}
}
