package text

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// LexiconVersion changes whenever a word list or pattern does, so that two reports can
// be told apart by more than the program's version.
const LexiconVersion = "1"

//go:embed lexicon/*.txt lexicon/patterns.pat lexicon/sayings.tsv
var lexiconFiles embed.FS

// A Class is what a word can mean to a pattern: "ignore", "secret", "user".
type Class uint16

// A ClassSet is a set of classes.
type ClassSet [maxClasses / 64]uint64

const maxClasses = 320

func (s *ClassSet) add(c Class)    { s[c>>6] |= 1 << (c & 63) }
func (s *ClassSet) remove(c Class) { s[c>>6] &^= 1 << (c & 63) }
func (s *ClassSet) addAll(t ClassSet) {
	s[0] |= t[0]
	s[1] |= t[1]
	s[2] |= t[2]
	s[3] |= t[3]
	s[4] |= t[4]
}
func (s ClassSet) has(c Class) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s ClassSet) meets(t ClassSet) bool {
	return s[0]&t[0]|s[1]&t[1]|s[2]&t[2]|s[3]&t[3]|s[4]&t[4] != 0
}
func (s ClassSet) empty() bool { return s[0]|s[1]|s[2]|s[3]|s[4] == 0 }

// sense is what the dictionary knows of one spelling.
type sense struct {
	classes ClassSet // of the word by itself
	base    ClassSet // those in which it is a verb's base form, as imperatives are
	// phrases that begin with this word, longest first
	phrases []phrase
}

type phrase struct {
	rest    []string // the words behind the first; a trailing * is a stem
	classes ClassSet
	base    ClassSet
}

// lexicon is every word list, merged. It is read-only after loading.
type lexicon struct {
	classes map[string]Class
	words   map[string]*sense
	spelt   [1 << 13]bool     // hashes of all words: most of what people write is none of them
	stemmed [1 << 13]bool     // hashes of all stems
	stems   map[string]*sense // of words with any ending
	heads   [1 << 13]bool     // hashes of the first three bytes of all stems
	ideo    map[rune][]ideogram
}

// ideogram is a term of a script that does not part words.
type ideogram struct {
	term    string
	classes ClassSet
}

const (
	maxEnding = 7 // bytes that may follow a stem
	minStem   = 3 // bytes of a stem
)

// words is loaded when the first text is read: it takes longer than most runs of a program
// that reads none.
var words = sync.OnceValue(func() *lexicon { return mustLoad(lexiconFiles) })

func mustLoad(files fs.FS) *lexicon {
	l, err := loadLexicon(files)
	if err != nil {
		panic("text: " + err.Error())
	}
	return l
}

// loadLexicon reads lexicon/*.txt, each a WordList. The words of a language other than English also get
// the class with an x in front, since its order of words differs, so that its patterns are unordered; and every form counts
// as a base form, since imperatives of most languages share their spelling with other forms.
//
// kind is "verb" (English: the other forms of the first word are made from the base form,
// or listed behind slashes), "noun" (English: plural too) or absent (as written).
func loadLexicon(files fs.FS) (*lexicon, error) {
	l := &lexicon{
		classes: map[string]Class{}, words: map[string]*sense{}, stems: map[string]*sense{}, ideo: map[rune][]ideogram{},
	}
	for _, c := range slices.Concat(structural, listed) {
		l.class(c)
	}
	names, err := fs.Glob(files, "lexicon/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := l.file(string(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, s := range l.words {
		sortPhrases(s.phrases)
	}
	for _, s := range l.stems {
		sortPhrases(s.phrases)
	}
	return l, nil
}

func (l *lexicon) class(name string) Class {
	c, ok := l.classes[name]
	if !ok {
		c = Class(len(l.classes))
		l.classes[name] = c
	}
	return c
}

func (l *lexicon) file(data string) error {
	for e, err := range WordList(data) {
		if err != nil {
			return err
		}
		class := l.class(e.Class)
		if e.Term != "" {
			if err := l.read(e, class); err != nil {
				return fmt.Errorf("line %d: %w", e.Line, err)
			}
		}
		if len(l.classes) > maxClasses {
			return fmt.Errorf("line %d: more than %d classes", e.Line, maxClasses)
		}
	}
	return nil
}

// read adds a term, for a language other than English to the class of those as well.
func (l *lexicon) read(e Entry, class Class) error {
	spelling := canonical(e.Term)
	if head, _, stem := strings.Cut(spelling, "*"); stem && len(head) < minStem {
		return fmt.Errorf("the stem of %q is shorter than %d bytes", e.Term, minStem)
	}
	l.term(e.Term, class, e.Kind, e.Foreign)
	if e.Foreign {
		also := l.class("x" + e.Class)
		if also >= maxClasses {
			return fmt.Errorf("more than %d classes", maxClasses)
		}
		l.term(e.Term, also, e.Kind, e.Foreign)
	}
	return nil
}

