package fromscan

import (
	"strings"

	"gauntlet/rawjson"
)

// jsonList writes strings as a JSON array.
func jsonList(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = rawjson.Quote(s)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// jsonValue parses JSON written by this package.
func jsonValue(s string) rawjson.Value {
	tree := new(rawjson.Tree)
	if err := tree.Parse(s, 0); err != nil {
		panic("confirm: wrote JSON that cannot be read: " + err.Error()) // our own fault
	}
	return tree.Root()
}

// verbatim returns a definition as text without templates: what the server wrote between braces must reach the agent unchanged.
func verbatim(v rawjson.Value) string {
	out, _ := v.Rewrite(func(text string) (string, bool) { return escaped(text), strings.Contains(text, "{{") })
	return out
}

// fileName turns untrusted text into a part of a file name.
func fileName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= 40:
			return b.String()
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			if n := b.Len(); n > 0 && b.String()[n-1] != '-' {
				b.WriteByte('-')
			}
		}
	}
	return strings.Trim(b.String(), "-")
}
