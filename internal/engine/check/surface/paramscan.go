package surface

import "strings"

// A scanner reads the bytes of a description. steps counts them, including repetitions: a test limits it to a multiple of the length.
type scanner struct {
	s     string
	steps int
}

// identEnd returns the end of the identifier at s[i:], i if there is none. Identifiers may have dots, hyphens and
// indexes: filter.name, resource-group, items[].
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

// skip returns the offset of the first byte in s[i:end] that is not in set.
func (d *scanner) skip(i, end int, set string) int {
	for i < end && strings.IndexByte(set, d.s[i]) >= 0 {
		d.steps++
		i++
	}
	return i
}

// closing returns the offset after the bracket that closes the one at s[i], 0 if none does.
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
