package config

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/redact"
)

// Guarded returns what no report may show of a resolved entry's environment, headers,
// settings and arguments and of the variables it refers to, should its server repeat it, as
// NAME=VALUE. Left out are single
// short words and small numbers under a name that is no credential's: "info" and
// "production" stand in every other text, and hiding them there would tell nobody anything.
func (e *Entry) Guarded() []string {
	var out []string
	for _, list := range [][]Variable{e.Env, e.Headers, e.Settings, e.Filled} {
		for _, v := range list {
			text := v.Value.Reveal()
			if redact.CredentialName(v.Name) || !plainWord(text) {
				out = append(out, v.Name+"="+text)
			}
			// "Bearer x": the secret may be repeated without its scheme.
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
