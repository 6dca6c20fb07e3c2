package catalog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

const sample = "\ufeff" + `{
  "server": {"name": "sample", "version": "1.0", "x": [1e400, -0.0]},
  "instructions": "Read \u0041\/\"all\".",
  "capabilities": {"tools": {"listChanged": true}},
  "tools": [
    {"zeta": 12345678901234567890123, "name": "a/b~c", "alpha": {"b": 1, "a": 2, "b": 3}, "": null},
    [1, "two"], null,
    {"name": "späte", "description": "\ud83d\ude00 \ud800", "inputSchema": {"properties": {"~/": {"type": "string"}}}}
  ],
  "prompts": [],
  "resource_templates": [ {"uriTemplate" :"x:{y}" } ],
  "stdout_noise": ["hello"]
}
`

// decoded reads JSON the way most programs do. ok is false for what encoding/json does
// not take (more than 10,000 levels).
func decoded(text string) (v any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// resolve follows an RFC 6901 pointer.
func resolve(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[token]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// repeats reports whether a name stands twice in some object: its pointers are ambiguous.
func repeats(v rawjson.Value) bool {
	seen := map[string]bool{}
	for m := range v.Members() {
		if seen[m.Key.Text()] || repeats(m.Value) {
			return true
		}
		seen[m.Key.Text()] = true
	}
	for _, e := range v.Elements() {
		if repeats(e) {
			return true
		}
	}
	return false
}

// checkSpans holds every item to its place: the text at its offsets, the value at its
// pointer, the same value once parsed.
func checkSpans(t *testing.T, c *Catalog) {
	t.Helper()
	for _, s := range c.Servers {
		text := strings.TrimPrefix(s.Document.Text, "\ufeff")
		whole, ok := decoded(text)
		var doc, tree rawjson.Tree
		if err := doc.Parse(text, 0); err != nil {
			t.Fatalf("a catalog of what is not JSON: %v", err)
		}
		ambiguous := !ok || doc.Depth() < 1000 && repeats(doc.Root())
		for it := range s.Items() {
			if it.end <= it.start || int(it.end) > len(s.Document.Text) || it.Text(s) != s.Document.Text[it.start:it.end] || it.Size() != int(it.end-it.start) {
				t.Fatalf("item %s: span %d to %d of %d", it.Label(), it.start, it.end, len(s.Document.Text))
			}
			v := it.Parse(s, &tree)
			if v.Raw() != it.Text(s) || v.Offset() != int(it.start) {
				t.Fatalf("item %s: parsed as %q at %d, want %q at %d", it.Label(), v.Raw(), v.Offset(), it.Text(s), it.start)
			}
			if ambiguous {
				continue
			}
			want, ok := decoded(it.Text(s))
			got, found := resolve(whole, it.Pointer(s))
			if ok && (!found || !reflect.DeepEqual(got, want)) {
				t.Fatalf("item %s: pointer %q leads to %v (%v), want %v", it.Label(), it.Pointer(s), got, found, want)
			}
		}
	}
}

func TestNothingIsLost(t *testing.T) {
	c, err := Parse("sample.json", sample, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkSpans(t, c)
	s := c.Servers[0]
	if s.Document.Text != sample {
		t.Error("the document is not kept as received")
	}
	items := s.Tools()
	for i, want := range []string{
		`{"zeta": 12345678901234567890123, "name": "a/b~c", "alpha": {"b": 1, "a": 2, "b": 3}, "": null}`,
		`[1, "two"]`, `null`,
		`{"name": "späte", "description": "\ud83d\ude00 \ud800", "inputSchema": {"properties": {"~/": {"type": "string"}}}}`,
	} {
		if got := items[i].Text(s); got != want {
			t.Errorf("tool %d = %s, want %s", i, got, want)
		}
	}
	var tree rawjson.Tree
	v := items[0].Parse(s, &tree)
	var names []string
	for m := range v.Members() {
		names = append(names, m.Key.Text())
	}
	if got := strings.Join(names, ","); got != "zeta,name,alpha," {
		t.Errorf("members in the order %s", got)
	}
	names = nil
	for m := range v.Get("alpha").Members() {
		names = append(names, m.Key.Text()+m.Value.Raw())
	}
	if got := strings.Join(names, ","); got != "b1,a2,b3" {
		t.Errorf("repeated members read as %s", got)
	}
	if got := v.Get("zeta").Raw(); got != "12345678901234567890123" {
		t.Errorf("big number read as %s", got)
	}
	if loc := items[3].Location(s, items[3].Parse(s, &tree).Get("inputSchema").Get("properties").Get("~/"), true); loc.Pointer != "/tools/3/inputSchema/properties/~0~1" || loc.Item != "späte" || !loc.IsKey {
		t.Errorf("location of an escaped name = %+v", loc)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	for _, s := range []string{
		`{}`, `{"servers":[]}`, `{"servers":[{"tools":[{}]},1]}`, `{"jsonrpc":"2.0","result":{"tools":[{"name":null}]}}`, `{"jsonrpc":"2.0","error":1}`,
		`{"tools":{"a":1}}`, `{"tools":[{"name":1,"description":2,"inputSchema":true}]}`, `{"tools":[{"inputSchema":{"properties":[]}}],"tools":null}`,
		`{"tools":[[[[[[[]]]]]]]}`, `{"a~/b":[],"tools":[{"name":"\ud800"}]}`, "{\"tools\":[{\"name\":\"\xff\"}]}", `{"server":{"name":"x"},"instructions":1}`,
		`{"capture_errors":{"a":{"code":-32601},"b":""},"nextCursor":"x"}`, "\xff\xfe{", "\ufeff{}", `[`, `{"mcpServers":{}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("x.json", text, Limits{Items: 50})
		if err != nil {
			if len(c.Documents)+len(c.Servers)+len(c.Problems) > 0 {
				t.Fatalf("Parse(%q) = %v and a catalog", text, err)
			}
			return
		}
		// A document that was read holds a server, or a problem says why it does not.
		if len(c.Documents) != 1 || len(c.Servers)+len(c.Problems) == 0 {
			t.Fatalf("Parse(%q): %d documents, no servers, no problems", text, len(c.Documents))
		}
		for _, p := range c.Problems {
			if p.Order < 0 || p.Order > len(text) || p.Message == "" || p.Kind == "" {
				t.Fatalf("Parse(%q): problem %+v", text, p)
			}
		}
		checkSpans(t, c)
	})
}

// TestCorpus reads captured snapshots, which are not part of the project.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("GAUNTLET_CORPUS")
	if dir == "" {
		t.Skip("GAUNTLET_CORPUS names no directory of snapshots")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*.json"))
	if files == nil {
		files, _ = filepath.Glob(filepath.Join(dir, "*.json"))
	}
	if files == nil {
		t.Fatalf("no snapshots in %s", dir)
	}
	items := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(filepath.Base(name), string(data), Limits{})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, p := range c.Problems {
			if !strings.HasPrefix(p.Location.Pointer, "/capture_errors/") && !strings.HasPrefix(p.Location.Pointer, "/stdout_noise") {
				t.Errorf("%s %s: %s", filepath.Base(name), p.Location.Pointer, p.Message)
			}
		}
		checkSpans(t, c)
		for _, s := range c.Servers {
			for range s.Items() {
				items++
			}
		}
	}
	t.Logf("%d snapshots, %d items", len(files), items)
}
