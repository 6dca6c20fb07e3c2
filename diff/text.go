package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"gauntlet/rawjson"
)

// An Edit is a part of a text that was kept, removed or added. The edits of a text without the
// added ones are the old text, without the removed ones the new one.
type Edit struct {
	Op   Op     `json:"op"`
	Text string `json:"text"`
}

// An Op says what happened to a part of a text.
type Op string

// The operations.
const (
	Keep   Op = "keep"
	Remove Op = "remove"
	Insert Op = "add"
)

// editTexts compares two texts word by word. Its time is linear in the texts: beyond some
// hundred edits the search ends, and what lies between is one piece that went and one that
// came.
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

// slid moves what only came or only went as far back as it fits: a sentence behind another
// is then read as one, and not as the full stop of the first and most of the second.
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

// joinEdits makes one of changes between which nothing but white space and the like stayed:
// a sentence that was written anew is not to be read as ten.
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

// slight reports whether what stayed is a few tokens without a word of some length.
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

// tokens cuts a text into words, runs of white space and single characters. A character
// that nobody sees stands alone, and so does one of a script that has no spaces.
func tokens(s string) []string {
	out := make([]string, 0, len(s)/3+1) // words and the blanks between them
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
	case r < utf8.RuneSelf: // fast, for most of most texts
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
