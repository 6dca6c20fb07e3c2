package lock

import (
	"strings"
	"testing"

	"gauntlet/rawjson"
)

// A list of scalars stays on its line up to oneLine bytes; a longer one, and one of objects or lists, is laid out.
func TestLayoutOfLists(t *testing.T) {
	list := func(n int) string { return `["` + strings.Repeat("x", n-4) + `"]` }
	for _, tt := range []struct {
		text string
		line bool
	}{
		{list(oneLine), true}, {list(oneLine + 1), false}, {`[1, 2]`, true}, {`[{}]`, false}, {`[[1]]`, false}, {`[]`, true},
	} {
		var tree rawjson.Tree
		if err := tree.Parse(tt.text, 0); err != nil {
			t.Fatal(err)
		}
		var w writer
		w.writeValue(tree.Root(), 0)
		if line := !strings.Contains(string(w.b), "\n"); line != tt.line {
			t.Errorf("%.20s, %d bytes: on one line %v, want %v: %s", tt.text, len(tt.text), line, tt.line, w.b)
		}
	}
}
