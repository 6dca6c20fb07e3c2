package oatf

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// quote writes a string as JSON, escaping what JSON demands and nothing else.
func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	begin := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			b.WriteString(s[begin:i])
			escape(b, rune(c))
			begin = i + 1
		}
	}
	b.WriteString(s[begin:])
	b.WriteByte('"')
}

func escape(b *strings.Builder, r rune) {
	switch r {
	case '"', '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case '\n':
		b.WriteString(`\n`)
	case '\t':
		b.WriteString(`\t`)
	case '\r':
		b.WriteString(`\r`)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// valid replaces what is not UTF-8, which neither JSON nor YAML can hold.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
