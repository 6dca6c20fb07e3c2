package text

import "strings"

// minOpaque is from how many characters on a word that is none of a language's, a path's or a key's is a text of its own, and
// minLetters from how many letters on a sentence says by its vowels whether it can be spoken.
const (
	minOpaque  = 100
	minLetters = 60
	mostData   = minOpaque // a blob from there on is data, such as a signature: in what else it may be encoded no model reads fluently
	manySigns  = 14        // of 19 to 23 in alphabets of base85
	mostMute   = 24        // percent of vowels; English has 38, letters at random 23
)

// Opaque returns the first run of s that looks like an encoded text and is in none of read, the runs that were read: a long word
// of all sorts of characters, or sentences that nobody could speak. Whether a model could read it is not known, so that
// nothing can be said of it. ok is false for none.
func Opaque(s string, read []Blob) (start, end int, ok bool) {
	covered := func(from, to int) bool {
		for i := range read {
			if b := &read[i]; (b.Decoded != "" || b.End-b.Start >= mostData) && b.Start < to && from < b.End {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(s); {
		n := runLen(s, i, func(c byte) bool { return c > ' ' && c < 0x7F })
		if n >= minOpaque && !strings.Contains(s[i:i+n], "://") && !strings.Contains(s[i:i+n], "base64,") && jumbled(s[i:i+n]) && !covered(i, i+n) {
			return i, i + n, true
		}
		i += max(n, 1)
	}
	for i := 0; i < len(s); {
		n := len(s) - i
		if stop := strings.IndexAny(s[i:], ".!?\n"); stop >= 0 {
			n = stop + 1
		}
		if unspeakable(s[i:i+n]) && !covered(i, i+n) {
			return i, i + n, true
		}
		i += n
	}
	return 0, 0, false
}

// jumbled reports whether a word mixes its characters as an encoding does: many sorts of signs, as in base85, or a long part of
// letters and digits that changes from small to large to digits at every third of them or more often, which no path, list or
// camel case does. A regular expression, which names its ranges, is neither.
func jumbled(word string) bool {
	for _, r := range [...]string{"a-z", "A-Z", "0-9", `\w`, `\d`, `\s`} {
		if strings.Contains(word, r) {
			return false
		}
	}
	var signs [128]bool
	several := 0
	for _, c := range []byte(word) {
		if !isBase64(c) && !signs[c] {
			signs[c], several = true, several+1
		}
	}
	if several >= manySigns {
		return true
	}
	for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return !isBase64(byte(r)) }) {
		if len(part) >= minOpaque && restless(part) {
			return true
		}
	}
	return false
}

func restless(part string) bool {
	var sorts [4]int
	changes, before := 0, -1
	for _, c := range []byte(part) {
		sort := 3
		switch {
		case c >= 'a' && c <= 'z':
			sort = 0
		case c >= 'A' && c <= 'Z':
			sort = 1
		case c >= '0' && c <= '9':
			sort = 2
		}
		sorts[sort]++
		if sort != before {
			changes++
		}
		before = sort
	}
	return min(sorts[0], sorts[1], sorts[2])*16 >= len(part) && changes*3 >= len(part)
}

// unspeakable reports whether the words in small letters of a sentence have too few vowels for any language that is
// written in them. Others are abbreviations, names and constants.
func unspeakable(sentence string) bool {
	letters, vowels, words, others := 0, 0, 0, 0
	for i := 0; i < len(sentence); {
		n := runLen(sentence, i, isLetter)
		if n == 0 {
			if sentence[i] >= 0x80 {
				return false
			}
			i++
			continue
		}
		word := sentence[i : i+n]
		// "pdf/docx/csv/txt" names formats.
		listed := n <= 5 && (i > 0 && sentence[i-1] == '/' || i+n < len(sentence) && sentence[i+n] == '/')
		sounds, spoken := vowelsOf(word)
		if i += n; n < 3 || listed || !spoken {
			others += n
			continue
		}
		words++
		letters += n
		vowels += sounds
	}
	return words >= 8 && letters >= minLetters && letters > 2*others && vowels*100 < letters*mostMute
}

// vowelsOf counts the vowels of a word. spoken is false for one with a capital inside ("getURL") or with a letter three times in a
// row ("xxxx").
func vowelsOf(word string) (n int, spoken bool) {
	for i, c := range []byte(word) {
		switch lower(c) {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			n++
		}
		if i > 0 && c < 'a' || i > 1 && c == word[i-1] && c == word[i-2] {
			return n, false
		}
	}
	return n, true
}
