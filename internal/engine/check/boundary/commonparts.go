package boundary

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"gauntlet/internal/leaf/lazyregexp"
)

// blockIndex finds long common parts. It remembers the adjacent blocks of each folded result text that may occur in an
// argument: any common part of twice that length contains a whole block.
type blockIndex struct {
	places map[uint64][]blockAt // by the hash of a block, in trace order
	maybe  filter               // fast, before places
	texts  []blockText
	steps  int
}

// A blockText is a folded string of a result that has blocks.
type blockText struct {
	held   held
	folded string
}

type blockAt struct{ text, offset int32 }

const (
	block = 24
	// leastCommon is the shortest common part that must contain a block.
	leastCommon = 2 * block
	// mostBlocks limits the places remembered per block.
	mostBlocks = 4
)

// sieveBits is the size of the filter, as a power of two.
const sieveBits = 23

func newBlocks() blockIndex {
	return blockIndex{places: map[uint64][]blockAt{}, maybe: newFilter(1 << sieveBits)}
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
			b.texts = append(b.texts, blockText{h, f})
		}
		if k := blockHash(f, i); len(b.places[k]) < mostBlocks {
			b.places[k] = append(b.places[k], blockAt{n, int32(i)})
			b.maybe.add(k)
		}
	}
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
	if len(b.places) == 0 {
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
		for _, p := range b.places[k] {
			if t := &b.texts[p.text]; ok(t.held) {
				start, end := extendMatch(f, i, t.folded, int(p.offset))
				b.steps += end - start
				if end-start > len(best.text) {
					best = commonPart{t.held, start, f[start:end]}
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

//go:embed commonwords.txt
var commonText string

// commonWords are the lower-case strings of commonwords.txt.
var commonWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out[line] = true
		}
	}
	return out
})

// mediaType matches a media type of RFC 6838 with an optional charset.
var mediaType = lazyregexp.New(`^(application|audio|font|image|message|model|multipart|text|video)/[a-z0-9][a-z0-9.+-]*(; ?charset=[a-z0-9-]+)?$`)

// isCommonWord reports whether a text is a word common in protocols and programs, which says nothing about its origin.
func isCommonWord(text string) bool {
	if len(text) > 100 {
		return false
	}
	t := strings.ToLower(strings.TrimSpace(text))
	return commonWords()[t] || mediaType.MatchString(t) || t == "" || strings.Trim(t, t[:1]) == "" // one character, like rulers and blanks
}
