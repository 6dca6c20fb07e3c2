package classify

import (
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// A token is one term of a string that the lexicon knows, or a place where it knows none.
type token struct {
	start, end int32 // in the string as the server wrote it
	place      int32 // number among the words
	sentence   int16
	clause     int16 // number of clauses before it in the whole string
	set        classes
	flags      tokenFlags
}

type tokenFlags uint8

const (
	foreign    tokenFlags = 1 << iota // of a language whose order of words is not that of English
	identifier                        // reads as a name: readFile, list_files
	sibling                           // names another tool of the server
	opens                             // first word of a sentence
	capital                           // begins with a capital letter
	fused                             // two words without anything between them
	outside                           // in a part that does not describe the tool: examples, parameters, markup
)

// A tokenizer turns strings into tokens. It reuses its memory and serves one goroutine.
type tokenizer struct {
	lex             *lexicon
	out             []token
	lens            *Lens
	excludedClasses classes                // meanings to do without
	isToolName      func(name string) bool // whether a word names another tool; may be nil
	cuts            [][2]int32             // where the words of a name stand
	buf             [64]byte
	next            [64]byte
	sentence        int16
	clause          int16
	place           int32
	opens           bool
	outside         bool
	tag             bool // inside an element such as <IMPORTANT>
}

// wordBytes gives each byte of a word its small form, and 0 to what parts words.
var wordBytes = func() (out [256]byte) {
	for i := range out {
		c := byte(i)
		switch {
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		case isLetter(c) || isDigit(c) || c >= utf8.RuneSelf:
			out[i] = c
		}
	}
	return out
}()

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// nextWord returns the next word of s at or behind i in lower case, "" at the end. An
// apostrophe inside a word is left out; everything else that is no letter or digit parts
// words.
func nextWord(s string, i int, buf []byte) (word []byte, start, end int) {
	for i < len(s) && wordBytes[s[i]] == 0 {
		i++
	}
	start = i
	for ; i < len(s); i++ {
		c := wordBytes[s[i]]
		if c == 0 {
			if s[i] != '\'' || i+1 >= len(s) || !isLetter(s[i+1]) || i == start {
				return buf, start, i
			}
			if s[i+1] == 's' && (i+2 == len(s) || wordBytes[s[i+2]] == 0) {
				return buf, start, i + 2 // the file's
			}
			continue
		}
		if len(buf) < 48 {
			buf = append(buf, c)
		}
	}
	return buf, start, i
}

func isWordByte(c byte) bool { return wordBytes[c] != 0 }

// maxNameWords is how many words of a name are kept whatever they say. Honest names have a handful, and each is held
// against all others; of the words behind them, those are kept that say something new.
const maxNameWords = 32

// tokenizeName reads the name of a tool or parameter as the words it is made of. Every pair of
// neighbours that the lexicon knows as one word is one: git_hub, MySQL.
func (t *tokenizer) tokenizeName(s string) []token {
	t.out, t.place, t.sentence, t.clause = t.out[:0], 0, 0, 0
	raw := s
	if !isASCII(s) {
		s = text.Skeleton(s)
	}
	cuts := t.cuts[:0]
	for i := 0; i < len(s); {
		if !isWordByte(s[i]) {
			i++
			continue
		}
		from := i
		for i++; i < len(s) && isWordByte(s[i]) && !startsPart(s, i); i++ {
		}
		cuts = append(cuts, [2]int32{int32(from), int32(i)})
	}
	t.cuts = cuts
	for i := 0; i < len(cuts); {
		i += t.addNamePart(s, len(s) == len(raw), len(cuts) == 1, cuts[i:])
	}
	t.out = keepNewWords(t.out)
	return t.out
}

// keepNewWords drops words of a long name that say nothing new, so that no number of words in front hides one.
func keepNewWords(ks []token) []token {
	if len(ks) <= maxNameWords {
		return ks
	}
	var said [2][2]classes // by words that may be acts, and that may be objects
	out := ks[:maxNameWords]
	for i, k := range ks[maxNameWords:] {
		act, object := 0, 0
		if k.set.meets(actClasses) {
			act = 1
		}
		if k.set.meets(objectClasses) {
			object = 1
		}
		before := &said[act][object]
		if k.set.without(*before).empty() && maxNameWords+i < len(ks)-1 {
			continue
		}
		*before = before.with(k.set)
		out = append(out, k)
	}
	return out
}

// addNamePart adds the longest term that begins at the first cut and returns how many it takes.
// sure tells that places in s are those of the name, whole that the name is one word.
func (t *tokenizer) addNamePart(s string, sure, whole bool, cuts [][2]int32) int {
	take, set, flags := 1, classes{}, tokenFlags(0)
	word := appendLower(t.buf[:0], s[cuts[0][0]:cuts[0][1]])
	if e := t.lookUp(word); e != nil {
		set = e.set
		if e.foreign {
			flags |= foreign
		}
		for _, p := range e.phrases {
			if len(p.rest) < len(cuts) && t.cutsMatch(s, cuts[1:], p.rest) {
				take, set = 1+len(p.rest), p.set
				break
			}
		}
	}
	if take == 1 && len(cuts) > 1 { // My SQL
		both := appendLower(word, s[cuts[1][0]:cuts[1][1]])
		if e := t.lookUp(both); e != nil && len(both) > 3 {
			take, set = 2, e.set
		}
	}
	if take == 1 && set.empty() {
		if r, _ := utf8.DecodeRuneInString(s[cuts[0][0]:]); isJoinedScript(r) {
			t.addIdeographs(s[cuts[0][0]:cuts[0][1]], int(cuts[0][0]), func(a, b int) (int, int) { return a, b })
			return 1
		}
		if whole {
			set = t.splitJoinedWord(word)
		}
		if !set.empty() {
			flags |= fused
		}
	}
	k := token{start: cuts[0][0], end: cuts[take-1][1], place: t.place, set: set.without(t.excludedClasses), flags: flags}
	if !sure { // invisible characters went, so that places moved
		k.start, k.end = 0, 0
	}
	t.place += int32(take)
	t.out = append(t.out, k)
	return take
}

func (t *tokenizer) cutsMatch(s string, cuts [][2]int32, rest []string) bool {
	for i, r := range rest {
		if int(cuts[i][1]-cuts[i][0]) != len(r) || !strings.EqualFold(s[cuts[i][0]:cuts[i][1]], r) {
			return false
		}
	}
	return true
}

// splitJoinedWord reads two words without anything between them, as in getfile: an act and an object.
func (t *tokenizer) splitJoinedWord(w []byte) classes {
	for i := 3; i+3 <= len(w); i++ {
		a, b := t.lookUp(w[:i]), t.lookUp(w[i:])
		if a != nil && b != nil && a.set.meets(actClasses) && b.set.meets(objectClasses) {
			return a.set.common(actClasses).with(b.set.common(objectClasses))
		}
	}
	return classes{}
}

// startsPart reports whether a new word begins at s[i], inside a run of letters and digits:
// readFile, HTTPFetch, page2.
func startsPart(s string, i int) bool {
	c, before := s[i], s[i-1]
	upper := c >= 'A' && c <= 'Z'
	switch {
	case upper && (before >= 'a' && before <= 'z' || isDigit(before)):
		return true
	case upper && before >= 'A' && before <= 'Z':
		return i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z' && !(s[i+1] == 's' && (i+2 == len(s) || !isLetter(s[i+2])))
	}
	return false
}

func appendLower(buf []byte, s string) []byte {
	for i := 0; i < len(s) && len(buf) < 60; i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	return buf
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
