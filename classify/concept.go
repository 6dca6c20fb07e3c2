package classify

import (
	_ "embed"
	"math/bits"
	"strings"
	"sync"
)

//go:embed concepts.txt
var conceptsText string

// A conceptSet holds which concepts a word belongs to, a bit each, by their order in concepts.txt.
type conceptSet uint64

const maxConcepts = 64

// conceptNames are the names of the concepts, in the order of their bits.
var conceptNames = func() (out []string) {
	for line := range strings.Lines(conceptsText) {
		if name, _, ok := strings.Cut(line, ":"); ok && line[0] != '#' {
			out = append(out, name)
		}
	}
	if len(out) > maxConcepts {
		panic("classify: concepts.txt: too many concepts")
	}
	return out
}()

// A conceptList is concepts.txt: what words are about, coarser than the lexicon and wider, for the weighing of evidence. Like a
// wordTable it uses open addressing and is read-only once made.
type conceptList struct {
	slots []conceptSlot // a power of two, at most half full
}

type conceptSlot struct {
	hash uint64 // of the stem
	stem string
	set  conceptSet
}

// conceptsOf returns the concepts of a stem.
func (l conceptList) conceptsOf(stem []byte) conceptSet {
	h := hashBytes(fnvOffset, stem)
	for i := int(h>>7) & (len(l.slots) - 1); ; i = (i + 1) & (len(l.slots) - 1) {
		switch s := &l.slots[i]; {
		case s.set == 0:
			return 0
		case s.hash == h && s.stem == string(stem):
			return s.set
		}
	}
}

var loadConcepts = sync.OnceValue(func() conceptList {
	sets, n := map[string]conceptSet{}, 0
	for line := range strings.Lines(conceptsText) {
		_, words, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			sets[string(stemWord([]byte(w)))] |= 1 << n
		}
		n++
	}
	return newConceptList(sets)
})

func newConceptList(sets map[string]conceptSet) conceptList {
	size := 1
	for size < 2*len(sets) {
		size *= 2
	}
	out := conceptList{make([]conceptSlot, size)}
	for stem, set := range sets {
		h := hashString(fnvOffset, stem)
		i := int(h>>7) & (size - 1)
		for out.slots[i].set != 0 {
			i = (i + 1) & (size - 1)
		}
		out.slots[i] = conceptSlot{h, stem, set}
	}
	return out
}

// each calls visit with the number of each concept of the set.
func (s conceptSet) each(visit func(int)) {
	for ; s != 0; s &= s - 1 {
		visit(bits.TrailingZeros64(uint64(s)))
	}
}
