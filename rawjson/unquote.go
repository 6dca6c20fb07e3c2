package rawjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a JSON string token with its quotes. Ill-formed UTF-8 (byte by byte) and lone surrogates become U+FFFD.
func Unquote(raw string) string {
	body := raw[1 : len(raw)-1]
	if strings.IndexByte(body, '\\') < 0 && utf8.ValidString(body) {
		return body
	}
	var b strings.Builder
	b.Grow(len(body))
	for len(body) > 0 {
		plain := strings.IndexByte(body, '\\')
		if plain < 0 {
			plain = len(body)
		}
		switch {
		case plain == 0:
			r, size := decodeRune(body)
			b.WriteRune(r)
			body = body[size:]
		case utf8.ValidString(body[:plain]):
			b.WriteString(body[:plain]) // most of a text, and much faster than by rune
			body = body[plain:]
		default:
			for _, r := range body[:plain] { // U+FFFD for each ill-formed byte
				b.WriteRune(r)
			}
			body = body[plain:]
		}
	}
	return b.String()
}

// RawOffset maps an offset in Unquote(raw), where a character begins, to the offset of that character in the string
// token raw (with quotes). Offsets at or beyond the end map to the closing quote.
func RawOffset(raw string, decoded int) int {
	body := raw[1 : len(raw)-1]
	out := 0
	for i := 0; i < len(body); {
		r, size := decodeRune(body[i:])
		if n := utf8.RuneLen(r); out+n > decoded {
			return i + 1
		} else {
			out += n
		}
		i += size
	}
	return len(raw) - 1
}

// decodeRune decodes a character of a string body that the scanner accepted.
func decodeRune(s string) (r rune, size int) {
	if s[0] != '\\' {
		return utf8.DecodeRuneInString(s)
	}
	if i := strings.IndexByte("bfnrt", s[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), 2
	}
	if s[1] == 'u' {
		r = unhex4(s[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, unhex4(s[8:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return rune(s[1]), 2 // " \ /
}

func wellFormed(raw string) bool {
	if !utf8.ValidString(raw) {
		return false
	}
	if !strings.Contains(raw, `\u`) {
		return true
	}
	for i := 1; i < len(raw)-1; {
		r, size := decodeRune(raw[i:])
		if r == utf8.RuneError && raw[i] == '\\' && unhex4(raw[i+2:]) != utf8.RuneError {
			return false
		}
		i += size
	}
	return true
}

func unhex(c byte) int {
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

func unhex4(s string) rune {
	return rune(unhex(s[0])<<12 | unhex(s[1])<<8 | unhex(s[2])<<4 | unhex(s[3]))
}
