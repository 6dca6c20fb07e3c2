package clause

import (
	"strings"
	"unicode/utf8"

	"gauntlet/internal/leaf/text"
)

// The learnt layer sees a text as a row of words. A word that is an address, a path or a name
// counts as what it is, besides the pieces it is made of: an attack works with any address.
const (
	buckets   = 1 << 19 // of the table of n-grams, which share entries by their hashes
	wordsBack = 8       // words with classes before one that its classes are paired with
)

// A learntWord is one word of a text as the learnt layer sees it.
type learntWord struct {
	start, end int32
	grams      int32 // its first n-gram in features.grams
	pairs      int32 // its first pair of classes in features.pairs
	named      int32 // words before it that are in a name of the definition
}

// features is what the learnt layer sees of one text. Its memory is reused.
type features struct {
	words []learntWord
	grams []uint32 // entries of the table of n-grams
	pairs []uint16 // entries of the table of pairs of classes
	last  [wordsBack]classSet
	n     int // sets in last, in all
	a, b  uint32
	seen  int   // words so far, up to two
	named int32 // words so far that are in a name of the definition

	names struct { // the words of the names of the definition and of its parameters
		stems   map[uint32]bool
		classes classSet
	}

	met meetings // of words, over all texts
	at  uint32   // words so far, over all texts
}

// again is within how many words an entry counts once: rows of numbers or letters repeat themselves, and say no more for it.
const again = 12

// meetings remembers which entries were met last, in a table that a processor keeps at hand. An entry that shares its slot with
// another one of the same words can count twice.
type meetings [1 << 12]meeting

type meeting struct{ entry, at uint32 }

// news notes that an entry is met, and reports whether it was not just before. Pairs are told from n-grams by their numbers.
func (f *features) news(entry uint32) bool {
	m := &f.met[entry%uint32(len(f.met))]
	is := m.entry != entry || f.at-m.at > again
	*m = meeting{entry, f.at}
	return is
}

func (f *features) read(s string, toks []token) {
	f.words, f.grams, f.pairs, f.n, f.seen, f.named = f.words[:0], f.grams[:0], f.pairs[:0], 0, 0, 0
	f.at += again + 1
	at := 0
	for i := range toks {
		t := &toks[i]
		f.between(s[at:t.start])
		at = int(t.end)
		set := t.set
		if t.also != nil {
			set.addAll(t.also.alt)
		}
		if c, ok := shapeOf(set); ok {
			f.word(t.start, t.end, hashOf(uint32(c), 11))
			f.pieces(s[t.start:t.end])
		} else {
			f.plain(s, int(t.start), int(t.end))
		}
		if !set.empty() && len(f.words) > 0 {
			f.classes(set)
		}
	}
	f.between(s[at:])
}

// shapes are the classes of words that stand for themselves, and which of them counts where there are several.
var shapes = [...]class{credFile, envName, account, badPlace, ownPlace, address, webURL, path, fileName, ownParam, self, sibling, ident}

func shapeOf(set classSet) (class, bool) {
	for _, c := range shapes {
		if set.has(c) {
			return c, true
		}
	}
	return 0, false
}

// between notes the signs between two words that say how a text speaks.
func (f *features) between(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '!', ':':
			if len(f.words) > 0 {
				f.grams = append(f.grams, hashOf(uint32(c), 12)&(buckets-1))
			}
		}
	}
}

// word begins a word with a hash; its features end there: runs of one to three words, and pairs with a word between.
func (f *features) word(start, end int32, h uint32) {
	f.at++
	f.words = append(f.words, learntWord{start, end, int32(len(f.grams)), int32(len(f.pairs)), f.named})
	if f.names.stems[h] {
		f.named++
	}
	f.gram(h, 1)
	if f.seen >= 1 {
		f.gram(hashOf(f.b, h), 2)
	}
	if f.seen >= 2 {
		f.gram(hashOf(hashOf(f.a, f.b), h), 3)
		f.gram(hashOf(f.a, h), 4)
	}
	f.a, f.b = f.b, h
	f.seen = min(f.seen+1, 2)
}

func (f *features) gram(h, kind uint32) {
	if g := hashOf(h, kind) & (buckets - 1); f.news(g) {
		f.grams = append(f.grams, g)
	}
}

func (f *features) pair(p uint16) {
	if f.news(buckets + uint32(p)) {
		f.pairs = append(f.pairs, p)
	}
}

// plain reads the words of a token that is none by its shape: a term of the lists can have several.
func (f *features) plain(s string, i, end int) {
	for i < end {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			i = f.foreign(s, i, end)
		case isLetter(c) || c >= '0' && c <= '9':
			j := i
			for j < end && (isLetter(s[j]) || s[j] >= '0' && s[j] <= '9' || s[j] == '\'') {
				j++
			}
			h := uint32(number)
			if strings.ContainsFunc(s[i:j], func(r rune) bool { return r < '0' || r > '9' }) {
				h = stemHash(s[i:j])
			}
			f.word(int32(i), int32(j), h)
			i = j
		default:
			i++
		}
	}
}

