package fromscan

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
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

var notInFileNames = lazyregexp.New(`[^a-z0-9]+`)

// fileName turns untrusted text into a part of a file name.
func fileName(s string) string {
	name := strings.Trim(notInFileNames.ReplaceAllString(strings.ToLower(s), "-"), "-")
	return strings.TrimRight(name[:min(len(name), 40)], "-")
}
