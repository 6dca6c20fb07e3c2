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

// A conceptList is concepts.txt: what words are about by their stems, coarser than the lexicon and wider, for the weighing of
// evidence.
type conceptList map[string]conceptSet

func (l conceptList) conceptsOf(stem []byte) conceptSet { return l[string(stem)] }

var loadConcepts = sync.OnceValue(func() conceptList {
	out, n := conceptList{}, 0
	for line := range strings.Lines(conceptsText) {
		_, words, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			out[string(stemWord([]byte(w)))] |= 1 << n
		}
		n++
	}
	return out
})

// each calls visit with the number of each concept of the set.
func (s conceptSet) each(visit func(int)) {
	for ; s != 0; s &= s - 1 {
		visit(bits.TrailingZeros64(uint64(s)))
	}
}
