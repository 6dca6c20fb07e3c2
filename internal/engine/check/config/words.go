package config

import "strings"

// Words splits a command line like a POSIX shell, with quotes and backslashes but without expansion. If windows is set,
// backslashes are literal. An unclosed quote ends with the text.
func Words(s string, windows bool) []string {
	var out []string
	var b strings.Builder
	quote, inWord := byte(0), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && !windows && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			inWord = true
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' && !windows, c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				out = append(out, b.String())
				b.Reset()
				inWord = false
			}
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		out = append(out, b.String())
	}
	return out
}

// base returns the lower-case name of a program without folder and Windows extensions.
func base(command string) string {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		command = command[i+1:]
	}
	command = strings.ToLower(command)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		command = strings.TrimSuffix(command, ext)
	}
	return command
}
