package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Mark is a run of characters that a reader of the string does not see, or that change
// how the rest is shown. Start and End are byte offsets into the string.
type Mark struct {
	Kind       MarkKind
	Start, End int
	Decoded    string // text carried by the characters themselves: tags, variation selectors, terminal titles
}

// A MarkKind says what sort of invisible character a Mark holds.
type MarkKind string

// The kinds of mark.
const (
	ZeroWidth MarkKind = "zero-width character"
	Bidi      MarkKind = "bidirectional control"
	Tag       MarkKind = "tag character"
	Selector  MarkKind = "variation selector"
	Private   MarkKind = "private-use character"
	Control   MarkKind = "control character"
	Homoglyph MarkKind = "look-alike letter"
)

func isTag(r rune) bool      { return r >= 0xE0000 && r <= 0xE007F }
func isSelector(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }
func isBidi(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
func isPrivate(r rune) bool {
	return r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r <= 0x10FFFD
}
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0x7F && r <= 0x9F && r != 0x85
}

// isZeroWidth holds for code points that take no room and are not in another class here:
// Unicode's Default_Ignorable_Code_Point, plus the blank Braille pattern and the Hangul
// fillers, which show as nothing.
func isZeroWidth(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200D, r >= 0x2060 && r <= 0x2064,
		r >= 0x206A && r <= 0x206F, r == 0x2800, r == 0x3164, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A,
		r >= 0xE0080 && r <= 0xE00FF, r >= 0xE01F0 && r <= 0xE0FFF:
		return true
	}
	return false
}

// kindOf classifies an invisible character; ok is false for an ordinary one.
func kindOf(r rune) (kind MarkKind, ok bool) {
	switch {
	case isControl(r):
		return Control, true
	case r < 0xAD:
		return "", false
	case isTag(r):
		return Tag, true
	case isSelector(r):
		return Selector, true
	case isBidi(r):
		return Bidi, true
	case isPrivate(r):
		return Private, true
	case isZeroWidth(r):
		return ZeroWidth, true
	}
	return "", false
}

// Joining scripts write with U+200C and U+200D; languages without spaces between words
// use U+200B as a place to break lines.
var (
	joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese}
	spaceless   = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}
	rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko}
)

// pictographic approximates Unicode's Extended_Pictographic: symbols that take a
// variation selector or are joined into emoji sequences.
func pictographic(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FBFF || r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x27BF ||
		r >= 0x2900 && r <= 0x297F || r >= 0x2B00 && r <= 0x2BFF || r == 0x00A9 || r == 0x00AE ||
		r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299
}

