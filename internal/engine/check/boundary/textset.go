package boundary

import "math/bits"

// A Set finds which of many texts occur in another text.
//
// The texts are in a compacted trie searched by hashes of prefixes (a z-fast trie: Belazzougui, Boldi, Pagh, Vigna,
// "Fast prefix search in little space", 2010). At every position, the longest text that begins there is found in a
// number of steps logarithmic in its length; all others that begin there are its prefixes. So the time is linear in
// what is added and searched, times that logarithm, however repetitive the texts, plus one step per text found.
//
// Texts are compared by 61-bit hashes with a random key per Set, so that nobody can prepare collisions. Callers that
// need certainty compare what was found.
//
// It is not safe for concurrent use.
type Set struct {
	// Steps counts nodes and positions visited, which tests limit.
	Steps int

	width    int // bytes of a text's beginning in heads
	shortest int
	longest  int
	texts    int
	nodes    []node
	handles  map[handle]int32 // by the prefix that represents a node
	children map[child]int32
	heads    map[uint64]struct{} // beginnings of texts
	maybe    filter              // fast, before heads
	stamp    uint32              // of the current search
	keys     *keys
	prefixes prefixes
}

// A node is a text of the set, or a prefix where two of them diverge.
type node struct {
	text   string // the node is text[:end]
	end    int
	parent int32
	id     int32 // of the text that ends here, -1 for none
	hash   uint64
	handle handle
	stamp  uint32
}

// A handle is a prefix by hash and length.
type handle struct {
	hash   uint64
	length int
}

type child struct {
	of    int32
	first byte
}

// setSieveBits is the size of the filter, as a power of two.
const setSieveBits = 20

// NewSet returns an empty set for texts of at least shortest bytes, at least 1.
func NewSet(shortest int) *Set {
	s := &Set{
		shortest: max(shortest, 1), handles: map[handle]int32{}, children: map[child]int32{}, heads: map[uint64]struct{}{},
		maybe: newFilter(1 << setSieveBits), keys: newKeys(),
	}
	s.width = min(s.shortest, mostHead)
	s.nodes = []node{{parent: -1, id: -1}}
	return s
}

// Len returns the number of texts: their ids are 0 to Len()-1.
func (s *Set) Len() int { return s.texts }

// Add adds a text and returns its id; added is false if it was present. A text that is too short is not added and has
// the id -1. The set retains the text.
func (s *Set) Add(text string) (id int, added bool) {
	if len(text) < s.shortest {
		return -1, false
	}
	s.Steps += len(text)
	s.prefixes.reset(s.keys, text)
	at := s.deepest(0, len(text))
	n := &s.nodes[at]
	if n.end < len(text) {
		at = s.grow(at, text)
		n = &s.nodes[at]
	}
	if n.id >= 0 {
		return int(n.id), false
	}
	n.id = int32(s.texts)
	s.texts++
	s.longest = max(s.longest, len(text))
	head := headOf(text, s.width)
	s.heads[head] = struct{}{}
	s.maybe.add(head)
	return int(n.id), true
}

// grow adds a node for text below at, the deepest node that is a prefix of it.
func (s *Set) grow(at int32, text string) int32 {
	from := s.nodes[at].end
	below, ok := s.children[child{at, text[from]}]
	if !ok {
		return s.leaf(at, text)
	}
	b := &s.nodes[below]
	common := from + 1
	for common < min(len(text), b.end) && text[common] == b.text[common] {
		common++
	}
	s.Steps += common - from
	fork := s.split(at, below, common)
	if common == len(text) {
		return fork
	}
	return s.leaf(fork, text)
}

// leaf adds a node for a text below a node.
func (s *Set) leaf(of int32, text string) int32 {
	from := s.nodes[of].end
	n := node{text: text, end: len(text), parent: of, id: -1, hash: s.prefixes.hashPart(0, len(text))}
	h := mostEven(from, len(text))
	n.handle = handle{s.prefixes.hashPart(0, h), h}
	return s.put(n, child{of, text[from]})
}

func (s *Set) put(n node, as child) int32 {
	at := int32(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.handles[n.handle] = at
	s.children[as] = at
	return at
}

// split inserts a node for the first bytes of below between it and its parent. The text being added begins with them.
func (s *Set) split(of, below int32, end int) int32 {
	b := s.nodes[below]
	from := s.nodes[of].end
	fork := node{text: b.text, end: end, parent: of, id: -1, hash: s.prefixes.hashPart(0, end)}
	h := mostEven(from, end)
	fork.handle = handle{s.prefixes.hashPart(0, h), h}
	if b.handle.length <= end {
		// The fork takes over the handle. The new handle of below is less than twice as long as this one, hence as the
		// text being added, so that hashing it keeps the total linear.
		h := mostEven(end, b.end)
		s.Steps += h
		b.handle = handle{s.keys.hashOf(b.text[:h]), h}
		s.handles[b.handle] = below
	}
	b.parent = int32(len(s.nodes))
	s.nodes[below] = b
	s.children[child{b.parent, b.text[end]}] = below
	return s.put(fork, child{of, b.text[from]})
}

// deepest returns the node for the longest prefix of n bytes from i in the text of prefixes.
func (s *Set) deepest(i, n int) int32 {
	at := int32(0)
	low, high := 0, min(n, max(s.longest, s.shortest))
	for low < high {
		s.Steps++
		h := mostEven(low, high)
		found, ok := s.handles[handle{s.prefixes.hashPart(i, h), h}]
		if !ok {
			high = h - 1
			continue
		}
		f := &s.nodes[found]
		if f.end > n || s.prefixes.hashPart(i, f.end) != f.hash {
			return f.parent
		}
		at, low = found, f.end
	}
	return at
}

// mostEven returns the number in (low, high] divisible by the largest power of two.
func mostEven(low, high int) int {
	return high &^ (1<<(bits.Len(uint(low^high))-1) - 1)
}

// Find calls found once for each text of the set that occurs in text, with the byte offset of an occurrence. It stops
// and returns false if found does.
func (s *Set) Find(text string, found func(id, at int) bool) bool {
	if s.texts == 0 || len(text) < s.shortest {
		return true
	}
	if s.stamp++; s.stamp == 0 { // after four billion searches
		for i := range s.nodes {
			s.nodes[i].stamp = 0
		}
		s.stamp = 1
	}
	s.Steps += len(text)
	ready := false
	head, shift := headOf(text, s.width-1)<<8, 8*(s.width-1)
	for i := 0; i+s.width <= len(text); i++ {
		head = head>>8 | uint64(text[i+s.width-1])<<shift
		if !s.maybe.mayHave(head) {
			continue
		}
		if _, ok := s.heads[head]; !ok {
			continue
		}
		if !ready {
			s.prefixes.reset(s.keys, text)
			ready = true
		}
		if !s.tell(s.deepest(i, len(text)-i), i, found) {
			return false
		}
	}
	return true
}

// tell reports the texts that end at a node or above it. What this search has reported is marked, and so is everything above it.
func (s *Set) tell(at int32, place int, found func(id, at int) bool) bool {
	for at > 0 && s.nodes[at].stamp != s.stamp {
		s.Steps++
		n := &s.nodes[at]
		n.stamp = s.stamp
		if n.id >= 0 && !found(int(n.id), place) {
			return false
		}
		at = n.parent
	}
	return true
}
