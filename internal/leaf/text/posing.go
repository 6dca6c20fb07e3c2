package text

import (
	"strings"
	"unicode/utf8"
)

// Unposed spells letters that pose as ASCII as the ASCII they pose as.
func Unposed(s string) string {
	if Plain(s) {
		return s
	}
	var b strings.Builder
	for _, w := range strings.SplitAfter(s, " ") {
		if sk, ok := LooksLike(strings.TrimRight(w, " ")); ok && MixedScript(w) {
			b.WriteString(sk)
			b.WriteString(w[len(strings.TrimRight(w, " ")):])
			continue
		}
		b.WriteString(w)
	}
	return b.String()
}

// MixedScript reports whether a word of ASCII letters holds letters of another script
// that pose as ASCII.
func MixedScript(s string) bool {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf && isLetter(byte(r)) {
			ascii++
		} else if r >= utf8.RuneSelf {
			other++
		}
	}
	return ascii >= 2 && other > 0 && other <= ascii*2
}
