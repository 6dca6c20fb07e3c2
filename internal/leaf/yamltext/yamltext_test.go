package yamltext_test

import (
	"testing"

	"gauntlet/internal/leaf/yamltext"
	"gauntlet/rawjson"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, yaml, want string }{
		{"the core schema", `[1, 0x10, 1.50, true, NULL, ~, yes, 2026-07-28, "1", '']`, `[1,16,1.50,true,null,null,"yes","2026-07-28","1",""]`},
		{"order stays", "b: 1\na: {d: 2, c: [x]}\n", `{"b":1,"a":{"d":2,"c":["x"]}}`},
		{"a block", "a: |\n  x\n  y\n", `{"a":"x\ny\n"}`},
		{"keys are strings", "1: a\n", `{"1":"a"}`},
		{"an anchor", "a: &x 1\n", ""},
		{"a tag", "a: !!str 1\n", ""},
		{"a key twice", "a: 1\na: 2\n", ""},
		{"no number", "a: .inf\n", ""},
		{"a merge", "a: {<<: {b: 1}}\n", ""},
		{"a mapping as key", "{{a: b}: c}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, err := yamltext.Document(tt.yaml, "a test", 1000)
			if err != nil {
				t.Fatal(err)
			}
			got, fault := yamltext.JSON(root)
			if got != tt.want || (fault == nil) != (tt.want != "") {
				t.Errorf("JSON(%q) = %s, %v, want %s", tt.yaml, got, fault, tt.want)
			}
		})
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("a: [1, x, {b: 0x1f}]\n")
	f.Add("a: &b c\n")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := yamltext.Document(text, "a test", 10_000)
		if err != nil || root == nil {
			return
		}
		got, fault := yamltext.JSON(root)
		var tree rawjson.Tree
		if fault == nil && tree.Parse(got, 0) != nil {
			t.Errorf("%q gives %q, which is no JSON", text, got)
		}
	})
}
