package boundary

import (
	"hash/maphash"
	"math/bits"
)

// prime is the modulus of the hashes, 2^61-1.
const prime = 1<<61 - 1

// keys hash texts as polynomials, so that the hash of a part follows from those of two prefixes.
type keys struct {
	base       uint64
	fine, wide []uint64 // powers of base: 0…, and multiples of fineStep
}

const fineStep = 1 << 10

func newKeys() *keys {
	k := &keys{base: maphash.String(maphash.MakeSeed(), "base")%(prime-1_000) + 500}
	k.fine = make([]uint64, fineStep+1)
	k.fine[0] = 1
	for i := 1; i <= fineStep; i++ {
		k.fine[i] = multiply(k.fine[i-1], k.base)
	}
	k.wide = []uint64{1}
	return k
}

func (k *keys) power(n int) uint64 {
	for len(k.wide) <= n/fineStep {
		k.wide = append(k.wide, multiply(k.wide[len(k.wide)-1], k.fine[fineStep]))
	}
	return multiply(k.wide[n/fineStep], k.fine[n%fineStep])
}

func (k *keys) hashOf(text string) uint64 {
	var h uint64
	for i := range len(text) {
		h = k.extend(h, text[i])
	}
	return h
}

// extend adds a byte, counted from 1 so that leading zeros matter.
func (k *keys) extend(h uint64, c byte) uint64 {
	h = multiply(h, k.base) + uint64(c) + 1
	if h >= prime {
		h -= prime
	}
	return h
}

func multiply(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	sum := low&prime + (high<<3 | low>>61)
	if sum >= prime {
		sum -= prime
	}
	return sum
}

// prefixes hashes any part of a text. It keeps every stride-th prefix, so that it needs as much memory as the text.
type prefixes struct {
	keys *keys
	text string
	at   []uint64
}

const stride = 8

func (p *prefixes) reset(k *keys, text string) {
	p.keys, p.text, p.at = k, text, p.at[:0]
	var h uint64
	for i := range len(text) {
		if i%stride == 0 {
			p.at = append(p.at, h)
		}
		h = k.extend(h, text[i])
	}
	p.at = append(p.at, h) // if the length is a multiple of stride
}

func (p *prefixes) prefix(n int) uint64 {
	h := p.at[n/stride]
	for i := n - n%stride; i < n; i++ {
		h = p.keys.extend(h, p.text[i])
	}
	return h
}

func (p *prefixes) hashPart(i, n int) uint64 {
	h := p.prefix(i + n)
	if i == 0 {
		return h
	}
	before := multiply(p.prefix(i), p.keys.power(n))
	if h < before {
		h += prime
	}
	return h - before
}
