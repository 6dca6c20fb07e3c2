package suite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/internal/leaf/yamltext"
	"gauntlet/suite"
)

// beyond are the faults that no schema can see.
var beyond = map[string]bool{
	"empty": true, "no YAML": true, "two documents": true, "a key twice": true, "a server twice": true, "anchors": true,
	"a step that calls nobody": true, "two steps of a name": true, "an expectation of no step": true, "a broken expression": true,
	"arguments with a template that lacks quotes": true,
}

// The schema and the parser agree on every file that there is.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(suite.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:suite", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:suite")
	if err != nil {
		t.Fatal(err)
	}
	judge := func(text string) error {
		root, err := yamltext.Document(text, "a suite", suite.MaxBytes)
		if err != nil {
			t.Fatal(err)
		}
		json, fault := yamltext.JSON(root)
		if fault != nil {
			t.Fatal(fault.Msg)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(json))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, file := range []string{"seed.yaml", "full.yaml"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := judge(string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, tt := range wrongs {
		if !beyond[tt.name] && judge(tt.text) == nil {
			t.Errorf("%s: the schema accepts %q", tt.name, tt.text)
		}
	}
}
