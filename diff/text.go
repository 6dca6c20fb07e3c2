package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"gauntlet/rawjson"
)

// An Edit is a stretch of text that was kept, removed or added. Edits without additions give the old text, without removals the new one.
type Edit struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// An Op is the kind of an Edit.
type Op string

// The operations.
const (
	Keep   Op = "keep"
	Remove Op = "remove"
	Insert Op = "add"
)

// editTexts compares two texts word by word in linear time: after some hundred edits the search ends, and the rest
// becomes one removal and one addition.
func editTexts(old, new string) []Edit {
	a, b := tokens(old), tokens(new)
	var out []Edit
	add := func(op Op, some []string) {
		if len(some) == 0 {
			return
		}
		out = append(out, Edit{op, strings.Join(some, "")})
	}
	at := 0
	for _, d := range joinEdits(slid(lcs.DiffLines(a, b), a, b), a) {
		add(Keep, a[at:d.Start])
		add(Remove, a[d.Start:d.End])
		add(Insert, b[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	add(Keep, a[at:])
	return out
}

// slid moves pure insertions and deletions as far back as they fit, so that an added sentence shows as one, not as the
// previous full stop and most of the sentence.
func slid(ds []lcs.Diff, a, b []string) []lcs.Diff {
	for i := range ds {
		d := &ds[i]
		endA, endB := len(a), len(b)
		if i+1 < len(ds) {
			endA, endB = ds[i+1].Start, ds[i+1].ReplStart
		}
		for d.Start == d.End && d.ReplEnd < endB && b[d.ReplStart] == b[d.ReplEnd] ||
			d.ReplStart == d.ReplEnd && d.End < endA && a[d.Start] == a[d.End] {
			d.Start, d.End, d.ReplStart, d.ReplEnd = d.Start+1, d.End+1, d.ReplStart+1, d.ReplEnd+1
		}
	}
	return ds
}

// joinEdits merges edits separated by little more than white space: a rewritten sentence should not read as ten edits.
func joinEdits(ds []lcs.Diff, a []string) []lcs.Diff {
	var out []lcs.Diff
	for _, d := range ds {
		if n := len(out); n > 0 {
			last := &out[n-1]
			if slight(a[last.End:d.Start]) {
				last.End, last.ReplEnd = d.End, d.ReplEnd
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// slight reports whether tokens kept between edits are few and have no long word.
func slight(some []string) bool {
	if len(some) > 3 {
		return false
	}
	for _, t := range some {
		if r, _ := utf8.DecodeRuneInString(t); isWordRune(r) && utf8.RuneCountInString(t) > 2 {
			return false
		}
	}
	return true
}

// tokens splits a text into words, runs of white space and single characters. Invisible characters and those of scripts
// without spaces are separate.
func tokens(s string) []string {
	out := make([]string, 0, len(s)/3+1) // words and spaces
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		for class := classOf(r); class != alone && n < len(s); {
			next, size := utf8.DecodeRuneInString(s[n:])
			if classOf(next) != class {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

const (
	alone = iota
	letter
	blank
)

func classOf(r rune) int {
	switch {
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return blank
	case r < utf8.RuneSelf: // fast path
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return letter
		}
		return alone
	case rawjson.Hidden(r):
		return alone
	case isWordRune(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return letter
	}
	return alone
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '_'
}