// Marks returns the invisible and display-changing characters of s that no honest
// writing system asks for, neighbours of one kind joined. Emoji sequences, joiners of
// Indic and Arabic scripts, line-break hints of Thai and Khmer, direction marks inside
// right-to-left text, soft hyphens where a long word may be divided, a few icons of private use that stand alone, and a byte
// order mark at the very start are no marks.
func Marks(s string) []Mark {
	var marks []Mark
	rtl := -1 // unknown
	icons := 0
	prev, prevKept := rune(-1), rune(-1)
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		kind, hidden := kindOf(r)
		if hidden && r == 0xFEFF && i == 0 {
			hidden = false
		}
		if hidden {
			next, _ := utf8.DecodeRuneInString(s[i+size:])
			switch {
			case kind == ZeroWidth && (r == 0x200C || r == 0x200D):
				hidden = !joinerBelongs(prev, prevKept, next)
			case r == 0x200B:
				hidden = !unicode.In(prevKept, spaceless...) && !unicode.In(next, spaceless...)
			case r == 0x00AD:
				hidden = !divides(s[:i], s[i+size:])
			case kind == Private && icons < mostIcons && r < 0x100000 && !isPrivate(prev) && !isPrivate(next) && standsAlone(prev) && standsAlone(next):
				icons++
				hidden = false
			case r >= 0x180B && r <= 0x180F:
				hidden = !unicode.Is(unicode.Mongolian, prevKept)
			case kind == Selector:
				// Two in a row belong to nothing, and the first carries text too.
				hidden = isSelector(prev) || isSelector(next) || !selectorBelongs(prevKept, r)
			case kind == Bidi && r != 0x202D && r != 0x202E: // overrides are never needed
				if rtl < 0 {
					rtl = 0
					if hasRightToLeft(s) {
						rtl = 1
					}
				}
				hidden = rtl == 0
			case kind == Tag:
				if n := flagSequence(s[i:], prevKept); n > 0 {
					prev, i = 0xE007F, i+n
					continue
				}
			case kind == Control && r == 0x1B:
				size = len(ansi(s[i:]))
			}
		}
		if hidden {
			if n := len(marks); n > 0 && marks[n-1].Kind == kind && marks[n-1].End == i {
				marks[n-1].End = i + size
			} else {
				marks = append(marks, Mark{Kind: kind, Start: i, End: i + size})
			}
		} else if kind == "" && (r < utf8.RuneSelf || !unicode.Is(unicode.Inherited, r)) {
			prevKept = r // vowel signs and accents leave the letter under them
		}
		prev = r
		i += size
	}
	for i := range marks {
		marks[i].Decoded = decodeMark(marks[i].Kind, s[marks[i].Start:marks[i].End])
	}
	return append(marks, lookAlikes(s)...)
}

// The bounds on what an honest text has of such characters: icons of a font in a text, and letters of a word that may be divided
// and of each of its parts.
const (
	mostIcons   = 8
	longestPart = 40
	longWord    = 10
	shortPart   = 3
)

// standsAlone reports whether what is beside an icon leaves it alone: nothing, white space or a bracket.
func standsAlone(r rune) bool {
	return r < 0 || r == utf8.RuneError || unicode.IsSpace(r) || unicode.In(r, unicode.Ps, unicode.Pe)
}

// divides reports whether a soft hyphen stands where a typesetter may divide a word: a long one, between parts of three letters or
// more.
func divides(before, after string) bool {
	letters := func(next func() (rune, int), skip func(int)) (part, all int) {
		for all < longestPart {
			r, size := next()
			if r == 0x00AD && part == 0 && all > 0 {
				part = all
			} else if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) {
				break
			} else {
				all++
			}
			skip(size)
		}
		if part == 0 {
			part = all
		}
		return part, all
	}
	part, all := letters(func() (rune, int) { return utf8.DecodeLastRuneInString(before) }, func(n int) { before = before[:len(before)-n] })
	next, more := letters(func() (rune, int) { return utf8.DecodeRuneInString(after) }, func(n int) { after = after[n:] })
	return part >= shortPart && next >= shortPart && all+more >= longWord
}

// lookAlikes marks ASCII words in which letters of Cyrillic, Armenian, Cherokee or Lisu
// stand for the ASCII letters they look like. Greek is left out: units and formulas mix
// it with Latin.
func lookAlikes(s string) []Mark {
	var marks []Mark
	for i := 0; i < len(s); {
		start, ascii, posing, ok := i, 0, 0, true
		for i < len(s) {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r < utf8.RuneSelf {
				if !isLetter(byte(r)) {
					break
				}
				ascii++
			} else if !unicode.IsLetter(r) {
				break
			} else if _, known := confusables[unicode.ToLower(r)]; known && unicode.In(r, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee, unicode.Lisu) {
				posing++
			} else {
				ok = false
			}
			i += size
		}
		if ok && posing > 0 && ascii >= 2 {
			marks = append(marks, Mark{Kind: Homoglyph, Start: start, End: i})
		}
		if i == start {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		}
	}
	return marks
}

func joinerBelongs(prev, prevKept, next rune) bool {
	if unicode.In(prevKept, joining...) && !isZeroWidth(prev) {
		return true
	}
	emoji := pictographic(prevKept) || prevKept >= 0x1F3FB && prevKept <= 0x1F3FF
	return emoji && pictographic(next)
}

