package boundary

import "unicode/utf8"

// blockIndex finds long common parts. It remembers the adjacent blocks of each folded result text that may occur in an
// argument: any common part of twice that length contains a whole block. Texts are read again on demand.
type blockIndex struct {
	first map[uint64]int32 // block hash to the first index in places
	// places are chained by hash, in trace order.
	places []blockAt
	maybe  filter // fast, before first
	texts  []held // strings of results that have blocks
	read   func(held) string
	cache  map[int32]string
	steps  int
}

type blockAt struct {
	text, offset int32
	next         int32 // index in places, 0 for none
}

const (
	block = 24
	// leastCommon is the shortest common part that must contain a block.
	leastCommon = 2 * block
	// mostBlocks limits the places remembered per block.
	mostBlocks = 4
	// mostCached limits the texts kept after reading them again.
	mostCached = 256
)

// sieveBits is the size of the filter, as a power of two.
const sieveBits = 23

func newBlocks(read func(held) string) blockIndex {
	return blockIndex{first: map[uint64]int32{}, places: make([]blockAt, 1), maybe: newFilter(1 << sieveBits), read: read, cache: map[int32]string{}}
}

func blockHash(f string, i int) uint64 {
	return mixHashes(mixHashes(headOf(f[i:], 8), headOf(f[i+8:], 8)), headOf(f[i+16:], 8))
}

// addBlocks remembers the blocks of a folded text.
func (b *blockIndex) addBlocks(w *windows, f string, h held) {
	n := int32(-1)
	for i := 0; i+block <= len(f); i += block {
		if !w.hasWindow(f, i) || !w.hasWindow(f, i+block-w.size) || !w.hasWindow(f, i+(block-w.size)/2) {
			continue
		}
		if n < 0 {
			n = int32(len(b.texts))
			b.texts = append(b.texts, h)
		}
		b.putBlock(blockHash(f, i), blockAt{text: n, offset: int32(i)})
	}
}

func (b *blockIndex) putBlock(k uint64, at blockAt) {
	last, n := b.first[k], 1
	for ; last != 0 && b.places[last].next != 0; last = b.places[last].next {
		n++
	}
	if last != 0 && n >= mostBlocks {
		return
	}
	b.places = append(b.places, at)
	if here := int32(len(b.places) - 1); last != 0 {
		b.places[last].next = here
	} else {
		b.first[k] = here
	}
	b.maybe.add(k)
}

func (b *blockIndex) readAgain(n int32) string {
	f, ok := b.cache[n]
	if !ok {
		if len(b.cache) >= mostCached {
			clear(b.cache)
		}
		f = b.read(b.texts[n])
		b.cache[n] = f
	}
	return f
}

// A commonPart is a part that an argument shares with a result.
type commonPart struct {
	held  held
	start int // in the folded argument
	text  string
}

// findCommonParts returns parts of at least least characters that a folded argument shares with texts accepted by ok.
// Parts that were found are not searched again.
func (b *blockIndex) findCommonParts(f string, least int, ok func(held) bool) []commonPart {
	var out []commonPart
	if len(b.first) == 0 {
		return nil
	}
	for i := 0; i+block <= len(f); {
		b.steps++
		k := blockHash(f, i)
		if !b.maybe.mayHave(k) {
			i++
			continue
		}
		var best commonPart
		for at := b.first[k]; at != 0; at = b.places[at].next {
			p := b.places[at]
			if h := b.texts[p.text]; ok(h) {
				start, end := extendMatch(f, i, b.readAgain(p.text), int(p.offset))
				b.steps += end - start
				if end-start > len(best.text) {
					best = commonPart{h, start, f[start:end]}
				}
			}
		}
		if best.text != "" && utf8.RuneCountInString(best.text) >= least {
			out = append(out, best)
			i = best.start + len(best.text)
			continue
		}
		i++
	}
	return out
}

// extendMatch returns the extent of a match around a block at f[i:] and t[o:], in whole characters of f. Less than a
// block can precede it, otherwise an earlier one would have been found first.
func extendMatch(f string, i int, t string, o int) (start, end int) {
	start, end = i, i
	for start > 0 && i-start < block && o-(i-start) > 0 && f[start-1] == t[o-(i-start)-1] {
		start--
	}
	for end < len(f) && o+end-i < len(t) && f[end] == t[o+end-i] {
		end++
	}
	for start < end && !utf8.RuneStart(f[start]) {
		start++
	}
	for end > start && end < len(f) && !utf8.RuneStart(f[end]) {
		end--
	}
	return start, end
}
