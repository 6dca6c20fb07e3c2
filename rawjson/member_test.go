package rawjson

import "testing"

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
