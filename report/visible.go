package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s in a form that is safe to show and hides nothing: every character
// that a terminal obeys or that a person cannot see stands as <U+XXXX>, an ill-formed
// byte as U+FFFD. Escaped are C0 and C1 controls, DEL, newline and tab, bidi controls,
// zero-width and tag characters, variation selectors, fillers, line and paragraph
// separators, spaces other than the plain and the ideographic one, private use and
// unassigned code points. Visible(Visible(s)) is Visible(s).
//
// A server can write the text <U+200B> itself. That claims a hidden character
// where there is none, which is no way to hide one.
func Visible(s string) string {
	i := firstHidden(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 32)
	b.WriteString(s[:i])
	for _, r := range s[i:] { // an ill-formed byte ranges as U+FFFD
		if hidden(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// firstHidden returns the offset of the first character that Visible changes, or len(s).
func firstHidden(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7F {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if hidden(r) || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// hidden reports whether r could steer a terminal or be overlooked by a reader.
func hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7F
	case r == '\u3000': // the ordinary space of Chinese and Japanese text
		return false
	case r == '\u2800': // a braille pattern without dots: a symbol by class, blank by looks
		return true
	case !unicode.IsPrint(r):
		return true
	}
	// Letters and marks by class, and yet without a shape of their own: Hangul fillers,
	// the grapheme joiner, variation selectors, which can smuggle a byte each.
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
