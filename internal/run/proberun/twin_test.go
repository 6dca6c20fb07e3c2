package proberun

import (
	"reflect"
	"strings"
	"testing"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// A twin keeps what is to be seen, and nothing that a parser reads.
func TestTwin(t *testing.T) {
	for _, tt := range []struct{ value, want any }{
		{"x'; return 2*3; //", "x   nruter 2*3"},
		{"{{2*3}}", "2*3"},
		{"(SELECT 2*3 AS a)", "TCELES 2*3 SA a"},
		{"x' OR 2*3=6 -- ", "x  RO 2*3=6"},
		{"; touch /w/abc #", "hcuot /w/abc"},
		{"x\r\nX-Gauntlet-abc: 1", "x  X-Gauntlet-abc: 1"},
		{map[string]any{"$regex": "^(?!abc)"}, map[string]any{"xeger": "^(?!abc)"}},
		{7, 7},
	} {
		if got := Twin(tt.value, "/w/abc"); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Twin(%q) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

// Every payload whose class is a matter of syntax has a twin that differs from it and still says what is to be seen.
func TestEveryPayloadHasATwin(t *testing.T) {
	m := Mark{Token: "abcdefghijkl", Touch: "/w/abcdefghijkl", A: 123457, B: 234567}
	for _, r := range append(append([]rule{}, rules...), wide...) {
		target := Target{Class: r.class, variants: r.variants}
		for n := range target.Payloads() {
			p, ok := target.Payload(n, m, Place{Port: 1, Root: "/r", WriteDir: "/w"}, "x")
			text, isText := p.Value.(string)
			if !ok || !isText || !target.BySyntax() {
				continue
			}
			twin := Twin(text, m.Touch).(string)
			if twin == text {
				t.Errorf("%s, %s: %q is its own twin", r.class, p.Variant, text)
			}
			for _, seen := range []string{m.Touch, "123457*234567", "X-Gauntlet-" + m.Token + ": 1"} {
				if strings.Count(twin, seen) != strings.Count(text, seen) {
					t.Errorf("%s, %s: %q has not the %s of %q", r.class, p.Variant, twin, seen, text)
				}
			}
		}
	}
}

// A tool declares a language where it says that this parameter is written in it, and not where it speaks of one.
func TestDeclares(t *testing.T) {
	for _, tt := range []struct {
		class                  probe.Class
		tool, parameter, about string
		want                   bool
	}{
		{probe.TemplateInjection, "Renders a page.", "template", "", true},
		{probe.TemplateInjection, "Renders a Mustache-like template with the given values.", "text", "", true},
		{probe.TemplateInjection, "Fills text.", "text", "Text with {{placeholders}}", true},
		{probe.TemplateInjection, "Evaluates a spreadsheet formula.", "input", "", true},
		{probe.TemplateInjection, "Creates a page by our template.", "text", "", false},
		{probe.TemplateInjection, "Renders text into the template.", "text", "", false},
		{probe.TemplateInjection, "Creates a page.", "title", "The title, shown in the template", false},
		{probe.TemplateInjection, "Creates a page.", "kind", "Name of the template", false},
		{probe.SQLInjection, "Finds rows. The filter is a small language, joined with AND.", "filter", "", true},
		{probe.SQLInjection, "Finds rows by a filter.", "filter", "", false},
		{probe.SQLInjection, "Finds rows.", "filter", "Boolean expression over columns", true},
		{probe.SQLInjection, "Finds rows.", "customer", "The customer whose orders are searched in the SQL database", false},
		{probe.NoSQLInjection, "Evaluates.", "expression", "", true},
		{probe.ArgumentInjection, "Runs git.", "extra_args", "", true},
		{probe.ArgumentInjection, "Runs git with options.", "branch", "The branch for the arguments of git", false},
		{probe.PathTraversal, "Reads a file.", "template", "", false},
	} {
		target := Target{Class: tt.class, Parameter: schemafill.Parameter{Name: tt.parameter, Schema: map[string]any{"description": tt.about}}}
		if got := target.Declares(tt.tool) != ""; got != tt.want {
			t.Errorf("%s, %q, %s: %q: declared %v, want %v", tt.class, tt.tool, tt.parameter, tt.about, got, tt.want)
		}
	}
}
