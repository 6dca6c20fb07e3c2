package clause

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// A mark is one word of a text with the concepts that it, or a phrase that begins with it,
// stands for.
type mark struct {
	spelling string // as words are looked up
	start    int32  // in the folded text
	set      conceptSet
	token    int32
	frame    int32
	sentence int32
	foreign  bool
	joined   bool // nothing but a space or a hyphen parts it from the word before
}

// evidence holds the marks of one text. Its memory is reused.
type evidence struct {
	s     string
	marks []mark
	steps int // words and terms looked up, for the tests that hold the work linear
}

// read marks the words of the tokens of a text. The work is a bounded number of look-ups for
// each word.
func (e *evidence) read(s string, toks []token, frames []frame) {
	e.s, e.marks = s, e.marks[:0]
	at := 0
	for i := range toks {
		for at+1 < len(frames) && int(frames[at+1].first) <= i {
			at++
		}
		if toks[i].flags&vocabulary != 0 {
			continue
		}
		foreign := len(frames) > 0 && frames[at].foreign
		first := len(e.marks)
		e.words(s, int(toks[i].start), int(toks[i].end), mark{token: int32(i), frame: int32(at), sentence: toks[i].sentence, foreign: foreign})
		if first < len(e.marks) {
			e.marks[first].joined = i > 0 && toks[i-1].sentence == toks[i].sentence && toks[i].flags&fresh == 0
			c := conceptsFor(toks[i].set)
			if c.has(cMailbox) && documentation(s[toks[i].start:toks[i].end]) {
				c &^= conceptsOf(cAddress, cMailbox)
			}
			e.marks[first].set |= c
			e.markHost(s, first)
		}
	}
	e.lookUp()
}

// words splits s[from:to] into words.
func (e *evidence) words(s string, from, to int, m mark) {
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case text.Ideographic(r):
			j := i
			for j < to {
				r, size := utf8.DecodeRuneInString(s[j:])
				if !text.Ideographic(r) {
					break
				}
				j += size
			}
			m.spelling, m.start, m.foreign = s[i:j], int32(i), true
			e.marks = append(e.marks, m)
			m.joined = true
			i = j
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			j := i
			for j < to {
				r, size := utf8.DecodeRuneInString(s[j:])
				if text.Ideographic(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && !unicode.IsMark(r) {
					break
				}
				j += size
			}
			m.spelling, m.start = lookupForm(s[i:j]), int32(i)
			e.marks = append(e.marks, m)
			m.joined = true
			i = j
		default:
			i += size
		}
	}
}

// lookupForm spells a word as the lists do: lower case, letters that pose as others undone.
func lookupForm(w string) string {
	if len(w) > 64 {
		return ""
	}
	ascii, plain := true, true
	for i := 0; i < len(w); i++ {
		ascii = ascii && w[i] < utf8.RuneSelf
		plain = plain && (w[i] >= 'a' && w[i] <= 'z' || w[i] >= utf8.RuneSelf)
	}
	if !ascii && mixedScript(w) {
		if sk, ok := text.LooksLike(w); ok {
			return sk
		}
	}
	if plain {
		return w
	}
	return strings.ReplaceAll(strings.ToLower(w), "'", "")
}

// lookUp gives the marks the concepts of the lists: of English, or of the language that knows
// most words of what is not English.
func (e *evidence) lookUp() {
	lex := concepts()
	other := e.language(lex)
	for i := range e.marks {
		m := &e.marks[i]
		switch {
		case !m.foreign:
			e.mark(lex.english, i, m.spelling)
			e.markTool(i)
		case other != nil:
			e.mark(other, i, m.spelling)
		}
	}
}

