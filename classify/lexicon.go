package classify

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// LexiconVersion is the version of the word lists and rules of layer 1.
const LexiconVersion = "2"

//go:embed lexicon/*.txt lexicon/cues/*.txt
var lexiconFiles embed.FS

// A class is a meaning that words share; a classes is a set of them.
type (
	class   uint8
	classes [2]uint64
)

const maxClasses = 128

func (c classes) meets(d classes) bool     { return c[0]&d[0]|c[1]&d[1] != 0 }
func (c classes) empty() bool              { return c[0]|c[1] == 0 }
func (c classes) with(d classes) classes   { return classes{c[0] | d[0], c[1] | d[1]} }
func (c classes) common(d classes) classes { return classes{c[0] & d[0], c[1] & d[1]} }
func (c classes) without(d classes) classes {
	return classes{c[0] &^ d[0], c[1] &^ d[1]}
}
func (c *classes) add(k class) { c[k>>6] |= 1 << (k & 63) }

// An entry is what the lexicon knows of one spelling.
type entry struct {
	set     classes
	phrases []phrase // that begin with this word, longest first
	foreign bool     // of a language whose order of words is not that of English
}

type phrase struct {
	rest    []string
	set     classes
	foreign bool
}

// A lexicon is every word list, merged. What the classes are called is known from the start, since the
// rules ask for them; the words, which take longer than most runs of a program that classifies nothing,
// are there once loaded was called. Both are read-only then.
type lexicon struct {
	names map[string]class
	load  func() // reads the words, once
	words map[string]*entry
	ideo  map[rune][]phrase // terms of scripts that write words together, longest first
}

// findWord returns what is known of a word, nil for nothing. The lexicon must be loaded.
func (l *lexicon) findWord(word string) *entry { return l.words[word] }

func (l *lexicon) withWords() *lexicon {
	l.load()
	return l
}

// lex reads what tools do, cueLex what descriptions of parameters say of values. They are
// apart, since a phrase covers what its words mean by themselves.
var (
	lex    = mustLoad(lexiconFiles, "lexicon/*.txt")
	cueLex = mustLoad(lexiconFiles, "lexicon/cues/*.txt")
)

func mustLoad(files fs.FS, pattern string) *lexicon {
	l := &lexicon{names: map[string]class{}, words: map[string]*entry{}, ideo: map[rune][]phrase{}}
	lists, err := readLists(files, pattern)
	if err == nil {
		err = l.readClassNames(lists)
	}
	if err != nil {
		panic("classify: " + err.Error()) // embedded, and tested
	}
	l.load = sync.OnceFunc(func() { l.readTerms(lists) })
	return l
}

// readLists returns the files of a pattern, each a text.WordList.
func readLists(files fs.FS, pattern string) (lists []string, err error) {
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		lists = append(lists, string(data))
	}
	return lists, nil
}

func (l *lexicon) readClassNames(lists []string) error {
	for _, list := range lists {
		for e, err := range text.WordList(list) {
			if err != nil {
				return fmt.Errorf("the list that begins %.30q: %w", list, err)
			}
			if l.classNumber(e.Class); len(l.names) > maxClasses {
				return fmt.Errorf("%s: more than %d classes", e.Class, maxClasses)
			}
		}
	}
	return nil
}

func (l *lexicon) readTerms(lists []string) {
	for _, list := range lists {
		for e := range text.WordList(list) { // whose errors classes has found
			if e.Term != "" {
				l.addTerm(e.Term, l.classNumber(e.Class), e.Kind, e.Foreign)
			}
		}
	}
	for _, e := range l.words {
		longestFirst(e.phrases)
	}
}

// isJoinedScript reports whether a letter is of a script in which terms are looked for inside runs of
// letters: those without spaces, and Korean, whose particles stand behind words without one.
func isJoinedScript(r rune) bool { return text.Ideographic(r) || unicode.Is(unicode.Hangul, r) }

// classNumber returns the class of this name, a new one if there is none.
func (l *lexicon) classNumber(name string) class {
	c, ok := l.names[name]
	if !ok {
		c = class(len(l.names))
		l.names[name] = c
	}
	return c
}

func (l *lexicon) addTerm(term string, at class, kind string, foreign bool) {
	if r, _ := utf8.DecodeRuneInString(term); isJoinedScript(r) {
		l.ideo[r] = addPhrase(l.ideo[r], []string{text.Fold(term).Text()}, at, foreign)
		longestFirst(l.ideo[r])
		return
	}
	if plain := transliterate.Replace(term); foreign && plain != term {
		l.addTerm(plain, at, kind, foreign) // loeschen, as names of tools spell löschen
	}
	forms := strings.Split(term, "/")
	if len(forms) == 1 && strings.Contains(term, " ") { // only its last word has forms
		head, last := term[:strings.LastIndexByte(term, ' ')+1], term[strings.LastIndexByte(term, ' ')+1:]
		forms = nil
		for _, f := range text.Inflect(last, map[bool]string{true: "noun"}[kind == "noun"]) {
			forms = append(forms, head+f)
		}
	} else if len(forms) == 1 {
		forms = text.Inflect(term, kind)
	}
	for _, f := range forms {
		l.addForm(splitTerm(f), at, foreign)
	}
}

var transliterate = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// splitTerm cuts a term into words as the tokenizer does.
func splitTerm(term string) []string {
	var out []string
	f := text.Fold(term)
	var buf [64]byte
	for i := 0; ; {
		w, _, end := nextWord(f.Text(), i, buf[:0])
		if len(w) == 0 {
			return out
		}
		out = append(out, string(w))
		i = end
	}
}

func (l *lexicon) addForm(ws []string, at class, foreign bool) {
	e := l.words[ws[0]]
	if e == nil {
		e = &entry{foreign: foreign}
		l.words[ws[0]] = e
	}
	if len(ws) > 1 {
		e.phrases = addPhrase(e.phrases, ws[1:], at, foreign)
		return
	}
	e.set.add(at)
	e.foreign = e.foreign && foreign
}

func addPhrase(ps []phrase, rest []string, at class, foreign bool) []phrase {
	for i := range ps {
		if strings.Join(ps[i].rest, " ") == strings.Join(rest, " ") {
			ps[i].set.add(at)
			ps[i].foreign = ps[i].foreign && foreign
			return ps
		}
	}
	p := phrase{rest: rest, foreign: foreign}
	p.set.add(at)
	return append(ps, p)
}

func longestFirst(ps []phrase) {
	for i := 1; i < len(ps); i++ {
		for j := i; j > 0 && phraseLength(ps[j]) > phraseLength(ps[j-1]); j-- {
			ps[j], ps[j-1] = ps[j-1], ps[j]
		}
	}
}

func phraseLength(p phrase) int { return len(p.rest)*1000 + len(p.rest[0]) }

// classSet returns the set of the named classes. It panics for a name without a section, since
// names stand in our own code and data.
func (l *lexicon) classSet(names ...string) (s classes) {
	for _, n := range names {
		c, ok := l.names[n]
		if !ok {
			panic("classify: no section of the lexicon is called " + n)
		}
		s.add(c)
	}
	return s
}
