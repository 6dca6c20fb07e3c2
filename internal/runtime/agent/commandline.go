package agent

import (
	"errors"
	"strings"
)

// Words splits a command line into words like a shell, without other expansions: quotes of both kinds group a word, and a backslash
// escapes a quote, a blank or a backslash (not inside single quotes). Elsewhere a backslash is kept, so that Windows paths survive.
func Words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(`\"' `, line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			inWord = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark is not closed")
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}
