// Package excerpt shortens strangers' texts for messages and evidence. Lengths are in bytes, and characters are never split.
package excerpt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Head returns the longest prefix of s with at most n bytes of whole characters. Invalid UTF-8 counts as one character per byte.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(0, n)
	// A character has at most UTFMax bytes: a longer run of continuation bytes is invalid.
	for end := n; end < len(s) && end >= max(0, n-utf8.UTFMax+1); end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:min(n, len(s))]
}

// Tail returns the longest suffix of s with at most n bytes of whole characters.
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

// Clip returns s, or its [Head] and an ellipsis if s has more than n bytes.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Head(s, n) + "…"
}

// Quote returns Clip(s, n) as a Go string literal, with invisible characters escaped.
func Quote(s string, n int) string { return strconv.Quote(Clip(s, n)) }

// Count is a number with its noun, which takes an s from two on.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// List joins names; beyond most they are counted: "a, b and 3 more".
func List(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Numbers returns the numbers of messages as "3, 5".
func Numbers(ns []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(ns), "[]")), ", ")
}
