package finding

import (
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether r could steer a terminal or be overlooked by a reader.
func Hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7F
	case r == '\u3000': // the ordinary space of Chinese and Japanese text
		return false
	case r == '\u2800': // a braille pattern without dots: a symbol by class, blank by looks
		return true
	case !unicode.IsPrint(r):
		return true
	}
	// Letters and marks by class, and yet without a shape of their own: Hangul fillers,
	// the grapheme joiner, variation selectors, which can smuggle a byte each.
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// AppendEscaped appends JSON text with every hidden character as a \u escape. Those
// stand only inside strings, so the text means the same; shown on a terminal it does
// nothing, and the evidence can be seen. White space between tokens must be spaces.
func AppendEscaped(dst, src []byte) []byte {
	done := 0
	for i := 0; i < len(src); {
		if c := src[i]; c < 0x7F {
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if Hidden(r) {
			dst = append(dst, src[done:i]...)
			dst = appendUnicodeEscape(dst, r)
			done = i + n
		}
		i += n
	}
	return append(dst, src[done:]...)
}

func appendUnicodeEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendUnicodeEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
