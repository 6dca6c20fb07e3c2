package classify

import (
	"runtime"
	"strings"
	"testing"

	"gauntlet/catalog"
)

// TestLinear counts what is kept of hostile texts: it grows with the text at most as the
// text does, and stops at its limits.
func TestLinear(t *testing.T) {
	for _, tt := range []struct{ name, unit string }{
		{"acts without objects", "read write run send "},
		{"objects without acts", "file database url secret "},
		{"acts and objects", "reads files and sends mails, "},
		{"one sentence of another language", "liest Dateien löscht Ordner "},
		{"ideographs", "ファイル削除"},
		{"negations", "not never no read file "},
		{"identifiers", "read_file listFiles "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			small, large := kept(t, strings.Repeat(tt.unit, 10)), kept(t, strings.Repeat(tt.unit, 80))
			if large > 10*small+10 {
				t.Errorf("%q: %d deeds of 10, %d of 80", tt.unit, small, large)
			}
			if huge := kept(t, strings.Repeat(tt.unit, 20_000)); huge > maxDeeds+100 {
				t.Errorf("%q: %d deeds are kept of 20,000", tt.unit, huge)
			}
			// What copies the rest of a text at each word allocates quadratically: once, "löscht Ordner" did.
			if some, many := allocated(t, strings.Repeat(tt.unit, 1_000)), allocated(t, strings.Repeat(tt.unit, 8_000)); many > 16*some {
				t.Errorf("%q: %d bytes are allocated for 1,000, %d for 8,000", tt.unit, some, many)
			}
		})
	}
}

// allocated returns how many bytes are allocated for reading a description.
func allocated(t *testing.T, description string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	kept(t, description)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func kept(t *testing.T, description string) int {
	t.Helper()
	w := read(t, `{"tools": [{"name": "x", "description": "`+description+`"}]}`)
	return len(w.actions)
}

// TestLongNames counts what is kept of names: each word is held against all others.
func TestLongNames(t *testing.T) {
	for _, unit := range []string{"read_file_", "readFile", "ファイル削除", "读取文件", "x-"} {
		w := read(t, `{"tools": [{"name": "`+strings.Repeat(unit, 20_000)+`", "title": "`+strings.Repeat(unit, 20_000)+`"}]}`)
		if len(w.actions) > 2*maxNameWords {
			t.Errorf("%q: %d deeds are kept of 20,000", unit, len(w.actions))
		}
	}
}

// TestDecodedOnce judges a long description full of secrets: what each act stands in is not
// decoded again.
func TestDecodedOnce(t *testing.T) {
	w := read(t, `{"tools": [{"name": "x", "description": "`+strings.Repeat(`Reads secrets.\n`, 2_000)+`"}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.scoreTags(&profile{})
	w.buildTool(0)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes are allocated for a description of %d", got, len(w.prose))
	}
}

func read(t *testing.T, text string) *toolReader {
	t.Helper()
	c, err := catalog.Parse("x.json", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	w := newToolReader(new(Lens))
	w.readTool(c.Servers[0], &c.Servers[0].Tools()[0], nil)
	return w
}

// TestSchemaBudget reads schemas that refer to themselves many times over.
func TestSchemaBudget(t *testing.T) {
	self := strings.TrimSuffix(strings.Repeat(`{"$ref": "#/properties/a"},`, 200), ",")
	whole := strings.TrimSuffix(strings.Repeat(`{"$ref": "#"},`, 200), ",")
	for _, schema := range []string{
		`{"properties": {"a": {"anyOf": [` + self + `]}}}`,
		`{"properties": {"b": {"type": "string"}}, "allOf": [` + whole + `]}`,
		`{"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"type": "array", "items": {"$ref": "#"}}}}`,
	} {
		w := read(t, `{"tools": [{"name": "x", "inputSchema": `+schema+`}]}`)
		if !w.schema.over && len(w.params) > maxParameters {
			t.Errorf("%.60s…: %d parameters", schema, len(w.params))
		}
		if w.schema.left < -1-200*maxFollowed {
			t.Errorf("%.60s…: %d schemas were looked at", schema, maxSchemas-w.schema.left)
		}
	}
}
