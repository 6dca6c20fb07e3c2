package mcpserver

import (
	"strings"

	"gauntlet/rawjson"
)

// Compact returns a JSON text without the white space between its tokens. Every other
// byte stays: key order, repeated keys, digits, escapes. The result has no line break,
// since strings hold none, so it can be framed as a line. text is returned as it is where
// there is nothing to drop; the error is that of a text that is not one JSON value.
func Compact(text string) (string, error) {
	end, err := rawjson.Skip(text, 0)
	if err != nil {
		return "", err
	}
	if strings.Trim(text[end:], space) != "" {
		return "", &rawjson.SyntaxError{Offset: end, Msg: "text after the end of the value"}
	}
	var b strings.Builder
	kept := 0 // text before it is in b or was dropped
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

// space is what JSON calls white space.
const space = " \t\r\n"

// stringEnd returns the offset behind the string that begins at text[at:], in a text that
// is known to be JSON.
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
