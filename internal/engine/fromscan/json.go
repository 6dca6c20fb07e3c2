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

// jsonValue reads JSON that this package has written.
func jsonValue(s string) rawjson.Value {
	tree := new(rawjson.Tree)
	if err := tree.Parse(s, 0); err != nil {
		panic("confirm: wrote JSON that cannot be read: " + err.Error()) // a fault of ours
	}
	return tree.Root()
}

// verbatim returns a definition as text in which nothing is a template: what the server
// wrote between braces has to reach the agent as it stands.
func verbatim(v rawjson.Value) string {
	raw, from := v.Raw(), v.Offset()
	var b strings.Builder
	at := 0
	for t := range v.Strings() {
		if t.IsKey || !strings.Contains(t.Value.Text(), "{{") {
			continue
		}
		start := t.Value.Offset() - from
		b.WriteString(raw[at:start])
		b.WriteString(rawjson.Quote(strings.ReplaceAll(t.Value.Text(), "{{", `\{{`)))
		at = start + len(t.Value.Raw())
	}
	return b.String() + raw[at:]
}

// fileName makes a part of a file name of what a stranger wrote.
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
