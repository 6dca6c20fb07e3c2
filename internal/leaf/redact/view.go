package redact

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A view is a decoded text with the source position of each byte.
type view struct {
	text []byte
	// from and to are where a byte's spelling begins and ends; nil if the view is the text itself, from base.
	from, to []int32
	base     int
}

func newView(text string) view { return view{text: []byte(text)} }

// sourceSpan returns where in the searched text bytes i to j of the view are spelled.
func (v *view) sourceSpan(i, j int) (start, end int) {
	if v.from == nil {
		return v.base + i, v.base + j
	}
	return int(v.from[i]), int(v.to[j-1])
}

// A decoder makes a view from another.
type decoder struct {
	of  *view
	out view
}

func (v *view) decoder() *decoder {
	n := len(v.text)
	return &decoder{of: v, out: view{text: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}}
}

// put appends the decoded form of bytes i to j of the view.
func (d *decoder) put(i, j int, decoded ...byte) {
	start, end := d.of.sourceSpan(i, j)
	for _, c := range decoded {
		d.addByte(c, start, end)
	}
}

func (d *decoder) addByte(c byte, start, end int) {
	d.out.text = append(d.out.text, c)
	d.out.from = append(d.out.from, int32(start))
	d.out.to = append(d.out.to, int32(end))
}

func (d *decoder) reset() {
	d.out.text, d.out.from, d.out.to = d.out.text[:0], d.out.from[:0], d.out.to[:0]
}

// decodeEscapes decodes one level of escapes: JSON and programming languages (\n, \x41, \u0041, \u{41}, \101), URLs (%41, %u0041),
// HTML (&#65;, &#x41;, &amp;) and JSON pointers (~0, ~1).
func (v *view) decodeEscapes() (out view, changed bool) {
	if !bytes.ContainsAny(v.text, `\%&~`) {
		return *v, false
	}
	d := v.decoder()
	for i := 0; i < len(v.text); {
		r, n, raw := escape(v.text[i:])
		switch {
		case n == 0:
			d.put(i, i+1, v.text[i])
			i++
			continue
		case raw:
			d.put(i, i+n, byte(r))
		default:
			d.put(i, i+n, utf8.AppendRune(nil, r)...)
		}
		changed = true
		i += n
	}
	return d.out, changed
}

// escape decodes the escape at the beginning of a text: its value, its length, 0 for none, and whether it is a byte rather than a
// character.
func escape(t []byte) (r rune, n int, raw bool) {
	if len(t) < 2 {
		return 0, 0, false
	}
	switch t[0] {
	case '\\':
		return backslash(t)
	case '%':
		if t[1] == 'u' || t[1] == 'U' {
			if r, ok := hexRune(t, 2, 4); ok {
				return r, 6, false
			}
			return 0, 0, false
		}
		if r, ok := hexRune(t, 1, 2); ok {
			return r, 3, true
		}
	case '~':
		switch t[1] {
		case '0':
			return '~', 2, false
		case '1':
			return '/', 2, false
		}
	case '&':
		return entity(t)
	}
	return 0, 0, false
}

func backslash(t []byte) (r rune, n int, raw bool) {
	switch c := t[1]; c {
	case 'u', 'U':
		if t[1] == 'U' {
			if r, ok := hexRune(t, 2, 8); ok {
				return r, 10, false
			}
		}
		if len(t) > 2 && t[2] == '{' {
			for end := 3; end < min(len(t), 11); end++ {
				if t[end] == '}' {
					r, ok := hexRune(t, 3, end-3)
					if !ok {
						break
					}
					return r, end + 1, false
				}
			}
			return 0, 0, false
		}
		r, ok := hexRune(t, 2, 4)
		if !ok {
			return 0, 0, false
		}
		if r >= 0xD800 && r < 0xDC00 && len(t) >= 12 && t[6] == '\\' && t[7]|0x20 == 'u' {
			if low, ok := hexRune(t, 8, 4); ok && low >= 0xDC00 && low < 0xE000 {
				return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, 12, false
			}
		}
		return r, 6, false
	case 'x', 'X':
		if r, ok := hexRune(t, 2, 2); ok {
			return r, 4, true
		}
		return 0, 0, false
	case 'n', 'r', 't', 'b', 'f', 'v', 'a':
		return rune("\n\r\t\b\f\v\a"[strings.IndexByte("nrtbfva", c)]), 2, false
	case '"', '\'', '\\', '/', '\n', '$', '`', '%', '&':
		return rune(c), 2, false
	}
	if len(t) >= 4 && t[1] >= '0' && t[1] <= '3' {
		if o, err := strconv.ParseUint(string(t[1:4]), 8, 8); err == nil {
			return rune(o), 4, true
		}
	}
	if t[1] == '0' {
		return 0, 2, true
	}
	return 0, 0, false
}

// longestEntity is the length of the longest decoded entity, with ampersand and semicolon.
const longestEntity = 12

func entity(t []byte) (r rune, n int, raw bool) {
	for end := 2; end < min(len(t), longestEntity); end++ {
		c := t[end]
		if c == ';' {
			name := string(t[:end+1])
			if out := html.UnescapeString(name); out != name {
				if r, size := utf8.DecodeRuneInString(out); size == len(out) {
					return r, end + 1, false
				}
			}
			return 0, 0, false
		}
		if !alphanumeric(c) && !(c == '#' && end == 1) {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// hexRune reads n hexadecimal digits from i.
func hexRune(t []byte, i, n int) (rune, bool) {
	if n <= 0 || n > 8 || i+n > len(t) {
		return 0, false
	}
	r, err := strconv.ParseUint(string(t[i:i+n]), 16, 32)
	return rune(r), err == nil && r <= unicode.MaxRune
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func alphanumeric(c byte) bool { return isAlphanumeric[c] }

// isHex and isAlphanumeric are tables, since they are applied to every byte.
var isHex, isAlphanumeric = classes()

func classes() (hexadecimal, alphanumeric [256]bool) {
	for c := range 256 {
		hexadecimal[c] = hexDigit(byte(c)) >= 0
		alphanumeric[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return hexadecimal, alphanumeric
}

// squeeze keeps letters and digits, in lower case, with full-width and invisible tag characters as ASCII, so that case and what is
// between a value's letters do not matter.
func (v *view) squeeze() view {
	d := v.decoder()
	for i := 0; i < len(v.text); {
		c := v.text[i]
		if c < utf8.RuneSelf {
			if alphanumeric(c) {
				d.put(i, i+1, lowerASCII(c))
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(v.text[i:])
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			if c := byte(r - 0xFEE0); alphanumeric(c) {
				d.put(i, i+n, lowerASCII(c))
			}
		case r >= 0xE0020 && r <= 0xE007E:
			if c := byte(r - 0xE0000); alphanumeric(c) {
				d.put(i, i+n, lowerASCII(c))
			}
		case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			d.put(i, i+n, v.text[i:i+n]...)
		}
		i += n
	}
	return d.out
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
