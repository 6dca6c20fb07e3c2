package classify

// A wordTable finds words faster than a map does: half of a classification is looking words up, and most that a server
// writes are not there. It uses open addressing, is at most half full, and is read-only once made.
type wordTable struct {
	slots []wordSlot // a power of two
}

type wordSlot struct {
	hash  uint32
	word  string
	entry *entry
}

func newWordTable(words map[string]*entry) wordTable {
	size := 1
	for size < 2*len(words) {
		size *= 2
	}
	t := wordTable{make([]wordSlot, size)}
	for word, e := range words {
		h := wordHash([]byte(word))
		i := int(h) & (size - 1)
		for t.slots[i].entry != nil {
			i = (i + 1) & (size - 1)
		}
		t.slots[i] = wordSlot{h, word, e}
	}
	return t
}

// findEntry returns what is known of a word, nil for nothing.
func (t wordTable) findEntry(word []byte) *entry {
	h := wordHash(word)
	for i := int(h) & (len(t.slots) - 1); ; i = (i + 1) & (len(t.slots) - 1) {
		switch s := &t.slots[i]; {
		case s.entry == nil:
			return nil
		case s.hash == h && s.word == string(word):
			return s.entry
		}
	}
}

// wordHash is FNV-1a. Words are ours, and those of a server are looked up and never stored, so that nobody can fill a slot.
func wordHash(word []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range word {
		h = (h ^ uint32(c)) * 16777619
	}
	return h ^ h>>15
}