// foreign reads a run of letters outside ASCII: pairs of characters where a script does not part words, words and their
// beginnings elsewhere.
func (f *features) foreign(s string, i, end int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if text.Ideographic(r) {
		next, n := rune(0), 0
		if i+size < end {
			next, n = utf8.DecodeRuneInString(s[i+size:])
		}
		f.word(int32(i), int32(i+size+n), hashOf(uint32(r), uint32(next)))
		return i + size
	}
	h, n, j := uint32(fnvOffset), 0, i
	for j < end && (s[j] >= utf8.RuneSelf || isLetter(s[j])) {
		r, size := utf8.DecodeRuneInString(s[j:])
		if text.Ideographic(r) {
			break
		}
		h = (h ^ uint32(r)) * fnvPrime
		j += size
		if n++; n == 5 {
			f.gram(h, 6)
		}
	}
	f.word(int32(i), int32(j), h)
	return max(j, i+size)
}

// pieces notes the words that an address, a path or a name is made of.
func (f *features) pieces(s string) {
	from := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && (isLetter(s[i]) || s[i] >= '0' && s[i] <= '9' || s[i] >= utf8.RuneSelf) && !(i > from && s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a') {
			continue
		}
		if i > from && !placeholder(s[from:i]) {
			f.gram(stemHash(s[from:i]), 5)
		}
		from = i
		if i < len(s) && !isLetter(s[i]) {
			from++
		}
	}
}

// placeholder reports whether a part of an address stands for any other: whoever writes data for a fit invents hosts, and real documentation
// has these.
func placeholder(s string) bool {
	switch s {
	case "example", "test", "invalid", "com", "org", "net", "io", "https", "http", "www":
		return true
	}
	return false
}

// classes notes the classes of the last word and their pairs with those of words before. A class that a name of the definition has as well
// is what the tool is for, and counts for itself: a secret in what get_secret says.
func (f *features) classes(set classSet) {
	for c := range set.all() {
		p := uint16(c)
		if f.names.classes.has(c) {
			p += uint16(classes) * (uint16(classes) + 1)
		}
		f.pair(p)
	}
	for k := max(0, f.n-wordsBack); k < f.n; k++ {
		for a := range f.last[k%wordsBack].all() {
			for b := range set.all() {
				f.pair(uint16(classes)*(uint16(a)+1) + uint16(b))
			}
		}
	}
	f.last[f.n%wordsBack] = set
	f.n++
}

// pairEntries is the size of the table of classes, of pairs of classes, and of classes that are in a name of the definition.
const pairEntries = int(classes) * (int(classes) + 2)

// namedEntries is the size of the table of how much a window says of what the names of its definition say: none to three words or more in a
// few words, in many, and where there is no name.
const (
	namedEntries = 9
	noName       = namedEntries - 1
	manyWords    = 16
)

// namedIn returns the entry of the words between two. An order that was put into a description speaks of something else than its tool.
func (f *features) namedIn(from, to int) int {
	if len(f.names.stems) == 0 {
		return noName
	}
	named := f.named
	if to < len(f.words) {
		named = f.words[to].named
	}
	entry := min(int(named-f.words[from].named), 3)
	if to-from > manyWords {
		entry += noName / 2
	}
	return entry
}

// forget leaves the names of the definition before.
func (f *features) forget() {
	f.names.classes = classSet{}
	if f.names.stems == nil {
		f.names.stems = map[uint32]bool{}
	}
	clear(f.names.stems)
}

func (f *features) name(s string, toks []token) {
	for i := range toks {
		f.names.classes.addAll(toks[i].set)
	}
	for w := range strings.FieldsSeq(s) {
		if len(w) > 2 {
			f.names.stems[stemHash(w)] = true
		}
	}
}

const (
	number    = 0x6E756D62 // what all numbers count as
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

func hashOf(a, b uint32) uint32 {
	h := (a ^ 0x9E3779B9) * 0x85EBCA6B
	h ^= h >> 15
	h = (h + b) * 0xC2B2AE35
	return h ^ h>>13
}

// stemHash hashes a word without its ending: forward, forwards, forwarded and forwarding are one.
func stemHash(w string) uint32 {
	n := len(w)
	for _, end := range [...]string{"ies", "ing", "ed", "es", "s"} {
		if n >= len(end)+3 && lowerEqual(w[n-len(end):], end) {
			n -= len(end)
			break
		}
	}
	if n > 3 && lower(w[n-1]) == 'e' {
		n--
	}
	h := uint32(fnvOffset)
	for i := 0; i < n; i++ {
		if w[i] != '\'' {
			h = (h ^ uint32(lower(w[i]))) * fnvPrime
		}
	}
	return h
}

func lowerEqual(s, low string) bool {
	for i := range len(low) {
		if lower(s[i]) != low[i] {
			return false
		}
	}
	return true
}
