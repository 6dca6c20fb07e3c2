package secret

// words finds any of a fixed set of strings in one pass, ignoring ASCII case: a dense Aho-Corasick automaton over byte classes. It
// is immutable once built.
type words struct {
	class   [256]uint8
	classes int
	next    []int32   // next[state+class]: states are multiples of classes, plus hit
	out     [][]int32 // out[state/classes]: words that end here, longest first
	length  []int
}

// hit marks an edge to a state that ends a word, so that the inner loop needs no second table.
const hit = 1 << 30

// newWords builds the automaton; words are numbered by their index in list.
func newWords(list []string) *words {
	w := &words{classes: 1, length: make([]int, len(list))} // class 0: in no word
	for _, s := range list {
		for i := range len(s) {
			if c := lowerByte(s[i]); w.class[c] == 0 {
				w.class[c] = uint8(w.classes)
				w.classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		w.class[c] = w.class[lowerByte(c)]
	}
	w.addState()
	for n, s := range list {
		w.length[n] = len(s)
		if s == "" {
			continue
		}
		at := int32(0)
		for i := range len(s) {
			edge := at + int32(w.class[s[i]])
			if w.next[edge] == 0 {
				w.next[edge] = w.addState()
			}
			at = w.next[edge]
		}
		w.out[at/int32(w.classes)] = append(w.out[at/int32(w.classes)], int32(n))
	}
	w.link()
	return w
}

func (w *words) addState() int32 {
	at := len(w.next)
	w.next = append(w.next, make([]int32, w.classes)...)
	w.out = append(w.out, nil)
	return int32(at)
}

// link turns the trie into an automaton: breadth first, each missing edge becomes that of the longest proper suffix, and each state
// also ends its suffix's words.
func (w *words) link() {
	n := int32(w.classes)
	suffix := make([]int32, len(w.out))
	var queue []int32
	for c := range n {
		if s := w.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		back := suffix[at/n]
		w.out[at/n] = append(w.out[at/n], w.out[back/n]...)
		for c := range n {
			s := w.next[at+c]
			if s == 0 {
				w.next[at+c] = w.next[back+c]
				continue
			}
			suffix[s/n] = w.next[back+c]
			queue = append(queue, s)
		}
	}
	for i, to := range w.next {
		if len(w.out[to/n]) > 0 {
			w.next[i] |= hit
		}
	}
}

// eachWord calls found for every occurrence s[start:end] of every word, ordered by end, until it returns false.
func (w *words) eachWord(s string, found func(word, start, end int) bool) {
	at, n := int32(0), int32(w.classes)
	for i := range len(s) {
		at = w.next[at+int32(w.class[s[i]])]
		if at < hit {
			continue
		}
		at -= hit
		for _, word := range w.out[at/n] {
			if !found(int(word), i+1-w.length[word], i+1) {
				return
			}
		}
	}
}

// in reports whether any word occurs in s.
func (w *words) in(s string) (yes bool) {
	w.eachWord(s, func(int, int, int) bool { yes = true; return false })
	return yes
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
