package rawjson

import (
	"slices"
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		json string
		want []string
	}{
		{`["a", "\u0062"]`, []string{"a", "b"}},
		{`["a", 1, null, ["b"], {"c": "d"}, ""]`, []string{"a", ""}},
		{`{"a": "b"}`, nil},
		{`"a"`, nil},
		{`[]`, nil},
	} {
		var tree Tree
		if err := tree.Parse(tt.json, 0); err != nil {
			t.Fatal(err)
		}
		if got := tree.Root().Texts(); !slices.Equal(got, tt.want) {
			t.Errorf("Texts of %s = %q, want %q", tt.json, got, tt.want)
		}
	}
	if got := (Value{}).Texts(); got != nil {
		t.Errorf("Texts of an absent value = %q, want none", got)
	}
}

func TestRewrite(t *testing.T) {
	for _, tt := range []struct {
		json, want string
		n          int
	}{
		{`{ "old": "old", "n": 1.0 }`, `{ "old": "new\n", "n": 1.0 }`, 1}, // no name of a member
		{`["old", ["\u006fld"], "older"]`, `["new\n", ["new\n"], "older"]`, 2},
		{`"old"`, `"new\n"`, 1},
		{`[ "\u0041" ]`, `[ "\u0041" ]`, 0}, // as written
	} {
		var tree Tree
		if err := tree.Parse(`[0, `+tt.json+`]`, 0); err != nil {
			t.Fatal(err)
		}
		for i, v := range tree.Root().Elements() {
			if i != 1 {
				continue
			}
			got, n := v.Rewrite(func(s string) (string, bool) { return strings.Replace(s, "old", "new\n", 1), s == "old" })
			if got != tt.want || n != tt.n {
				t.Errorf("Rewrite of %s = %s, %d, want %s, %d", tt.json, got, n, tt.want, tt.n)
			}
		}
	}
}
