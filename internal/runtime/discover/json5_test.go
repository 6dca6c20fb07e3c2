package discover

import "testing"

// JSON5 is read with the values and places that stand in the file.
func TestJSON5(t *testing.T) {
	for _, tt := range []struct{ text, way, want, source string }{
		{`{a: {b: 'x'}}`, "b", "x", "'x'"},
		{`{'a': {"b": "it's",},}`, "b", "it's", `"it's"`},
		{`{a: {b: 'say "no"'}}`, "b", `say "no"`, `'say "no"'`},
		{`{a: {b: 'it\'s'}}`, "b", "it's", `'it\'s'`},
		{"{a: {/* 'c' */ b: 0x1F, // d'\n}}", "b", "0x1F", "0x1F"},
		{`{a:{true:+1}}`, "true", "+1", "+1"},
		{"{a:{b:'x\\\ny'}}", "b", "xy", "'x\\\ny'"},
		{`{a: {b: 'https://x.y', }}`, "b", "https://x.y", `'https://x.y'`},
	} {
		root, _, err := parseJSON(tt.text, true, func(*node) bool { return false })
		n := root.get("a").get(tt.way)
		if n == nil || err != nil || n.text != tt.want || tt.text[n.start:n.end] != tt.source {
			t.Errorf("%s: %+v, %v; want %q at %q", tt.text, n, err, tt.want, tt.source)
		}
	}
	if root, _, err := parseJSON(`{a: {b: 1}, c: {`, true, func(*node) bool { return false }); err == nil || root.get("a").get("b").text != "1" {
		t.Errorf("%+v, %v: want what stands before the break", root, err)
	}
}
