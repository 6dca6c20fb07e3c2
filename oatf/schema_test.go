package oatf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/rawjson"
)

// beyondSchema are the rules that a JSON Schema cannot know: what must differ or exist
// elsewhere, the order of phases, the languages inside strings, YAML itself, and what
// stands inside a state; nor how many names there are that it does not know (V-041).
var beyondSchema = map[string]bool{
	"V-008": true, "V-010": true, "V-011": true, "V-013": true, "V-014": true, "V-015": true, "V-016": true, "V-020": true,
	"V-024": true, "V-032": true, "V-033": true, "V-041": true, "V-042": true, "V-044": true, "V-048": true, "syntax": true,
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("oatf.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("oatf.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaWritten: every field of every shape is in the schema, with words for an editor.
func TestSchemaWritten(t *testing.T) {
	tree := new(rawjson.Tree)
	if err := tree.Parse(Schema(), 0); err != nil {
		t.Fatal(err)
	}
	described := 0
	for v := range tree.Root().All() {
		if !v.Key().Is("properties") || v.Parent().Get("type").Text() != "object" {
			continue
		}
		for m := range v.Members() {
			if described++; !m.Value.Get("description").Exists() && !m.Value.Get("$ref").Exists() {
				t.Errorf("%s: no description", m.Value.Pointer())
			}
		}
	}
	if described < 80 {
		t.Errorf("%d properties, want those of all shapes", described)
	}
}

// TestSchemaAgrees compares the schema with the rules on every document there is: the
// project's fixtures and, where it can be read, the public suite and library.
func TestSchemaAgrees(t *testing.T) {
	s := compiledSchema(t)
	n := 0
	for name, text := range everyDocument(t) {
		src, failed := readSource(text, DefaultLimits())
		if failed != nil {
			continue
		}
		n++
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(withoutNulls(src)))
		if err != nil {
			t.Fatal(err)
		}
		refused := s.Validate(value)
		errs := Validate(decodeDocument(src)).Errors
		must := false
		for _, e := range errs {
			inState := strings.Contains(e.Path, ".state.") || strings.Contains(e.Path, ".x-")
			if !beyondSchema[e.Rule] && !inState && !differOnly(e) {
				must = true
			}
		}
		switch {
		case refused != nil && errs == nil:
			t.Errorf("%s: the schema refuses a valid document: %v\n%s", name, refused, text)
		case refused == nil && must:
			t.Errorf("%s: the schema accepts what has errors:\n%v\n%s", name, errs, text)
		}
	}
	t.Logf("%d documents compared", n)
}

// differOnly tells the parts of rules about what must differ from the rest of them.
func differOnly(e Diagnostic) bool {
	return e.Rule == "V-031" && strings.HasPrefix(e.Message, "two actors") || e.Rule == "V-028" && strings.HasPrefix(e.Message, "all phases")
}

// withoutNulls writes the document as the model reads it, where null stands for absent.
// Without that a schema would have to allow null everywhere, and editors would offer it.
func withoutNulls(src *source) string {
	var b strings.Builder
	dropNulls(&b, src.rootValue(), true)
	return b.String()
}

func dropNulls(b *strings.Builder, v rawjson.Value, drop bool) {
	switch v.Kind() {
	case rawjson.Object:
		w := beginObject(b, nil)
		for m := range v.Members() {
			name := m.Key.Text()
			if drop && m.Value.Kind() == rawjson.Null && name != "condition" {
				continue
			}
			keep := strings.HasPrefix(name, "x-") || name == "state" || name == "params" || name == "match" || name == "condition"
			w.writeField(name, true, func() { dropNulls(b, m.Value, drop && !keep) })
		}
		w.endObject()
	case rawjson.Array:
		b.WriteByte('[')
		for i, e := range v.Elements() {
			if i > 0 {
				b.WriteByte(',')
			}
			dropNulls(b, e, drop)
		}
		b.WriteByte(']')
	default:
		b.WriteString(v.Raw())
	}
}

func everyDocument(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	archives, _ := filepath.Glob("testdata/*/*.txtar")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".yaml") {
				all[filepath.Base(path)+"/"+f.Name] = string(f.Data)
			}
		}
	}
	dir := os.Getenv("GAUNTLET_OATF")
	if dir == "" {
		return all
	}
	files, _ := filepath.Glob(filepath.Join(dir, "scenarios", "*.yaml"))
	more, _ := filepath.Glob(filepath.Join(dir, "conformance", "parse", "*", "*.yaml"))
	for _, f := range append(files, more...) {
		if text, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, ".meta.yaml") {
			all[filepath.Base(f)] = string(text)
		}
	}
	for _, f := range []string{"validate/suite.yaml", "validate/warnings.yaml", "normalize/suite.yaml", "roundtrip/suite.yaml"} {
		for _, c := range suiteCases(t, f) {
			all[c.ID] = c.Input.Value
		}
	}
	return all
}
