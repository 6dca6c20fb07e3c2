package rawjson

import (
	"slices"
	"strings"
	"testing"
)

func TestLastMember(t *testing.T) {
	for _, tt := range []struct{ object, name, want string }{
		{`{"a":1,"b":2,"a": [3] }`, "a", "[3]"},
		{`{"\u0061":1}`, "a", "1"},
		{`{"a":1}`, "b", ""},
		{`{"b":{"a":1}}`, "a", ""},
		{`["a"]`, "a", ""},
		{`"a"`, "a", ""},
		{"", "a", ""},
	} {
		if got := LastMember(tt.object, tt.name); got != tt.want {
			t.Errorf("LastMember(%s, %s) = %q, want %q", tt.object, tt.name, got, tt.want)
		}
	}
}

func TestUnquoteString(t *testing.T) {
	for raw, want := range map[string]string{`"a\u0062"`: "ab", `""`: "", "1": "", "{}": "", "": ""} {
		if got := UnquoteString(raw); got != want {
			t.Errorf("UnquoteString(%s) = %q, want %q", raw, got, want)
		}
	}
}

func TestObjectsAsText(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"built", Build("a", "1", "b", "", "c\n", `"x"`), `{"a":1,"c\n":"x"}`},
		{"built of nothing", Build("a", ""), `{}`},
		{"joined", Join(`{ "a":1 }`, `{}`, `{ }`, `{"a":2,"b": 3}`), `{"a":1,"a":2,"b": 3}`},
		{"joined empty", Join(`{}`, `{ }`), `{}`},
		{"without", Without(`{ "a":1, "\u0061" : 2,"b":{"a":3}}`, "a"), `{"b":{"a":3}}`},
		{"without all", Without(`{"a":1,"b":2}`, "b", "a"), `{}`},
		{"replaced", Replace(`{ "a": 1, "b":{"a":2}, "a":[3] }`, "a", "0"), `{ "a": 0, "b":{"a":2}, "a":0 }`},
		{"nothing to replace", Replace(`{"b":{"a":2}}`, "a", "0"), `{"b":{"a":2}}`},
		{"text", LastText(`{"a":"\u0062","c":1}`, "a"), "b"},
		{"no text", LastText(`{"a":"b","c":1}`, "c"), ""},
		{"read", Read(` {"a":1}`).Get("a").Raw(), "1"},
		{"no JSON", Read(`{"a":1`).Raw(), ""},
		{"items", strings.Join(slices.Collect(Items(`[1, "a,b" ,[2]]`)), "|"), `1|"a,b"|[2]`},
		{"no items", strings.Join(slices.Collect(Items(`{"a":[1]}`)), "|"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
