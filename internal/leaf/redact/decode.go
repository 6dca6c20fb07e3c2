package redact

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"io"
)

// leastCoded is the minimum length of an encoded value, in bytes: any text contains four letters that happen to encode a short one.
const leastCoded = 6

// decoded calls found with the decoded form of every encoded run in a view of at least least bytes: hex, binary digits, lists of
// numbers, base64, base32. found must not keep the view.
func (v *view) decoded(least int, found func(view)) {
	v.hexRuns(least, found)
	v.bitRuns(least, found)
	v.numberLists(least, 2, found)
	v.numberLists(least, 3, found)
	v.radixRuns(least, &base64Code, found)
	v.radixRuns(least, &base32Code, found)
	v.radixRuns(least, &base32HexCode, found)
}

// hexRuns decodes runs of hexadecimal digits. A run of odd length, or after other digits, is decoded from its first and from its
// second digit.
func (v *view) hexRuns(least int, found func(view)) {
	d := decoder{of: v}
	for i := 0; i < len(v.text); {
		end := i
		for end < len(v.text) && isHex[v.text[end]] {
			end++
		}
		if end-i >= 2*least {
			for start := i; start <= i+1; start++ {
				d.reset()
				for at := start; at+2 <= end; at += 2 {
					d.put(at, at+2, byte(hexDigit(v.text[at])<<4|hexDigit(v.text[at+1])))
				}
				found(d.out)
			}
		}
		i = max(end, i+1)
	}
}

// bitRuns decodes runs of binary digits, with or without a space or comma between them, from their first digit on.
func (v *view) bitRuns(least int, found func(view)) {
	d := decoder{of: v}
	for i := 0; i < len(v.text); i++ {
		if v.text[i]&^1 != '0' {
			continue
		}
		begin, digits, code := i, 0, byte(0)
		for ; i < len(v.text); i++ {
			switch c := v.text[i]; {
			case c&^1 == '0':
				code = code<<1 | c&1
				if digits++; digits%8 == 0 {
					d.put(begin, i+1, code)
					begin = i + 1
				}
				continue
			case (c == ' ' || c == ',' || c == '\n') && v.text[i-1]&^1 == '0':
				continue
			}
			break
		}
		if digits >= 8*least {
			found(d.out)
		}
		d.reset()
	}
}

// numberLists decodes lists of character codes: pairs of hexadecimal digits (width 2) or decimal numbers of up to three digits
// (width 3), with up to six other characters between them, including 0x and \x.
func (v *view) numberLists(least, width int, found func(view)) {
	const gap = 6
	d := decoder{of: v}
	last := 0
	flush := func() {
		if len(d.out.text) >= least {
			found(d.out)
		}
		d.reset()
	}
	for i := 0; i < len(v.text); {
		n, code := v.number(i, width)
		if n == 0 {
			if alphanumeric(v.text[i]) && !v.prefix(i) {
				flush()
				for i+1 < len(v.text) && alphanumeric(v.text[i+1]) && lowerASCII(v.text[i+1]) != 'x' { // skip the rest of the word
					i++
				}
			}
			i++
			continue
		}
		if i-last > gap {
			flush()
		}
		if code >= 0 {
			d.put(i, i+n, byte(code))
		} else {
			flush()
		}
		i += n
		last = i
	}
	flush()
}

// prefix reports whether the byte at i belongs to the 0x or \x before a number.
func (v *view) prefix(i int) bool {
	c := lowerASCII(v.text[i])
	return c == 'x' && i+1 < len(v.text) && hexDigit(v.text[i+1]) >= 0 || c == '0' && i+1 < len(v.text) && lowerASCII(v.text[i+1]) == 'x'
}

// number parses a separate number at i: its length, 0 for none, and its value, -1 if it is no byte.
func (v *view) number(i, width int) (n, value int) {
	base := 10
	if !isHex[v.text[i]] {
		return 0, 0
	}
	if width == 2 {
		base = 16
		if v.prefix(i) {
			return 0, 0
		}
	}
	end := i
	for end < len(v.text) && end-i <= width {
		d := hexDigit(v.text[end])
		if d < 0 || d >= base {
			break
		}
		value = value*base + d
		end++
	}
	if end == i || end < len(v.text) && alphanumeric(v.text[end]) {
		return 0, 0
	}
	if i > 0 && alphanumeric(v.text[i-1]) && lowerASCII(v.text[i-1]) != 'x' {
		return 0, 0
	}
	if value > 255 || width == 2 && end-i != 2 {
		return end - i, -1
	}
	return end - i, value
}

// A code encodes bits as characters.
type code struct {
	bits, group int       // bits per character; characters until a byte boundary
	digits      [256]int8 // value of a character, -1 for none
	// plausible reports whether a run may be encoded: most runs of letters are words.
	plausible func(run []byte) bool
}