// language returns the list that knows most of the words that are not English.
func (e *evidence) language(lex *conceptLexicon) *conceptList {
	var counts [32]int
	any := false
	for i := range e.marks {
		if m := &e.marks[i]; m.foreign && i < maxJudged {
			any = true
			for k, l := range lex.others {
				if e.steps++; l.begins(m.spelling) {
					counts[k]++
				}
			}
		}
	}
	if !any {
		return nil
	}
	best := 0
	for k := range lex.others {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return lex.others[best]
}

// maxJudged is how many words of a text decide in which language it is.
const maxJudged = 400

// begins reports whether a list knows a word, or the script of a run.
func (l *conceptList) begins(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	if text.Ideographic(r) {
		if len(l.runs) == 0 {
			return false
		}
		kana := strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
		return kana == (l.language == "ja")
	}
	return l.knows(word)
}

// mark adds what a list knows of the word at i, and of the phrases that begin there.
func (e *evidence) mark(l *conceptList, i int, word string) {
	if r, _ := utf8.DecodeRuneInString(word); text.Ideographic(r) {
		e.markRun(l, i, word)
		return
	}
	found := false
	add := func(t *conceptTerm) {
		e.steps++
		found = true
		e.marks[i].set |= t.set
		for k := range t.phrases {
			if e.goesOn(i, t.phrases[k].rest) {
				e.marks[i].set |= t.phrases[k].set
			}
		}
	}
	l.each(word, add)
	if found || l.language == "en" {
		return
	}
	switch l.language {
	case "ar":
		for _, prefix := range arabicPrefixes {
			if rest, ok := strings.CutPrefix(word, prefix); ok && len(rest) >= 6 {
				l.each(rest, add)
			}
		}
	case "fr", "it":
		for n := 1; n <= 2 && n+4 <= len(word); n++ { // "lutilisateur" was "l'utilisateur"
			if strings.IndexByte("ldnqjmstc", word[0]) >= 0 || n == 2 {
				l.each(word[n:], add)
			}
		}
	}
}

// goesOn reports whether the words behind the one at i are what a phrase asks for.
func (e *evidence) goesOn(i int, rest []string) bool {
	for _, element := range rest {
		if i++; i >= len(e.marks) || e.marks[i].sentence != e.marks[i-1].sentence || !e.marks[i].joined {
			return false
		}
		e.steps++
		if !matchesString(element, e.marks[i].spelling) {
			return false
		}
	}
	return true
}

func matchesString(element, word string) bool {
	if stem, ok := strings.CutSuffix(element, "*"); ok {
		return strings.HasPrefix(word, stem) && len(word)-len(stem) <= maxEnding
	}
	return element == word
}

// markRun adds what begins anywhere in a run of a script without spaces; a term may go on in
// the next run.
func (e *evidence) markRun(l *conceptList, i int, run string) {
	from := e.s[e.marks[i].start:]
	for j := 0; j < len(run); {
		r, size := utf8.DecodeRuneInString(run[j:])
		for _, t := range l.runs[r] {
			e.steps++
			if strings.HasPrefix(from[j:], t.spelling) {
				e.marks[i].set |= t.set
			}
		}
		j += size
	}
}

// markTool marks a tool that is named by its kind: "the spreadsheet tool", "any HTTP tool".
func (e *evidence) markTool(i int) {
	if i == 0 || !e.marks[i].joined || !kindsOfTool[e.marks[i].spelling] || determiners[e.marks[i-1].spelling] {
		return
	}
	e.marks[i].set |= conceptsOf(cElsewhere)
}

var kindsOfTool = map[string]bool{"tool": true, "tools": true, "connector": true, "connectors": true, "plugin": true, "integration": true, "app": true, "servers": true}

// determiners stand before the word for the tool at hand, or for tools in general.
var determiners = map[string]bool{"this": true, "the": true, "a": true, "an": true, "our": true, "these": true, "that": true, "mcp": true, "and": true, "or": true,
	"of": true, "your": true, "its": true, "use": true, "to": true, "for": true, "with": true, "as": true, "by": true, "in": true, "is": true, "which": true, "what": true}

// markHost marks the name of a machine that is written without a scheme.
func (e *evidence) markHost(s string, first int) {
	last := len(e.marks) - 1
	for _, i := range []int{first, last} {
		if i < 1 || i >= len(e.marks) || !domainEndings[e.marks[i].spelling] {
			continue
		}
		at := int(e.marks[i].start)
		end := at + len(e.marks[i].spelling)
		if at > 1 && s[at-1] == '.' && isLetter(s[at-2]) && (end >= len(s) || !isLetter(s[end]) && s[end] != '(' && s[end] != '_') {
			e.marks[i-1].set |= conceptsOf(cHost)
			return
		}
	}
}

// domainEndings are endings of host names that are none of files or of members in code.
var domainEndings = map[string]bool{"com": true, "net": true, "org": true, "io": true, "co": true, "cc": true, "tech": true, "site": true, "biz": true, "dev": true, "eu": true,
	"uk": true, "de": true, "fr": true, "es": true, "it": true, "pt": true, "br": true, "ru": true, "cn": true, "jp": true, "kr": true, "in": true, "nl": true, "pl": true, "tr": true,
	"example": true, "cloud": true, "online": true, "xyz": true, "ai": true, "me": true, "us": true, "download": true, "capital": true, "link": true, "page": true, "top": true, "info": true}

// documentation reports whether a mailbox is one that RFC 2606 sets aside for documentation, or of a company that Microsoft made up for it.
func documentation(mailbox string) bool {
	at := strings.IndexByte(mailbox, '@')
	if at < 0 {
		return false
	}
	switch strings.ToLower(mailbox[at+1:]) {
	case "example.com", "example.org", "example.net", "contoso.com", "fabrikam.com":
		return true
	}
	return false
}
