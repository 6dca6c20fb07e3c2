package surface

import "strings"

// A scanner looks at the bytes of a description. steps counts them, with repetition: a
// test holds it to a multiple of the length.
type scanner struct {
	s     string
	steps int
}

// identEnd returns the end of the identifier that begins at s[i:], i if there is none.
// Identifiers may be dotted, hyphenated and indexed: filter.name, resource-group, items[].
func (d *scanner) identEnd(i int) int {
	s := d.s
	if i >= len(s) || !letter(s[i]) && s[i] != '_' && s[i] != '$' {
		return i
	}
	e := i + 1
	for e < len(s) {
		d.steps++
		switch c := s[e]; {
		case letter(c) || '0' <= c && c <= '9' || c == '_' || c == '$':
		case (c == '.' || c == '-') && e+1 < len(s) && letter(s[e+1]):
		case c == '[' && e+1 < len(s) && s[e+1] == ']':
			e++
		default:
			return e
		}
		e++
	}
	return e
}

// skip returns the first place in s[i:end] with a byte that is not in set.
func (d *scanner) skip(i, end int, set string) int {
	for i < end && strings.IndexByte(set, d.s[i]) >= 0 {
		d.steps++
		i++
	}
	return i
}

// closing returns the place behind the bracket that closes the one at s[i], 0 if none does.
func (d *scanner) closing(i, end int) int {
	depth := 0
	for ; i < end; i++ {
		d.steps++
		switch d.s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
