package vet

import (
	"cmp"
	"strings"
)

// Compare orders versions of npm (SemVer), Go and Python (PEP 440) by releases and pre-releases: part by part, numbers by value,
// and a word such as "rc" before its release. Build metadata after "+" is ignored.
func Compare(a, b string) int {
	x, y := parts(a), parts(b)
	for i := range max(len(x), len(y)) {
		if c := comparePart(partAt(x, i), partAt(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

// A part of a version is a number or a word; the end of a version is neither.
type part struct {
	number string // without leading zeros; "" for 0
	word   string
	end    bool
}

func partAt(ps []part, i int) part {
	if i < len(ps) {
		return ps[i]
	}
	return part{end: true}
}

// maxParts bounds the work on a stranger's version.
const maxParts = 64

func parts(v string) []part {
	v, _, _ = strings.Cut(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(v)), "v"), "+")
	var out []part
	worded := false
	for len(v) > 0 && len(out) < maxParts {
		n := 0
		switch {
		case isDigit(v[0]):
			for n < len(v) && isDigit(v[n]) {
				n++
			}
			out = append(out, part{number: strings.TrimLeft(v[:n], "0")})
		case isLetter(v[0]):
			for n < len(v) && isLetter(v[n]) {
				n++
			}
			if word := (part{word: v[:n]}); !worded && word.rank() < 1 { // 1.0rc1 and 1.0.0-rc.1 precede the same release
				for len(out) > 1 && out[len(out)-1] == (part{}) {
					out = out[:len(out)-1]
				}
			}
			worded = true
			out = append(out, part{word: v[:n]})
		default:
			n = 1
		}
		v = v[n:]
	}
	return out
}

func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }

// rank orders kinds of parts: pre-release words, the end and zero, post-release words, numbers.
func (p part) rank() int {
	switch {
	case p.word == "post" || p.word == "rev" || p.word == "r":
		return 2
	case p.word == "dev":
		return -1
	case p.word != "":
		return 0
	case p.end || p.number == "":
		return 1
	}
	return 3
}

func comparePart(a, b part) int {
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 || a.end || b.end {
		return c
	}
	return cmp.Or(cmp.Compare(len(a.number), len(b.number)), cmp.Compare(a.number, b.number), cmp.Compare(a.word, b.word))
}
