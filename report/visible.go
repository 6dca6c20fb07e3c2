package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// Visible returns s in a form that is safe to show and hides nothing: characters that control a terminal or are
// invisible become <U+XXXX>, an ill-formed byte U+FFFD. Escaped are C0 and C1 controls, DEL, newline and tab, bidi
// controls, zero-width and tag characters, variation selectors, fillers, line and paragraph separators, spaces other
// than the plain and the ideographic one, private use and unassigned code points. Visible(Visible(s)) is Visible(s).
//
// A server can write the text <U+200B> itself. That only claims a hidden character where there is none.
func Visible(s string) string {
	i := firstHidden(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 32)
	b.WriteString(s[:i])
	for _, r := range s[i:] { // an ill-formed byte ranges as U+FFFD
		if rawjson.Hidden(r) {
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
		if rawjson.Hidden(r) || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}
