// Package excerpt shortens strangers' texts for messages and evidence. Every length is in
// bytes, and no character is cut in two.
package excerpt

import (
	"strconv"
	"unicode/utf8"
)

// Head returns the longest beginning of s that has at most n bytes of whole characters.
// Bytes that are not UTF-8 count as characters of their own.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(0, n)
	// A character has at most UTFMax bytes: a longer run of continuation bytes belongs to none.
	for end := n; end < len(s) && end >= max(0, n-utf8.UTFMax+1); end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:min(n, len(s))]
}

// Tail returns the longest end of s that has at most n bytes of whole characters.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	start := len(s) - max(0, n)
	for at := start; at < start+utf8.UTFMax; at++ {
		if at == len(s) || utf8.RuneStart(s[at]) {
			return s[at:]
		}
	}
	return s[start:]
}

// Clip returns s, or its [Head] and an ellipsis behind it where s has more than n bytes.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// Quote returns Clip(s, n) as a Go string literal: characters that cannot be seen are escapes.
func Quote(s string, n int) string { return strconv.Quote(Clip(s, n)) }
