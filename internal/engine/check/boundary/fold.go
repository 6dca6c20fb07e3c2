package boundary

import (
	"hash/maphash"
	"unicode"
	"unicode/utf8"
)

// appendFolded appends s in lower case with each run of white space as one space, and none at either end. Folding both
// texts preserves that one contains the other.
func appendFolded(b []byte, s string) []byte {
	begin, blank := len(b), false
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if c == ' ' || c >= '\t' && c <= '\r' {
				blank = len(b) > begin
				continue
			}
			if blank {
				b, blank = append(b, ' '), false
			}
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			b = append(b, c)
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if unicode.IsSpace(r) {
			blank = len(b) > begin
			continue
		}
		if blank {
			b, blank = append(b, ' '), false
		}
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	return b
}

func foldText(s string) string { return string(appendFolded(make([]byte, 0, len(s)), s)) }

// windowFilter remembers the short byte windows of folded call arguments: a text with another window cannot have come
// from there. It keeps a hash bit per window, so it has false positives but no false negatives.
type windowFilter struct {
	size int    // bytes per window
	base uint64 // of the hash, odd and random per filter
	drop uint64 // base to the power of size
	bits []uint64
	mask uint64
	buf  []byte
}

// mostWindow is the window size unless shorter values are followed.
const mostWindow = 12

// The filter has eight bits per byte of arguments, within these bounds.
const (
	leastSieve = 1 << 16
	mostSieve  = 1 << 28
)

func newWindows(least, size int) *windowFilter {
	n := uint64(leastSieve)
	for n < mostSieve && n < 8*uint64(size) {
		n *= 2
	}
	w := &windowFilter{size: min(least, mostWindow), base: maphash.String(maphash.MakeSeed(), "") | 1, drop: 1, bits: make([]uint64, n/64), mask: n - 1}
	for range w.size {
		w.drop *= w.base
	}
	return w
}

// bitOf returns the bit of a hash.
func (w *windowFilter) bitOf(h uint64) uint64 { return h * 0x9E3779B97F4A7C15 >> 24 & w.mask }

// addWindows adds the windows of a text.
func (w *windowFilter) addWindows(text string) {
	w.buf = appendFolded(w.buf[:0], text)
	var h uint64
	for i, c := range w.buf {
		h = h*w.base + uint64(c) + 1
		if i >= w.size {
			h -= w.drop * (uint64(w.buf[i-w.size]) + 1)
		}
		if i >= w.size-1 {
			at := w.bitOf(h)
			w.bits[at>>6] |= 1 << (at & 63)
		}
	}
}

// hasWindow reports whether the window at f[i:] may have been added.
func (w *windowFilter) hasWindow(f string, i int) bool {
	var h uint64
	for _, c := range []byte(f[i : i+w.size]) {
		h = h*w.base + uint64(c) + 1
	}
	at := w.bitOf(h)
	return w.bits[at>>6]&(1<<(at&63)) != 0
}

// samples is the number of windows of a text that are checked.
const samples = 8

// mayHold reports whether a folded text may occur in what was added. It checks both ends and some places between.
func (w *windowFilter) mayHold(f string) bool {
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
func (w *windowFilter) mayHoldText(text string) bool {
	const head = 64
	if len(text) > 2*head {
		end := head
		for !utf8.RuneStart(text[end]) {
			end--
		}
		if f := foldText(text[:end]); len(f) > w.size && !w.mayHold(f) {
			return false
		}
	}
	return w.mayHold(foldText(text))
}
