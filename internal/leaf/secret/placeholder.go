package secret

import (
	"strings"
)

// placeholder reports whether text stands for a secret: it addresses the reader, is truncated, is a template or repeats itself.
func placeholder(text string) bool {
	return standIn().MatchString(text) || longestRun(text) >= 6 || len(text) >= 16 && entropy(text) < 2.2
}

// standIn matches what people write in place of a secret. AWS, Slack, Stripe and Google mark keys in their manuals with EXAMPLE or
// XXXX.
var standIn = lazy(`(?i)your|example|placeholder|change[-_]?me|redacted|insert|replace|dummy|xxxx|\*{3}|\.{3}|…|[<>{}\[\]]|\$[a-z({]|%[sv]|^%|todo|\bmy[-_]|[-_]here\b|some[-_]?(?:api|key|token|secret|pass)`)

// longestRun returns the length of the longest run of one character.
func longestRun(s string) (longest int) {
	n := 0
	for i := range len(s) {
		if n++; i > 0 && s[i] != s[i-1] {
			n = 1
		}
		longest = max(longest, n)
	}
	return longest
}

// prefix matches the fixed part of a vendor's keys: "sk-proj-", "github_pat_".
var prefix = lazy(`^(?:[A-Za-z]{2,10}[-_](?:(?:live|test|prod|proj|svcacct|admin|api\d\d|pat|v1|ant|or)[-_])*|AKIA|ASIA|AIza)`)

// body returns the part of a key that differs from key to key.
func body(text string) string { return text[len(prefix().FindString(text)):] }

// madeUp matches words that random values do not contain.
var madeUp = lazy(`(?i)fake|test|sample|demo|mock|secret|token|api[-_]?key|passw|foobar|qwerty|deadbeef|abc123|123abc`)

// invented reports whether a person typed text to show what a key looks like: words, a sequence ("abcdef", "123456"), two
// interleaved ones ("a1b2c3d4"), a repeated piece.
func invented(text string) bool {
	return madeUp().MatchString(text) || ascends(text) >= 6 || interleaved(text) || periodic(text)
}

// ascends returns the length of the longest run of successive characters.
func ascends(text string) (longest int) {
	n := 0
	for i := range len(text) {
		if n++; i > 0 && !follows(text[i-1], text[i]) {
			n = 1
		}
		longest = max(longest, n)
	}
	return longest
}

// interleaved reports whether most characters succeed the one two places before.
func interleaved(text string) bool {
	n := 0
	for i := 2; i < len(text); i++ {
		if follows(text[i-2], text[i]) {
			n++
		}
	}
	return len(text) >= 8 && 2*n >= len(text)
}

func follows(a, b byte) bool { return lowerByte(b) == lowerByte(a)+1 || a == '9' && b == '0' }

// periodic reports whether text is mostly one piece of up to 20 bytes repeated.
func periodic(text string) bool {
	for p := 1; p <= 20 && p <= len(text)/2; p++ {
		same := 0
		for i := p; i < len(text); i++ {
			if text[i] == text[i-p] {
				same++
			}
		}
		if 10*same >= 9*(len(text)-p) {
			return true
		}
	}
	return false
}

// opaque reports whether text is a UUID or only hexadecimal or decimal digits.
func opaque(text string) bool {
	return strings.Trim(text, "0123456789abcdefABCDEF-") == ""
}
