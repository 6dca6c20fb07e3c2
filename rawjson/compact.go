package rawjson

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Compact returns the value as JSON without white space: members in the order received, strings with the minimal
// escapes, numbers as written. Ill-formed parts of strings become U+FFFD.
func (v Value) Compact() string { return string(v.AppendCompact(make([]byte, 0, len(v.Raw())))) }

// AppendCompact appends the result of [Value.Compact].
func (v Value) AppendCompact(b []byte) []byte { return compact.appendValue(b, v, 0) }

// Sorted is [Value.Compact] with the members of every object sorted by the bytes of their names. Duplicate members stay.
func (v Value) Sorted() string {
	return string(sorted.appendValue(make([]byte, 0, len(v.Raw())), v, 0))
}

// A form is a way to write values without white space.
type form struct {
	order  func(a, b string) int // of the members by name; nil keeps theirs
	text   func(b []byte, v Value) []byte
	number func(b []byte, raw string) []byte
}

var (
	compact   = form{nil, appendCompactString, appendRaw}
	sorted    = form{strings.Compare, appendCompactString, appendRaw}
	canonical = form{compareUTF16, appendCanonicalString, appendCanonicalNumber}
)

func (f *form) appendValue(b []byte, v Value, depth int) []byte {
	switch v.Kind() {
	case String, key:
		return f.text(b, v)
	case Number:
		return f.number(b, v.Raw())
	case Array:
		if depth > canonicalDepth {
			break
		}
		b = append(b, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				b = append(b, ',')
			}
			b = f.appendValue(b, e, depth+1)
		}
		return append(b, ']')
	case Object:
		if depth > canonicalDepth {
			break
		}
		var few [8]Member
		b = append(b, '{')
		for i, m := range f.appendMembers(few[:0], v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(f.text(b, m.Key), ':')
			b = f.appendValue(b, m.Value, depth+1)
		}
		return append(b, '}')
	}
	return append(b, v.Raw()...)
}

func appendRaw(b []byte, raw string) []byte { return append(b, raw...) }

// appendCompactString copies a string that needs no decoding.
func appendCompactString(b []byte, v Value) []byte {
	if raw := v.Raw(); strings.IndexByte(raw, '\\') < 0 && utf8.ValidString(raw) {
		return append(b, raw...)
	}
	return AppendString(b, v.Text())
}

func (f *form) appendMembers(ms []Member, v Value) []Member {
	inOrder, last := true, ""
	for m := range v.Members() {
		ms = append(ms, m)
		if f.order != nil {
			name := m.Key.Text()
			inOrder, last = inOrder && f.order(last, name) <= 0, name
		}
	}
	if !inOrder {
		slices.SortStableFunc(ms, func(a, b Member) int { return f.order(a.Key.Text(), b.Key.Text()) })
	}
	return ms
}

// AppendString appends s as a JSON string with the escapes that RFC 8259 requires and no others. Ill-formed UTF-8
// becomes U+FFFD, byte by byte.
func AppendString(b []byte, s string) []byte {
	return appendQuoted(b, s, func(r rune) bool { return false })
}

// Quote returns the result of [AppendString].
func Quote(s string) string { return string(AppendString(make([]byte, 0, len(s)+2), s)) }

// AppendVisible is [AppendString] with every character that [Hidden] reports as a \u escape: the text means the same,
// cannot control a terminal and hides nothing.
func AppendVisible(b []byte, s string) []byte { return appendQuoted(b, s, Hidden) }

// EscapeHidden appends JSON text with every character that [Hidden] reports, except white space between tokens, as a \u
// escape. Such characters occur only in strings, so the text means the same.
func EscapeHidden[T string | []byte](dst []byte, text T) []byte {
	done := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < 0x7F {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		if Hidden(r) {
			dst = AppendEscape(append(dst, text[done:i]...), r)
			done = i + n
		}
		i += n
	}
	return append(dst, text[done:]...)
}

func appendQuoted(b []byte, s string, hidden func(rune) bool) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7F && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(append(b, s[done:i]...), '\\', c)
		case r < ' ':
			b = append(b, s[done:i]...)
			if at := strings.IndexByte("\b\f\n\r\t", c); at >= 0 {
				b = append(b, '\\', "bfnrt"[at])
			} else {
				b = AppendEscape(b, r)
			}
		case r == utf8.RuneError && n == 1:
			b = append(append(b, s[done:i]...), "\uFFFD"...)
		case hidden(r):
			b = AppendEscape(append(b, s[done:i]...), r)
		default:
			i += n
			continue
		}
		i += n
		done = i
	}
	return append(append(b, s[done:]...), '"')
}

// AppendEscape appends r as a \u escape, or as two surrogates above U+FFFF.
func AppendEscape(b []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		b = AppendEscape(b, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// Hidden reports whether r could control a terminal or be overlooked: controls, bidi controls, zero-width and tag characters, variation
// selectors, fillers, separators, spaces other than the plain and the ideographic one, private use and unassigned code points.
func Hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7F
	case r == '\u3000': // the usual space of Chinese and Japanese text
		return false
	case r == '\u2800': // a braille pattern without dots: a symbol by class, but blank
		return true
	case !unicode.IsPrint(r):
		return true
	}
	// Letters and marks by class, but invisible: Hangul fillers, the grapheme joiner, variation selectors, which can smuggle a byte each.
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
