package clause

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

//go:embed words/concepts/*.txt
var conceptFiles embed.FS

// A conceptTerm is what the list of one language knows of the word that begins it.
type conceptTerm struct {
	set     conceptSet
	phrases []conceptPhrase
}

// A conceptPhrase is a term of several words without its first one; an element with a
// trailing * is a stem.
type conceptPhrase struct {
	rest []string
	set  conceptSet
}

// A conceptList holds the concepts of one language. It is read-only once loaded.
type conceptList struct {
	language string
	words    map[string]*conceptTerm
	stems    map[string]*conceptTerm // of words with any ending
	shortest int                     // bytes of the shortest stem
	heads    [1 << 11]headLengths    // of words and stems, by headHash of their beginning: most words are in no list
	runs     map[rune][]conceptRun   // of scripts without spaces, by their first character
}

// A conceptRun is a term of a script without spaces.
type conceptRun struct {
	spelling string
	set      conceptSet
}

// A conceptLexicon is the lists of all languages.
type conceptLexicon struct {
	english *conceptList
	others  []*conceptList
}

var concepts = sync.OnceValue(func() *conceptLexicon {
	l, err := loadConcepts(conceptFiles)
	if err != nil {
		panic("clause: " + err.Error())
	}
	return l
})

func loadConcepts(files fs.FS) (*conceptLexicon, error) {
	names, err := fs.Glob(files, "words/concepts/*.txt")
	if err != nil {
		return nil, err
	}
	out := &conceptLexicon{}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		language := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".txt")
		l, err := loadConceptList(language, string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if language == "en" {
			out.english = l
		} else {
			out.others = append(out.others, l)
		}
	}
	return out, nil
}

func loadConceptList(language, data string) (*conceptList, error) {
	l := &conceptList{language: language, words: map[string]*conceptTerm{}, stems: map[string]*conceptTerm{}, runs: map[rune][]conceptRun{}, shortest: maxEnding}
	for e, err := range text.WordList(data) {
		if err != nil {
			return nil, err
		}
		c := slices.Index(conceptNames[:], e.Class)
		if c < 0 {
			return nil, fmt.Errorf("line %d: unknown concept %q", e.Line, e.Class)
		}
		if e.Term != "" {
			l.addTerm(e, conceptsOf(concept(c)))
		}
	}
	l.indexHeads()
	return l, nil
}

func (l *conceptList) addTerm(e text.Entry, set conceptSet) {
	if folded := text.Fold(e.Term).Text(); writtenTogether(folded) {
		r, _ := utf8.DecodeRuneInString(folded)
		l.runs[r] = append(l.runs[r], conceptRun{folded, set})
		return
	}
	words := strings.Fields(strings.ReplaceAll(e.Term, "-", " "))
	if e.Kind == "noun" && len(words) > 1 {
		last := len(words) - 1
		l.addWords(words, set)
		plural := slices.Clone(words)
		plural[last] = text.Inflect(words[last], "noun")[1]
		l.addWords(plural, set)
		return
	}
	forms, _ := formsOf(words[0], e.Kind)
	for _, f := range forms {
		l.addWords(append([]string{f}, words[1:]...), set)
	}
}

func (l *conceptList) addWords(words []string, set conceptSet) {
	m, head := l.words, spell(words[0])
	if stem, ok := strings.CutSuffix(head, "*"); ok {
		m, head = l.stems, stem
		l.shortest = min(l.shortest, len(stem))
	}
	if head == "" {
		return
	}
	t := m[head]
	if t == nil {
		t = &conceptTerm{}
		m[head] = t
	}
	if len(words) == 1 {
		t.set |= set
		return
	}
	p := conceptPhrase{set: set}
	for _, w := range words[1:] {
		p.rest = append(p.rest, spell(w))
	}
	t.phrases = append(t.phrases, p)
}

// each calls f for the terms that a word may begin: the word itself, and every stem of it.
func (l *conceptList) each(word string, f func(*conceptTerm)) {
	h := &l.heads[conceptHead(word)]
	if h.words>>min(len(word), 63)&1 != 0 {
		if t := l.words[word]; t != nil {
			f(t)
		}
	}
	if h.stems == 0 {
		return
	}
	for n := min(len(word), 40); n >= l.shortest && len(word)-n <= maxEnding; n-- {
		if h.stems>>n&1 == 0 {
			continue
		}
		if t := l.stems[word[:n]]; t != nil {
			f(t)
		}
	}
}

// headLengths say how long the words and stems are that begin alike: bit n is for n bytes, 63 for that many and more.
type headLengths struct{ words, stems uint64 }

// conceptHead hashes the first two bytes of a word, which every stem of it has too.
func conceptHead(word string) uint32 {
	if len(word) < 2 {
		return 0
	}
	return (uint32(word[0])*61 + uint32(word[1])) & (1<<11 - 1)
}

// indexHeads notes how long the words and stems are that begin alike.
func (l *conceptList) indexHeads() {
	for w := range l.words {
		l.heads[conceptHead(w)].words |= 1 << min(len(w), 63)
	}
	for w := range l.stems {
		if len(w) >= 2 {
			l.heads[conceptHead(w)].stems |= 1 << min(len(w), 63)
			continue
		}
		for i := range l.heads { // a stem of one byte begins words of any second
			l.heads[i].stems |= 1 << len(w)
		}
	}
}

// knows reports whether a list has a word, or a stem of it.
func (l *conceptList) knows(word string) (yes bool) {
	l.each(word, func(*conceptTerm) { yes = true })
	return yes
}
