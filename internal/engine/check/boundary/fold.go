package boundary

import (
	"math/bits"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// foldText returns s in lower case with each run of white space as one space, and none at either end. Folding both texts preserves that
// one contains the other.
func foldText(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// A filter remembers hashes, with false positives but without false negatives.
type filter struct {
	bits  []uint64
	shift uint // of a mixed hash, to the bit's number
}

// newFilter returns a filter of a number of bits that is a power of two, at least 64.
func newFilter(size uint64) filter {
	return filter{make([]uint64, size/64), uint(65 - bits.Len64(size))}
}

func (f *filter) place(hash uint64) (word, bit uint64) {
	at := hash * 0x9E3779B97F4A7C15 >> (f.shift & 63)
	return at >> 6, 1 << (at & 63)
}

func (f *filter) add(hash uint64) {
	word, bit := f.place(hash)
	f.bits[word] |= bit
}

func (f *filter) mayHave(hash uint64) bool {
	word, bit := f.place(hash)
	return f.bits[word]&bit != 0
}

// mostHead is the number of bytes that one number holds.
const mostHead = 8

// headOf packs the first n bytes of a text, at most mostHead, the first one lowest.
func headOf(text string, n int) uint64 {
	var head uint64
	for i := range n {
		head |= uint64(text[i]) << (8 * i)
	}
	return head
}

// windows remembers the short byte windows of folded call arguments: a text with another window cannot have come from there.
type windows struct {
	filter
	size int // bytes per window
}

// The filter has eight bits per byte of arguments, within these bounds.
const (
	leastSieve = 1 << 16
	mostSieve  = 1 << 28
)

func newWindows(least, size int) *windows {
	n := uint64(leastSieve)
	for n < mostSieve && n < 8*uint64(size) {
		n *= 2
	}
	return &windows{newFilter(n), min(least, mostHead)}
}

func (w *windows) addWindows(text string) {
	f := foldText(text)
	for i := 0; i+w.size <= len(f); i++ {
		w.add(headOf(f[i:], w.size))
	}
}

// hasWindow reports whether the window at f[i:] may have been added.
func (w *windows) hasWindow(f string, i int) bool { return w.mayHave(headOf(f[i:], w.size)) }

// samples is the number of windows of a text that are checked.
const samples = 8

// mayHold reports whether a folded text may occur in what was added. It checks both ends and some places between.
func (w *windows) mayHold(f string) bool {
	if len(f) < w.size {
		return true // too short to tell
	}
	last := len(f) - w.size
	for n := range samples {
		if !w.hasWindow(f, last*n/(samples-1)) {
			return false
		}
	}
	return true
}

// mayHoldText is mayHold for an unfolded text, checking the beginning of a long one first.
func (w *windows) mayHoldText(text string) bool {
	const head = 64
	return (len(text) <= 2*head || w.mayHold(foldText(excerpt.Head(text, head)))) && w.mayHold(foldText(text))
}