func (l *lexicon) term(term string, class Class, kind string, foreign bool) {
	first, rest, _ := strings.Cut(term, " ")
	if f := foldString(term).text; writtenTogether(f) {
		r, _ := utf8.DecodeRuneInString(f)
		l.ideogram(r, f, class)
		return
	}
	var tail []string
	for _, w := range strings.Fields(rest) {
		tail = append(tail, canonical(w))
	}
	forms := strings.Split(first, "/")
	if len(forms) == 1 {
		forms = inflect(first, kind)
	}
	if kind == "noun" && len(tail) > 0 { // "api key", "api keys"
		forms = []string{first}
		plurals := append(append([]string(nil), tail[:len(tail)-1]...), plural(tail[len(tail)-1]))
		l.add(canonical(first), plurals, class, foreign)
	}
	for i, f := range forms {
		l.add(canonical(f), tail, class, kind == "verb" && i == 0 || foreign)
	}
}

// canonical spells a lexicon word as words are looked up: folded, lower-case, without
// apostrophes.
func canonical(w string) string {
	return strings.ReplaceAll(strings.ToLower(foldString(w).text), "'", "")
}

func (l *lexicon) add(word string, tail []string, class Class, base bool) {
	m := l.words
	if stem, ok := strings.CutSuffix(word, "*"); ok {
		word, m = stem, l.stems
		l.heads[headHash(stem)] = true
		l.stemmed[wordHash([]byte(stem))] = true
	} else if word != "" {
		l.spelt[wordHash([]byte(word))] = true
	}
	s := m[word]
	if s == nil {
		s = &sense{}
		m[word] = s
	}
	classes, bases := &s.classes, &s.base
	if len(tail) > 0 {
		s.phrases = append(s.phrases, phrase{rest: tail})
		p := &s.phrases[len(s.phrases)-1]
		classes, bases = &p.classes, &p.base
	}
	classes.add(class)
	if base {
		bases.add(class)
	}
}

func (l *lexicon) ideogram(r rune, term string, class Class) {
	for i := range l.ideo[r] {
		if l.ideo[r][i].term == term {
			l.ideo[r][i].classes.add(class)
			return
		}
	}
	g := ideogram{term: term}
	g.classes.add(class)
	l.ideo[r] = append(l.ideo[r], g)
}

// sortPhrases puts longer phrases first and merges equal ones.
func sortPhrases(ps []phrase) {
	for i := 1; i < len(ps); i++ {
		for j := i; j > 0 && len(ps[j].rest) > len(ps[j-1].rest); j-- {
			ps[j], ps[j-1] = ps[j-1], ps[j]
		}
	}
	for i := range ps {
		for j := range ps {
			if strings.Join(ps[i].rest, " ") == strings.Join(ps[j].rest, " ") {
				ps[i].classes.addAll(ps[j].classes)
				ps[i].base.addAll(ps[j].base)
			}
		}
	}
}

// lookup returns what is known of a canonical word, nil if nothing.
func (l *lexicon) lookup(w []byte) *sense {
	if len(w) == 0 {
		return nil
	}
	if l.spelt[wordHash(w)] {
		if s := l.words[string(w)]; s != nil {
			return s
		}
	}
	if len(w) < 3 || !l.heads[headHash(string(w[:3]))] || bytes.IndexByte(w, '_') >= 0 {
		return nil // an underscore makes a name, not an ending
	}
	for n := min(len(w), 24); n >= minStem && len(w)-n <= maxEnding; n-- {
		if !l.stemmed[wordHash(w[:n])] {
			continue
		}
		if s := l.stems[string(w[:n])]; s != nil {
			return s
		}
	}
	return nil
}

// wordHash takes what tells words apart best for the price.
func wordHash(w []byte) uint32 {
	n := len(w)
	return (uint32(w[0]) + uint32(w[n/2])*37 + uint32(w[n-1])*1021 + uint32(w[(n-1)/3])*257 + uint32(n)*4093) & (1<<13 - 1)
}

func headHash(s string) uint32 {
	if len(s) < 3 {
		panic("text: a stem needs three bytes: " + s)
	}
	return (uint32(s[0])*31*31 + uint32(s[1])*31 + uint32(s[2])) & (1<<13 - 1)
}

// matches reports whether word is what a phrase element asks for.
func matches(element string, word []byte) bool {
	if stem, ok := strings.CutSuffix(element, "*"); ok {
		return len(word) >= len(stem) && string(word[:len(stem)]) == stem && len(word)-len(stem) <= maxEnding
	}
	return element == string(word)
}

// inflect lists the forms of an English word, the base form first.
func inflect(w, kind string) []string {
	if strings.HasSuffix(w, "*") {
		return []string{w}
	}
	switch kind {
	case "noun":
		return []string{w, plural(w)}
	case "verb":
		stem := w
		forms := []string{w, plural(w)}
		switch {
		case strings.HasSuffix(w, "e"):
			stem = w[:len(w)-1]
			return append(forms, w+"d", stem+"ing")
		case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
			return append(forms, w[:len(w)-1]+"ied", w+"ing")
		}
		return append(forms, w+"ed", w+"ing")
	}
	return []string{w}
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "y") && len(w) > 2 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s") || strings.HasSuffix(w, "x") || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}

// writtenTogether reports whether a term is of a script that writes words without spaces.
func writtenTogether(s string) bool {
	for _, r := range s {
		if isIdeographic(r) {
			return true
		}
	}
	return false
}

func isIdeographic(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 0x30FC)
}
