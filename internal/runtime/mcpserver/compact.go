package mcpserver

import (
	"strings"

	"gauntlet/rawjson"
)

// Compact returns a JSON text without white space between its tokens. Every other byte stays: key order, repeated keys, digits,
// escapes. The result has no line break, since JSON strings contain none, so it can be framed as a line. Text without such white
// space is returned as it is. It fails if text is not one JSON value.
func Compact(text string) (string, error) {
	end, err := rawjson.Skip(text, 0)
	if err != nil {
		return "", err
	}
	if strings.Trim(text[end:], space) != "" {
		return "", &rawjson.SyntaxError{Offset: end, Msg: "text after the end of the value"}
	}
	var b strings.Builder
	kept := 0 // text before this offset is in b or was dropped
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = stringEnd(text, i)
		case strings.IndexByte(space, c) >= 0:
			if b.Cap() == 0 {
				b.Grow(len(text))
			}
			b.WriteString(text[kept:i])
			for i < len(text) && strings.IndexByte(space, text[i]) >= 0 {
				i++
			}
			kept = i
		default:
			i++
		}
	}
	if kept == 0 {
		return text, nil
	}
	b.WriteString(text[kept:])
	return b.String(), nil
}

const space = " \t\r\n"

// stringEnd returns the offset after the string that begins at text[at:], in text known to be valid JSON.
func stringEnd(text string, at int) int {
	for i := at + 1; ; i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
}
