package clause

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// LexiconVersion changes whenever a word class or a rule does, so that two reports can be
// told apart by more than the program's version.
const LexiconVersion = "19"

//go:embed words/*.txt
var wordFiles embed.FS

// A form is a set of grammatical forms of a verb.
type form uint8

const (
	baseForm form = 1 << iota // as orders and infinitives are: "read"
	thirdForm
	pastForm
	ingForm
)

// A sense is what the lexicon knows of one spelling.
type sense struct {
	set     classSet // in English
	alt     classSet // in another language
	forms   form     // of the verb classes in set
	phrases []phrase
}

// A phrase is a term of several words, kept with the first of them.
type phrase struct {
	rest []string // a trailing * is a stem
	stem bool     // the second word is one
	sense
}

// A lexicon is every word list, merged. It is read-only once loaded.
type lexicon struct {
	words map[string]*sense
	stems map[string]*sense // of words with any ending
	heads [1 << 13]bool     // hashes of the first bytes of all stems
	spelt [1 << 14]bool     // hashes of all words
	runs  map[rune][]term   // terms of scripts without spaces, by their first character
}

// A term is a word of a script that does not part words.
type term struct {
	spelling string
	sense    *sense
}

const (
	minStem   = 3  // bytes of a stem
	maxEnding = 24 // bytes that may follow one: eight letters of a script with three bytes each
)

// words is loaded when the first text is read: it takes longer than most runs of a program
// that reads none.
var words = sync.OnceValue(func() *lexicon {
	l, err := loadLexicon(wordFiles)
	if err != nil {
		panic("clause: " + err.Error())
	}
	return l
})

func loadLexicon(files fs.FS) (*lexicon, error) {
	l := &lexicon{words: map[string]*sense{}, stems: map[string]*sense{}, runs: map[rune][]term{}}
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		for e, err := range text.WordList(string(data)) {
			if err == nil {
				err = l.entry(e)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", name, e.Line, err)
			}
		}
	}
	return l, nil
}

func (l *lexicon) entry(e text.Entry) error {
	c, ok := classNamed(e.Class)
	if !ok {
		return fmt.Errorf("unknown class %q", e.Class)
	}
	if e.Term == "" {
		return nil
	}
	if folded := text.Fold(e.Term).Text(); writtenTogether(folded) {
		l.add(folded, nil, c, 0, true)
		return nil
	}
	first, rest, _ := strings.Cut(e.Term, " ")
	var tail []string
	for w := range strings.FieldsSeq(strings.ReplaceAll(rest, "-", " ")) {
		tail = append(tail, spell(w))
	}
	if head, _, stem := strings.Cut(spell(first), "*"); stem && len(head) < minStem {
		return fmt.Errorf("the stem of %q is shorter than %d bytes", e.Term, minStem)
	}
	forms, kinds := formsOf(first, e.Kind)
	if e.Kind == "noun" && len(tail) > 0 { // "api key", "api keys"
		forms, kinds = []string{first}, []form{0}
		plurals := append([]string(nil), tail...)
		plurals[len(tail)-1] = text.Inflect(tail[len(tail)-1], "noun")[1]
		l.add(spell(first), plurals, c, 0, e.Foreign)
	}
	for i, f := range forms {
		l.add(spell(f), tail, c, kinds[i], e.Foreign)
	}
	return nil
}

// formsOf lists the spellings of a word and which form of a verb each is.
func formsOf(w, kind string) (forms []string, kinds []form) {
	forms = strings.Split(w, "/")
	if len(forms) == 1 {
		forms = text.Inflect(w, kind)
	}
	for i := range forms {
		switch {
		case kind != "verb":
			kinds = append(kinds, 0)
		case i == 0:
			kinds = append(kinds, baseForm)
		case i == 1 && len(forms) > 2:
			kinds = append(kinds, thirdForm)
		case i == len(forms)-1:
			kinds = append(kinds, ingForm)
		default:
			kinds = append(kinds, pastForm)
		}
	}
	return forms, kinds
}

// spell writes a word as words are looked up: folded, lower-case, without apostrophes.
func spell(w string) string {
	return strings.ReplaceAll(strings.ToLower(text.Fold(w).Text()), "'", "")
}

func (l *lexicon) add(word string, tail []string, c class, f form, foreign bool) {
	if word == "" {
		return
	}
	m := l.words
	if stem, ok := strings.CutSuffix(word, "*"); ok {
		word, m = stem, l.stems
		l.heads[headHash(stem)] = true
	} else {
		l.spelt[wordHash([]byte(word))] = true
	}
	s := m[word]
	if s == nil {
		s = &sense{}
		m[word] = s
		if writtenTogether(word) {
			r, _ := utf8.DecodeRuneInString(word)
			l.runs[r] = append(l.runs[r], term{word, s})
		}
	}
	if len(tail) > 0 {
		s = s.phrase(tail)
	}
	if foreign {
		s.alt.add(c)
		return
	}
	s.set.add(c)
	s.forms |= f
}

// phrase returns the sense of the phrase that goes on with tail; longer phrases come first.
func (s *sense) phrase(tail []string) *sense {
	key := strings.Join(tail, " ")
	at := len(s.phrases)
	for i := range s.phrases {
		if strings.Join(s.phrases[i].rest, " ") == key {
			return &s.phrases[i].sense
		}
		if at == len(s.phrases) && len(s.phrases[i].rest) < len(tail) {
			at = i
		}
	}
	s.phrases = append(s.phrases, phrase{})
	copy(s.phrases[at+1:], s.phrases[at:])
	s.phrases[at] = phrase{rest: tail, stem: strings.HasSuffix(tail[0], "*")}
	return &s.phrases[at].sense
}

// lookup returns what is known of a word in the spelling of spell, nil if nothing.
func (l *lexicon) lookup(w []byte) *sense {
	if len(w) == 0 {
		return nil
	}
	if l.spelt[wordHash(w)] {
		if s := l.words[string(w)]; s != nil {
			return s
		}
	}
	if len(w) < minStem || !l.heads[headHash(string(w[:minStem]))] {
		return nil
	}
	for n := min(len(w), 40); n >= minStem && len(w)-n <= maxEnding; n-- {
		if s := l.stems[string(w[:n])]; s != nil {
			return s
		}
	}
	return nil
}

// wordHash takes what tells words apart best for the price.
func wordHash(w []byte) uint32 {
	n := len(w)
	return (uint32(w[0]) + uint32(w[n/2])*37 + uint32(w[n-1])*1021 + uint32(w[(n-1)/3])*257 + uint32(n)*4093) & (1<<14 - 1)
}

func headHash(s string) uint32 {
	return (uint32(s[0])*31*31 + uint32(s[1])*31 + uint32(s[2])) & (1<<13 - 1)
}

func writtenTogether(s string) bool {
	for _, r := range s {
		if text.Ideographic(r) {
			return true
		}
	}
	return false
}
