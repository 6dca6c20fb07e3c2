package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func TestAll(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"no schema", `"string"`, ""},
		{"properties inside properties", `{"properties":{"a":{"properties":{"b":{}}}}}`, " fixed; properties a fixed; properties a.b fixed"},
		{"a list has no place of its own", `{"properties":{"a":{"items":{"properties":{"b":true}}}}}`, " fixed; properties a fixed; items a; properties a.b"},
		{"branches", `{"anyOf":[{"$defs":{"x":{}}},{"not":{}}]}`, " fixed; anyOf ; $defs x; anyOf ; not "},
		{"values are none", `{"default":{"properties":{"a":{}}},"enum":[{"items":{}}]}`, " fixed"},
		{"a property may be called default", `{"properties":{"default":{"items":{}}}}`, " fixed; properties default fixed; items default"},
	} {
		var tree rawjson.Tree
		if err := tree.Parse(tt.schema, 0); err != nil {
			t.Fatal(err)
		}
		var got []string
		for p := range All(tree.Root()) {
			got = append(got, p.Keyword+" "+strings.Join(p.Path, ".")+map[bool]string{true: " fixed"}[p.Fixed])
		}
		if s := strings.ReplaceAll(strings.Join(got, "; "), "  fixed", " fixed"); s != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, s, tt.want)
		}
	}
}

// Schemas deeper than any honest one are left, and a walk can end early.
func TestAllIsBounded(t *testing.T) {
	var tree rawjson.Tree
	if err := tree.Parse(strings.Repeat(`{"items":`, 5000)+"{}"+strings.Repeat("}", 5000), 0); err != nil {
		t.Fatal(err)
	}
	if n := len(slices.Collect(All(tree.Root()))); n != maxPlaces+1 {
		t.Errorf("%d schemas, want %d", n, maxPlaces+1)
	}
	for p := range All(tree.Root()) {
		if p.Keyword != "" {
			t.Error(fmt.Sprint("went on to ", p))
		}
		break
	}
}
