package report

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// noLoader refuses every reference out of a schema. The library's own loader opens files
// and addresses that a schema names.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s: not loaded", url) }

func compile(text []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource("urn:under-test", doc); err != nil {
		return nil, err
	}
	return c.Compile("urn:under-test")
}

var reportSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := os.ReadFile("../docs/schemas/report.schema.json")
	if err != nil {
		return nil, err
	}
	return compile(text)
})

const goSARIF = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

// sarifLogSchema is the official schema of SARIF 2.1.0 (OASIS, errata 01) as go-sarif
// carries it. It is a constant there that nobody can import, and go-sarif's own Validate
// reads a document into structs first, by which a member of a wrong name gets lost: so
// the text is taken from the source that this test was built with.
var sarifLogSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	pkg, err := build.Import(goSARIF, ".", build.FindOnly)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		return nil, err
	}
	if !strings.Contains(text, sarifSchema) {
		return nil, fmt.Errorf("%s holds another schema than %s", pkg.Dir, sarifSchema)
	}
	return compile([]byte(text))
})

// mustMatch fails the test unless doc, a JSON text, is valid under the schema.
func mustMatch(t testing.TB, schema func() (*jsonschema.Schema, error), doc string) {
	t.Helper()
	if err := match(t, schema, doc); err != nil {
		t.Errorf("%v in:\n%.2000s", err, doc)
	}
}

func match(t testing.TB, schema func() (*jsonschema.Schema, error), doc string) error {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatalf("not JSON: %v in:\n%.2000s", err, doc)
	}
	return s.Validate(v)
}

// edited parses doc, lets edit change it and writes it again.
func edited(t *testing.T, doc string, edit func(map[string]any)) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	edit(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestSchemasAreNotLoadedFromElsewhere(t *testing.T) {
	_, err := compile([]byte(`{"$ref": "file:///etc/hostname"}`))
	if err == nil || !strings.Contains(err.Error(), "not loaded") {
		t.Errorf("a schema that refers to a file compiled with error %v, want a refusal", err)
	}
}
