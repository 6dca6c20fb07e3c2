package boundary

import (
	"hash/maphash"
	"unicode/utf8"
)

// blocks find long common parts. Of each folded text of a result every sixteenth run of
// sixteen bytes is remembered, if it may stand in an argument at all: whatever is common to
// both and long enough holds one of them whole.
type blocks struct {
	seed  maphash.Seed
	at    map[uint64][]blockAt
	texts []part
	steps int
}

// A part is a text of a result.
type part struct {
	text         string // folded
	call, offset int    // see held
}

type blockAt struct{ text, offset int }

const (
	block = 16
	// mostBlocks is how many places are remembered for one block.
	mostBlocks = 8
)

func newBlocks() blocks { return blocks{seed: maphash.MakeSeed(), at: map[uint64][]blockAt{}} }

// learn remembers the blocks of a folded text.
func (b *blocks) learn(w *windows, f string, p part) {
	n := -1
	raw := []byte(f)
	for i := 0; i+block <= len(raw); i += block {
		if !w.has(raw, i) || !w.has(raw, i+block-window) {
			continue
		}
		if n < 0 {
			n = len(b.texts)
			p.text = f
			b.texts = append(b.texts, p)
		}
		h := maphash.String(b.seed, f[i:i+block])
		if places := b.at[h]; len(places) < mostBlocks {
			b.at[h] = append(places, blockAt{n, i})
		}
	}
}

// A share is a part that an argument has in common with a result.
type share struct {
	part  *part
	start int // in the folded argument
	text  string
}

// look returns the longest common parts of a folded argument with texts that ok accepts, at
// least least characters each; what has been found is not looked at again.
func (b *blocks) look(f string, least int, ok func(*part) bool) []share {
	var out []share
	if len(b.at) == 0 {
		return nil
	}
	for i := 0; i+block <= len(f); {
		b.steps++
		var best share
		for _, p := range b.at[maphash.String(b.seed, f[i:i+block])] {
			t := &b.texts[p.text]
			if !ok(t) {
				continue
			}
			start, end := extend(f, i, t.text, p.offset)
			b.steps += end - start
			if end-start > len(best.text) {
				best = share{t, start, f[start:end]}
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

// extend returns how far two texts are alike around a block at f[i:] and t[o:], in whole
// characters of f. In front there can be less than a block: an earlier one would have been
// found first.
func extend(f string, i int, t string, o int) (start, end int) {
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
