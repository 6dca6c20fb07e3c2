package match

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func TestPaths(t *testing.T) {
	const doc = `{"name":"add","0":"zero","a":{"b":{"c":42,"n":null}},"tags":[1,2],"x-y_z":true,"a.b":"dotted","twice":1,"twice":2}`
	for _, tt := range []struct{ name, path, want string }{
		{"a member", "name", `"add"`},
		{"members in members", "a.b.c", `42`},
		{"null is found", "a.b.n", `null`},
		{"nothing there", "a.x", ""},
		{"inside of a string", "name.x", ""},
		{"inside of an array", "tags.x", ""},
		{"an array whole", "tags", `[1,2]`},
		{"a number as a name", "0", `"zero"`},
		{"hyphen and underscore", "x-y_z", `true`},
		{"the whole", "", doc},
		{"the last of repeated members", "twice", `2`},
		{"a name with a dot cannot be reached", "a.b", `{"c":42,"n":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Find(mustParse(t, doc)).Raw(); got != tt.want {
				t.Errorf("%s leads to %s, want %s", tt.path, got, tt.want)
			}
			if got := p.Find(rawjson.Value{}); got.Exists() {
				t.Errorf("%s leads to %s in nothing", tt.path, got.Raw())
			}
		})
	}
}

func TestTargets(t *testing.T) {
	const doc = `{"tools":[{"name":"a","icons":[{"src":1},{"src":2}]},{"name":"b","icons":[{"src":3}]},{"name":null},7],"s":"x","none":[],"grid":[[1],[2]]}`
	for _, tt := range []struct {
		name, target string
		want         []string
	}{
		{"every element", "tools[*].name", []string{`"a"`, `"b"`, `null`}},
		{"arrays in arrays of objects", "tools[*].icons[*].src", []string{`1`, `2`, `3`}},
		{"elements themselves", "grid[*]", []string{`[1]`, `[2]`}},
		{"no array", "s[*]", nil},
		{"an empty array", "none[*].x", nil},
		{"nothing there", "missing[*]", nil},
		{"no wildcard", "s", []string{`"x"`}},
		{"the whole", "", []string{doc}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, err := ParseTarget(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			target.Each(mustParse(t, doc), func(v rawjson.Value) bool { got = append(got, v.Raw()); return true })
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s leads to %q, want %q", tt.target, got, tt.want)
			}
			if target.Any(mustParse(t, doc)) != (len(tt.want) > 0) {
				t.Errorf("Any is %v", len(tt.want) == 0)
			}
			if target.Any(rawjson.Value{}) {
				t.Errorf("%s leads somewhere in nothing", tt.target)
			}
		})
	}
}

func TestWhatIsNoPath(t *testing.T) {
	for _, s := range []string{".", "a.", ".a", "a..b", "a[0]", "a[*]b", "[*]", "a[*][*]", "a b", "$.a", "é", "a.[*]", "a/b", strings.Repeat("a.", 64) + "a"} {
		if _, err := ParseTarget(s); err == nil {
			t.Errorf("%.40q was taken for a target", s)
		}
		if _, err := ParsePath(s); err == nil {
			t.Errorf("%.40q was taken for a path", s)
		}
	}
	if _, err := ParsePath("a[*]"); err == nil {
		t.Error("a[*] was taken for a simple path")
	}
	if _, err := ParseTarget(strings.Repeat("a.", 63) + "a"); err != nil {
		t.Errorf("64 members: %v", err)
	}
}

func FuzzPath(f *testing.F) {
	f.Add("tools[*].icons[*].src", `{"tools":[{"icons":[{"src":1}]}]}`)
	f.Fuzz(func(t *testing.T, path, doc string) {
		var tree rawjson.Tree
		if tree.Parse(doc, 0) != nil {
			return
		}
		target, err := ParseTarget(path)
		simple, simpleErr := ParsePath(path)
		if simpleErr == nil && err != nil {
			t.Fatalf("%q is a path and no target: %v", path, err)
		}
		if err != nil {
			return
		}
		var found []rawjson.Value
		target.Each(tree.Root(), func(v rawjson.Value) bool { found = append(found, v); return true })
		if simpleErr == nil {
			if v := simple.Find(tree.Root()); v.Exists() != (len(found) == 1) || v.Exists() && v != found[0] {
				t.Errorf("%q as a path and as a target differ on %q", path, doc)
			}
		}
	})
}
