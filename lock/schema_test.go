package lock

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchema holds lockfiles to the schema, and the schema to refusing what Parse refuses.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../docs/schemas/lock.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nil) // the schema refers to nothing but itself
	if err := c.AddResource("urn:lock", decode(t, string(text))); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:lock")
	if err != nil {
		t.Fatal(err)
	}
	f := File{Servers: entries(parse(t, calc))}
	f.Servers[0].Target = URLTarget("https://example.com/mcp")
	whole := string(f.Bytes())
	for _, good := range []string{whole, locked(t, calcLater), locked(t, `{"tools":[5,{"name":"x","name":"y"}]}`), string((&File{}).Bytes())} {
		if err := schema.Validate(decode(t, good)); err != nil {
			t.Errorf("%v in:\n%s", err, good)
		}
	}
	for _, bad := range [][2]string{
		{`"lockfileVersion": 1`, `"lockfileVersion": 2`}, {`"date":`, `"day":`}, {`"definition": "Adds."`, `"definitions": "Adds."`},
		{"sha256-", "md5-"}, {`"url":`, `"uri":`}, {`"tools": [`, `"tool": [`},
	} {
		if schema.Validate(decode(t, strings.ReplaceAll(whole, bad[0], bad[1]))) == nil {
			t.Errorf("%s passes for %s", bad[1], bad[0])
		}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
