package trace

import (
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func TestRewrite(t *testing.T) {
	f := strings.NewReplacer("hush", "[x]", "4711", "[n]").Replace
	for _, tt := range []struct{ name, raw, want string }{
		{"a string", `{"a": "say hush" , "b":1.0}`, `{"a": "say [x]" , "b":1.0}`},
		{"an escaped one", `{"a":"\u0068ush","b":"\u0062"}`, `{"a":"[x]","b":"\u0062"}`},
		{"a name", `{"hush":{"hush":[]}}`, `{"[x]":{"[x]":[]}}`},
		{"a number", `[14711, 4711e0,7]`, `["1[n]", "[n]e0",7]`},
		{"the root", `"hush"`, `"[x]"`},
		{"a member twice", `{"a":"hush","a":"hush"}`, `{"a":"[x]","a":"[x]"}`},
		{"no JSON", `{"a":"hush`, `{"a":"[x]`},
		{"nothing", `{ "a" : "\ud800" }`, `{ "a" : "\ud800" }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Message{Raw: tt.raw}
			if changed := m.Rewrite(f); m.Raw != tt.want || changed != (tt.raw != tt.want) || m.Redacted != changed {
				t.Errorf("got %s, %v, %v, want %s", m.Raw, changed, m.Redacted, tt.want)
			}
		})
	}
	h := &HTTP{Headers: []Field{{Name: "X-Echo", Value: "hush"}}}
	m := Message{ID: `"hush"`, Method: "hush", Note: "hush", HTTP: h, Redacted: true, Raw: "7"}
	if !m.Rewrite(f) || m.ID != `"[x]"` || m.Method != "[x]" || m.Note != "[x]" || m.HTTP.Headers[0].Value != "[x]" || h.Headers[0].Value != "hush" {
		t.Errorf("%+v, %+v", m, m.HTTP)
	}
	if m.Rewrite(f) || !m.Redacted {
		t.Errorf("a second time it changes %+v", m)
	}
}

// Whatever a text is, nothing of what is taken out can be read in it afterwards, what is
// JSON stays JSON, and a text without it stays as it is.
func FuzzRewrite(f *testing.F) {
	f.Add(`{"a":"hu\u0073h","hush":[1,"x"]}`)
	f.Add(`{"a":"hush`)
	f.Fuzz(func(t *testing.T, raw string) {
		m := Message{Raw: raw}
		changed := m.Rewrite(strings.NewReplacer("hush", "[x]").Replace)
		if changed == (m.Raw == raw) {
			t.Errorf("changed is %v for %q and %q", changed, raw, m.Raw)
		}
		var before, after rawjson.Tree
		if before.Parse(raw, 0) != nil {
			if strings.Contains(m.Raw, "hush") {
				t.Errorf("it is still in %q", m.Raw)
			}
			return
		}
		if err := after.Parse(m.Raw, 0); err != nil {
			t.Fatalf("%q became %q: %v", raw, m.Raw, err)
		}
		for v := range after.Root().All() {
			if strings.Contains(v.Key().Text(), "hush") || v.Kind() == rawjson.String && strings.Contains(v.Text(), "hush") {
				t.Errorf("it is still in %q", m.Raw)
			}
		}
	})
}
