package report

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"gauntlet/result"
)

func TestJSONMatchesItsSchema(t *testing.T) {
	mustMatch(t, reportSchema, render(t, "json", full(), Options{}))
	for _, r := range []*result.Report{clean(), attacked(), suite()} {
		mustMatch(t, reportSchema, render(t, "json", r, Options{}))
	}
}

func TestSchemaRefusesBrokenReports(t *testing.T) {
	finding := func(v map[string]any) map[string]any { return v["findings"].([]any)[0].(map[string]any) }
	for _, tt := range []struct {
		name string
		edit func(map[string]any)
	}{
		{"null instead of a list", func(v map[string]any) { v["problems"] = nil }},
		{"a missing section", func(v map[string]any) { delete(v, "coverage") }},
		{"an unknown member at the top", func(v map[string]any) { v["extra"] = 1 }},
		{"an unknown member in a finding", func(v map[string]any) { finding(v)["Input"] = 1 }},
		{"an unknown severity", func(v map[string]any) { finding(v)["severity"] = "none" }},
		{"a malformed rule id", func(v map[string]any) { finding(v)["rule_id"] = "SEC-1" }},
		{"a line before the first", func(v map[string]any) { finding(v)["location"].(map[string]any)["line"] = 0 }},
		{"a pointer that is none", func(v map[string]any) { finding(v)["location"].(map[string]any)["pointer"] = "tools/0" }},
		{"a severity without its count", func(v map[string]any) {
			delete(v["summary"].(map[string]any)["by_severity"].(map[string]any), "low")
		}},
		{"the next form", func(v map[string]any) { v["schema_version"] = "2.0" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := match(t, reportSchema, edited(t, render(t, "json", full(), Options{}), tt.edit)); err == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// TestJSONWritesEveryField compares with encoding/json over the whole struct: a section
// that result.Report gains and writeJSON forgets fails here.
func TestJSONWritesEveryField(t *testing.T) {
	r := full()
	whole, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal(whole, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(render(t, "json", r, Options{})), &got); err != nil {
		t.Fatal(err)
	}
	// The one intended difference: an empty list is [] in the report and null in want.
	want["rules"].([]any)[1].(map[string]any)["taxonomy"] = []any{}
	for i, e := range want["clients"].(map[string]any)["entries"].([]any)[1:] {
		for _, list := range []string{"servers", "tools"} {
			if got := e.(map[string]any)[list]; got != nil {
				t.Errorf("entry %d: %s = %v, want none in the fixture", i+1, list, got)
			}
			e.(map[string]any)[list] = []any{}
		}
	}
	want["coverage"].(map[string]any)["servers"].([]any)[1].(map[string]any)["lists"] = []any{}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s:\n got %v\nwant %v", name, got[name], want[name])
		}
	}
}

// TestSchemaDescribesEveryField walks the schema: each property has a description of its
// own or refers to a definition that has one, and each of our objects is closed.
func TestSchemaDescribesEveryField(t *testing.T) {
	text, err := os.ReadFile("../docs/schemas/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var visit func(path string, s map[string]any)
	visit = func(path string, s map[string]any) {
		if s["$ref"] == nil && s["description"] == nil {
			t.Errorf("%s has no description", path)
		}
		if s["type"] == "object" && s["additionalProperties"] != false {
			t.Errorf("%s lets unknown members in", path)
		}
		for _, in := range []string{"properties", "$defs"} {
			members, _ := s[in].(map[string]any)
			for name, m := range members {
				visit(path+"/"+name, m.(map[string]any))
			}
		}
	}
	visit("", schema)
}

func TestHiddenCharactersAreEscapedInJSON(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"terminal escape", "\x1b[2J", `"\u001b[2J"`},
		{"DEL and C1", "\x7f\u009b", `"\u007f\u009b"`},
		{"bidi override", "\u202e", `"\u202e"`},
		{"zero width", "a\u200bb", `"a\u200bb"`},
		{"tag character, as a surrogate pair", "\U000E0041", `"\udb40\udc41"`},
		{"last code point", "\U0010FFFF", `"\udbff\udfff"`},
		{"angle brackets stay", "<b>&", `"<b>&"`},
		{"letters stay", "naïve 日本 👍", `"naïve 日本 👍"`},
		{"ill-formed byte", "\xff", `"\ufffd"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := clean()
			r.Tool.Name = tt.in
			got := render(t, "json", r, Options{})
			if want := `"tool": {"name":` + tt.want + `,`; !strings.Contains(got, want) {
				t.Errorf("%q is written as\n%s\nwant %s", tt.in, got, want)
			}
			var back result.Report
			if err := json.Unmarshal([]byte(got), &back); err != nil {
				t.Fatal(err)
			}
			if want := strings.ToValidUTF8(tt.in, "\ufffd"); back.Tool.Name != want {
				t.Errorf("%q reads back as %q", tt.in, back.Tool.Name)
			}
		})
	}
}

func TestListsAreNeverNull(t *testing.T) {
	for _, name := range []string{"json", "sarif"} {
		if got := render(t, name, clean(), Options{}); strings.Contains(got, "null") {
			t.Errorf("%s of an empty report has null:\n%s", name, got)
		}
	}
}