// selectorBelongs reports whether a variation selector can follow r: behind an emoji or
// symbol, a keycap, a Mongolian or Myanmar letter one of the first sixteen; behind an
// ideograph any.
func selectorBelongs(r, selector rune) bool {
	if selector >= 0xE0100 {
		return unicode.Is(unicode.Han, r)
	}
	return pictographic(r) || r >= '0' && r <= '9' || r == '#' || r == '*' ||
		unicode.Is(unicode.Han, r) || unicode.Is(unicode.Mongolian, r) || unicode.Is(unicode.Myanmar, r) ||
		unicode.Is(unicode.Sm, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}

func hasRightToLeft(s string) bool {
	for _, r := range s {
		if r >= 0x0590 && unicode.In(r, rightToLeft...) {
			return true
		}
	}
	return false
}

// flagSequence returns the length of the tag characters that complete one of the three
// subdivision flags recommended for interchange (England, Scotland, Wales), 0 if s is not
// one: any other sequence shows a black flag and carries text.
func flagSequence(s string, before rune) int {
	if before != 0x1F3F4 {
		return 0
	}
	for _, flag := range []string{"gbeng", "gbsct", "gbwls"} {
		var tags []byte
		for _, c := range []byte(flag) {
			tags = utf8.AppendRune(tags, 0xE0000+rune(c))
		}
		tags = utf8.AppendRune(tags, 0xE007F)
		if strings.HasPrefix(s, string(tags)) {
			return len(tags)
		}
	}
	return 0
}

// ansi returns the terminal escape sequence that s begins with (ECMA-48 CSI and OSC, or
// the escape character with what follows it).
func ansi(s string) string {
	if len(s) < 2 {
		return s
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7E {
				return s[:i+1]
			}
			if s[i] < 0x20 || s[i] > 0x3F {
				return s[:i]
			}
		}
		return s[:2]
	case ']':
		for i := 2; i < len(s) && i < 2048; i++ {
			if s[i] == 7 {
				return s[:i+1]
			}
			if s[i] == 0x1B && i+1 < len(s) && s[i+1] == '\\' {
				return s[:i+2]
			}
			if s[i] < 0x20 {
				break // not even a title has controls; a row of openings would take long
			}
		}
		return s[:2]
	}
	return s[:1]
}

// decodeMark returns the text that characters carry by their code point: ASCII in tag
// characters, bytes in variation selectors. A terminal swallows the text of an OSC
// sequence (a title, a link), but a model reads it.
func decodeMark(kind MarkKind, run string) string {
	if kind == Control {
		return oscText(run)
	}
	var b []byte
	for _, r := range run {
		switch {
		case kind == Tag && r >= 0xE0020 && r <= 0xE007E:
			b = append(b, byte(r-0xE0000))
		case kind == Selector && r >= 0xFE00 && r <= 0xFE0F:
			b = append(b, byte(r-0xFE00))
		case kind == Selector && r >= 0xE0100 && r <= 0xE01EF:
			b = append(b, byte(r-0xE0100+16))
		}
	}
	if !printable(b) {
		return ""
	}
	return string(b)
}

func oscText(run string) string {
	var b strings.Builder
	for {
		_, after, ok := strings.Cut(run, "\x1b]")
		if !ok {
			return b.String()
		}
		n := strings.IndexFunc(after, func(r rune) bool { return r < 0x20 })
		if n < 0 {
			n = len(after)
		}
		if b.Len() > 0 && n > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(after[:n])
		run = after[n:]
	}
}

// printable reports whether b is text a person could read: UTF-8, hardly any controls.
func printable(b []byte) bool {
	if len(b) == 0 || !utf8.Valid(b) {
		return false
	}
	odd := 0
	for _, r := range string(b) {
		if r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r == 0x7F || !unicode.IsGraphic(r) && r >= 0x80 {
			odd++
		}
	}
	return odd*20 <= len(b)
}
