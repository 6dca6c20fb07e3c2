package config

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/redact"
)

// Guarded returns, as NAME=VALUE, the values of a resolved entry's environment, headers, settings, arguments and referenced
// variables that no report may show, should the server repeat them. Short single words and small numbers are omitted unless
// the name is a credential's: "info" and "production" occur in any text, and hiding them would only confuse.
func (e *Entry) Guarded() []string {
	var out []string
	for _, list := range [][]Variable{e.Env, e.Headers, e.Settings, e.Filled} {
		for _, v := range list {
			text := v.Value.Reveal()
			if redact.CredentialName(v.Name) || !plainWord(text) {
				out = append(out, v.Name+"="+text)
			}
			// "Bearer x": the server may repeat the secret without its scheme.
			for _, s := range header(v.Name, text) {
				if s.start == 0 && s.end == len(text) {
					continue
				}
				out = append(out, v.Name+"="+text[s.start:s.end])
			}
		}
	}
	for _, h := range secretsOf(e) {
		name, ok := strings.CutPrefix(h.where, "the ")
		if !ok {
			name = h.where
		}
		if name = strings.ReplaceAll(name, "=", " "); !strings.Contains(name, " variable ") && !strings.HasPrefix(name, "header ") && !strings.HasPrefix(name, "setting ") {
			out = append(out, fmt.Sprintf("%s=%s", name, h.text[h.start:h.end]))
		}
	}
	return out
}

// plainWord reports whether s is a short word of letters or a small number.
func plainWord(s string) bool {
	const longestWord, longestNumber = 12, 5
	if strings.Trim(s, "0123456789") == "" {
		return len(s) <= longestNumber
	}
	return len(s) <= longestWord && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz") == ""
}
