package proberun

import (
	"slices"
	"strings"
	"testing"
)

func TestExpandTemplate(t *testing.T) {
	for _, tt := range []struct{ template, arguments, want string }{
		{"file:///{+path}", `{"path":"../etc/passwd"}`, "file:///../etc/passwd"},
		{"notes://{id}", `{"id":"a b"}`, "notes://a b"},
		{"db://{schema}/{table}{?limit,offset}", `{"schema":"s","table":"t","limit":"1","offset":"2"}`, "db://s/t?limit=1&offset=2"},
		{"x:{/a,b*}", `{"a":"1","b":"2"}`, "x:/1/2"},
		{"x:{missing}", `{}`, "x:"},
		{"no variables", `{"a":"1"}`, "no variables"},
	} {
		if got := expandTemplate(tt.template, tt.arguments); got != tt.want {
			t.Errorf("%s with %s is %q, want %q", tt.template, tt.arguments, got, tt.want)
		}
	}
}

// FuzzTemplate: a value that is put in for each variable stands in the result.
func FuzzTemplate(f *testing.F) {
	f.Add("file:///{+path}{?a,b}")
	f.Fuzz(func(t *testing.T, template string) {
		names := templateNames(template)
		var members []string
		for _, n := range names {
			members = append(members, `"`+n+`":"VALUE"`)
		}
		got := expandTemplate(template, "{"+strings.Join(members, ",")+"}")
		if len(names) > 0 && !strings.Contains(got, "VALUE") || slices.Contains(names, "") {
			t.Fatalf("%q has %q and became %q", template, names, got)
		}
	})
}

func TestTemplatesOf(t *testing.T) {
	for uri, want := range map[string]string{
		"mysql://users/data": "mysql://{part}/data mysql://users/{part}", "file:///srv/a.txt": "file:///{part}/a.txt file:///srv/{part}", "about": "", "x://{a}": "",
	} {
		if got := strings.Join(templatesOf(uri), " "); got != want {
			t.Errorf("%s gives %q, want %q", uri, got, want)
		}
	}
}
