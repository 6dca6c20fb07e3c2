package classify_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/rawjson"
)

// FuzzClassify classifies whatever is a catalog. Nothing breaks, twice gives the same,
// words are of the closed sets, and evidence stands where it says.
func FuzzClassify(f *testing.F) {
	f.Add(`{"tools": [{"name": "read_file", "description": "Reads a file.", "inputSchema": {"properties": {"path": {"type": "string"}}}}]}`)
	f.Add(`{"tools": [{"name": null, "description": 7, "inputSchema": true}, null, {"inputSchema": {"properties": []}}, {"inputSchema": {"properties": {"a": true, "b": "x", "c": {"format": 3, "type": ["string", null]}}}}]}`)
	f.Add(`{"tools": [{"name": "a", "inputSchema": {"properties": {"a": {"$ref": "#/properties/a"}, "b": {"anyOf": [{"$ref": "#"}]}}, "allOf": [{"$ref": "#"}]}}]}`)
	f.Add(`{"server": {"name": "git-mcp"}, "instructions": "\u202eX", "tools": [{"name": "git_push\u200b", "description": "<IMPORTANT> 'a ''b\n\n\n- x: https://\n\n` + "```" + `", "annotations": {"readOnlyHint": "yes"}}]}`)
	f.Add(`{"servers": [{"tools": [{"name": "\u30d5\u30a1\u30a4\u30eb\u524a\u9664", "description": "\u30d5\u30a1\u30a4\u30eb\u3092\u524a\u9664"}]}, {"tools": []}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := catalog.Parse("fuzz.json", text, catalog.Limits{Items: 200})
		if err != nil {
			return
		}
		first, second := classify.Catalog(c), classify.Catalog(c)
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("two runs differ:\n%+v\n%+v", first, second)
		}
		for i, s := range c.Servers {
			for j := range s.Tools() {
				holdsTo(t, s, &s.Tools()[j], first[i].Tools[j])
			}
		}
	})
}

func holdsTo(t *testing.T, s *catalog.Server, it *catalog.Item, tool capability.Tool) {
	t.Helper()
	for _, w := range tool.Warnings {
		if strings.HasPrefix(w, "failed") {
			t.Errorf("%s: %s", it.Label(), w)
		}
	}
	for name, r := range tool.Roles {
		if !slices.Contains(capability.Roles(), r.Role) || !slices.Contains(capability.Confidences(), r.Confidence) {
			t.Errorf("%s: parameter %q: %+v", it.Label(), name, r)
		}
	}
	var tree rawjson.Tree
	v := it.Parse(s, &tree)
	for _, l := range tool.Capabilities {
		if !slices.Contains(capability.Tags(), l.Tag) || !slices.Contains(capability.Confidences(), l.Confidence) {
			t.Errorf("%s: %+v", it.Label(), l)
		}
		if len(l.Evidence) == 0 {
			t.Errorf("%s: %s without evidence", it.Label(), l.Tag)
		}
		for _, g := range l.Signals {
			if g.Pointer == "/description" && g.Source == capability.FromDescription {
				if d := v.Get("description").Text(); g.End > len(d) || !strings.HasPrefix(d[g.Start:g.End], g.Text) {
					t.Errorf("%s: %+v does not stand in %q", it.Label(), g, d)
				}
			}
		}
	}
}