// radixRuns decodes the runs of a code, starting at each character that can begin a byte. Line breaks inside a run are ignored.
func (v *view) radixRuns(least int, c *code, found func(view)) {
	shortest := (8*least + c.bits - 1) / c.bits
	d := decoder{of: v}
	var run []byte
	var places []int
	for i := 0; i < len(v.text); {
		if c.digits[v.text[i]] < 0 {
			i++
			continue
		}
		run, places = run[:0], places[:0]
		for ; i < len(v.text); i++ {
			b := v.text[i]
			if c.digits[b] >= 0 {
				run, places = append(run, b), append(places, i)
			} else if b != '\n' && b != '\r' {
				break
			}
		}
		if len(run) < shortest || !c.plausible(run) {
			continue
		}
		for skip := range c.group {
			d.reset()
			d.radix(run[skip:], places[skip:], c)
			found(d.out)
		}
	}
}

func (d *decoder) radix(run []byte, places []int, c *code) {
	bits, have, begin := 0, 0, 0
	for n, b := range run {
		if have == 0 {
			begin = n
		}
		bits = bits<<c.bits | int(c.digits[b])
		if have += c.bits; have >= 8 {
			have -= 8
			start, _ := d.of.sourceSpan(places[begin], places[begin]+1)
			_, end := d.of.sourceSpan(places[n], places[n]+1)
			d.addByte(byte(bits>>have), start, end)
			bits &= 1<<have - 1
			begin = n
		}
	}
}

// base64Code has both alphabets of RFC 4648. A run must contain a digit, or a capital after another letter.
var base64Code = code{bits: 6, group: 4, digits: digitsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "", "-_"), plausible: func(run []byte) bool {
	for i, b := range run {
		if b >= '0' && b <= '9' || i > 0 && b >= 'A' && b <= 'Z' && run[i-1] >= 'a' {
			return true
		}
	}
	return false
}}

// base32Code has the alphabet of RFC 4648 in either case. A run must contain a digit.
var base32Code = code{bits: 5, group: 8, digits: digitsOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "abcdefghijklmnopqrstuvwxyz", ""), plausible: base32Plausible}

// base32HexCode has the extended alphabet of RFC 4648 in either case.
var base32HexCode = code{bits: 5, group: 8, digits: digitsOf("0123456789ABCDEFGHIJKLMNOPQRSTUV", "0123456789abcdefghijklmnopqrstuv", ""), plausible: base32Plausible}

func base32Plausible(run []byte) bool {
	for _, b := range run {
		if b <= '9' {
			return len(run) >= 13
		}
	}
	return false
}

// digitsOf returns a code's table: alphabet from 0, again from 0, and last in place of the alphabet's last characters.
func digitsOf(alphabet, again, last string) (table [256]int8) {
	for i := range table {
		table[i] = -1
	}
	for i := range len(alphabet) {
		table[alphabet[i]] = int8(i)
	}
	for i := range len(again) {
		table[again[i]] = int8(i)
	}
	for i := range len(last) {
		table[last[i]] = int8(len(alphabet) - len(last) + i)
	}
	return table
}

// mostInflated bounds the decompressed size of one part, in bytes, and mostTried the parts tried in a text.
const (
	mostInflated = 1 << 20
	mostTried    = 64
)

// inflated calls found with the decompressed parts of a view, at most limit bytes of each: gzip, zlib and bzip2, even if truncated.
// Each byte stands for the whole part.
func (v *view) inflated(limit int, found func(view)) {
	tried, from := 0, new(bytes.Reader)
	for i := 0; i+6 < len(v.text) && tried < mostTried; i++ {
		rest := v.text[i:]
		var in io.Reader
		var err error
		from.Reset(rest)
		switch {
		case rest[0] == 0x1f && rest[1] == 0x8b && rest[2] == 8:
			in, err = gzip.NewReader(from)
		case rest[0] == 0x78 && (rest[1] == 0x01 || rest[1] == 0x5e || rest[1] == 0x9c || rest[1] == 0xda):
			in, err = zlib.NewReader(from)
		case rest[0] == 'B' && rest[1] == 'Z' && rest[2] == 'h' && rest[4] == 0x31 && rest[5] == 0x41:
			in = bzip2.NewReader(from)
		default:
			continue
		}
		tried++
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(in, int64(min(limit, mostInflated)))) // what came before an error counts
		if len(text) < Shortest {
			continue
		}
		start, _ := v.sourceSpan(i, i+1)
		_, end := v.sourceSpan(len(v.text)-from.Len()-1, len(v.text)-from.Len())
		d := decoder{of: v}
		for _, c := range text {
			d.addByte(c, start, end)
		}
		found(d.out)
	}
}
