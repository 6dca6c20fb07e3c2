package boundary

import (
	"unicode"
	"unicode/utf8"
)

// fold appends s in small letters with every run of white space as one blank, and none at
// either end. What stands whole in another text still does when both are folded.
func fold(b []byte, s string) []byte {
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

func folded(s string) string { return string(fold(make([]byte, 0, len(s)), s)) }

// windows remember which runs of eight folded bytes stand in the arguments of calls: what has
// one that does not stand there cannot have come there. A few bits of a hash of each are
// kept, so that they may say yes too often and never no.
type windows struct {
	bits []uint64
	mask uint64
	buf  []byte
}

// window is how many bytes count at a time.
const window = 8

// The sieve has eight bits a byte of arguments, within these bounds.
const (
	leastWindows = 1 << 16
	mostWindows  = 1 << 28
)

func newWindows(size int) *windows {
	n := uint64(leastWindows)
	for n < mostWindows && n < 8*uint64(size) {
		n *= 2
	}
	return &windows{bits: make([]uint64, n/64), mask: n - 1}
}

func (w *windows) place(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 24 & w.mask }

// add remembers the windows of a text.
func (w *windows) add(text string) {
	w.buf = fold(w.buf[:0], text)
	var key uint64
	for i, c := range w.buf {
		key = key>>8 | uint64(c)<<56
		if i >= window-1 {
			at := w.place(key)
			w.bits[at>>6] |= 1 << (at & 63)
		}
	}
}

// has reports whether the window at f[i:] may have been added.
func (w *windows) has(f []byte, i int) bool {
	var key uint64
	for k := range window {
		key |= uint64(f[i+k]) << (8 * k)
	}
	at := w.place(key)
	return w.bits[at>>6]&(1<<(at&63)) != 0
}

// samples is how many windows of a text are looked at.
const samples = 8

// may reports whether a folded text may stand in what was added. It looks at its ends and a
// few places between.
func (w *windows) may(f []byte) bool {
	if len(f) < window {
		return true // too short to tell
	}
	last := len(f) - window
	for n := range samples {
		if !w.has(f, last*n/(samples-1)) {
			return false
		}
	}
	return true
}

// mayText is may for a text that is not folded; of a long one the beginning goes first.
func (w *windows) mayText(text string) bool {
	const head = 64
	if len(text) > 2*head {
		end := head
		for !utf8.RuneStart(text[end]) {
			end--
		}
		w.buf = fold(w.buf[:0], text[:end])
		if len(w.buf) > window && !w.may(w.buf) {
			return false
		}
	}
	w.buf = fold(w.buf[:0], text)
	return w.may(w.buf)
}
