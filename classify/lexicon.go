package classify

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/text"
)

// LexiconVersion is the version of the word lists and rules of layer 1.
const LexiconVersion = "1"

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

// A lexicon is every word list, merged. It is read-only after loading.
type lexicon struct {
	names map[string]class
	words map[string]*entry
	ideo  map[rune][]phrase // terms of scripts that write words together, longest first
}

// lex reads what tools do, cueLex what descriptions of parameters say of values. They are
// apart, since a phrase covers what its words mean by themselves.
var (
	lex    = mustLoad(lexiconFiles, "lexicon/*.txt")
	cueLex = mustLoad(lexiconFiles, "lexicon/cues/*.txt")
)

func mustLoad(files fs.FS, pattern string) *lexicon {
	l, err := loadLexicon(files, pattern)
	if err != nil {
		panic("classify: " + err.Error())
	}
	return l
}

// loadLexicon reads the files of a pattern: sections [class], [class verb], [class noun] with terms
// separated by commas, and a line @foreign in files of languages other than English.
func loadLexicon(files fs.FS, pattern string) (*lexicon, error) {
	l := &lexicon{names: map[string]class{}, words: map[string]*entry{}, ideo: map[rune][]phrase{}}
	paths, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		data, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		if err := l.file(string(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, e := range l.words {
		longestFirst(e.phrases)
	}
	return l, nil
}

func (l *lexicon) file(data string) error {
	var at class
	kind, open, foreign := "", false, false
	n := 0
	for line := range strings.Lines(data) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line == "@foreign":
			foreign = true
		case line[0] == '[':
			head, ok := strings.CutSuffix(line[1:], "]")
			name, k, _ := strings.Cut(head, " ")
			if !ok || k != "" && k != "verb" && k != "noun" {
				return fmt.Errorf("line %d: want [class], [class verb] or [class noun]", n)
			}
			at, kind, open = l.class(name), k, true
			if len(l.names) > maxClasses {
				return fmt.Errorf("line %d: more than %d classes", n, maxClasses)
			}
		case !open:
			return fmt.Errorf("line %d: a term outside a section", n)
		default:
			for term := range strings.SplitSeq(line, ",") {
				if term = strings.TrimSpace(term); term != "" {
					l.term(term, at, kind, foreign)
				}
			}
		}
	}
	return nil
}

// joined reports whether a letter is of a script in which terms are looked for inside runs of
// letters: those without spaces, and Korean, whose particles stand behind words without one.
func joined(r rune) bool { return text.Ideographic(r) || unicode.Is(unicode.Hangul, r) }

// class returns the class of this name, a new one if there is none.
func (l *lexicon) class(name string) class {
	c, ok := l.names[name]
	if !ok {
		c = class(len(l.names))
		l.names[name] = c
	}
	return c
}

// term adds a term in all its forms.
func (l *lexicon) term(term string, at class, kind string, foreign bool) {
	if r, _ := utf8.DecodeRuneInString(term); joined(r) {
		l.ideo[r] = addPhrase(l.ideo[r], []string{text.Fold(term).Text()}, at, foreign)
		longestFirst(l.ideo[r])
		return
	}
	if plain := transliterate.Replace(term); foreign && plain != term {
		l.term(plain, at, kind, foreign) // loeschen, as names of tools spell löschen
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
		l.add(split(f), at, foreign)
	}
}

var transliterate = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// split cuts a term into words as the tokenizer does.
func split(term string) []string {
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

func (l *lexicon) add(ws []string, at class, foreign bool) {
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
		for j := i; j > 0 && length(ps[j]) > length(ps[j-1]); j-- {
			ps[j], ps[j-1] = ps[j-1], ps[j]
		}
	}
}

func length(p phrase) int { return len(p.rest)*1000 + len(p.rest[0]) }

// set returns the set of the named classes. It panics for a name without a section, since
// names stand in our own code and data.
func (l *lexicon) set(names ...string) (s classes) {
	for _, n := range names {
		c, ok := l.names[n]
		if !ok {
			panic("classify: no section of the lexicon is called " + n)
		}
		s.add(c)
	}
	return s
}
