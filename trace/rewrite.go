package trace

import (
	"gauntlet/rawjson"
)

// Rewrite replaces every text of the message by f's result: in JSON text each decoded string, including member names, and each
// number as written, which becomes a string if f changes it; any other text as a whole; ids, methods, notes and header values.
// Text that f does not change is kept byte for byte. It reports whether anything changed, and then marks the message Redacted.
func (m *Message) Rewrite(f func(string) string) bool {
	before := m.Redacted
	m.Redacted = false
	// The ids first: the id in the text is treated the same way below.
	m.replaceTexts(func(text string) string { return rewriteJSON(text, f) }, &m.ID, &m.Raw)
	m.replaceTexts(f, &m.Method, &m.Note)
	m.replaceHeaders(f)
	changed := m.Redacted
	m.Redacted = changed || before
	return changed
}

func rewriteJSON(text string, f func(string) string) string {
	var tree rawjson.Tree
	if tree.Parse(text, 0) != nil {
		return f(text)
	}
	var out []byte
	done := 0
	edit := func(v rawjson.Value, old string) {
		if s := f(old); s != old {
			out = append(out, text[done:v.Offset()]...)
			out = rawjson.AppendString(out, s)
			done = v.Offset() + len(v.Raw())
		}
	}
	for v := range tree.Root().All() {
		if key := v.Key(); key.Exists() {
			edit(key, key.Text())
		}
		switch v.Kind() {
		case rawjson.String:
			edit(v, v.Text())
		case rawjson.Number:
			edit(v, v.Raw())
		}
	}
	if out == nil {
		return text
	}
	return string(append(out, text[done:]...))
}
