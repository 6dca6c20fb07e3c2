package classify_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/sink"
)

// TestSchemaOfOutput holds what classify writes to its schema, and the schema to refusing what it does not write.
func TestSchemaOfOutput(t *testing.T) {
	text, err := os.ReadFile("../docs/schemas/classify.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nil) // the schema refers to nothing but itself
	if err := c.AddResource("urn:classify", decodeJSON(t, string(text))); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("urn:classify")
	if err != nil {
		t.Fatal(err)
	}
	s := server(t, `{"tools": [{"name": "read_file", "description": "Reads the file at a path.", "inputSchema": {"properties": {"path": {"type": "string"}}}},
		{"name": "fetch_url", "description": "Fetches a URL.", "inputSchema": {"properties": {"url": {"type": "string", "format": "uri"}}}}]}`)
	at := sink.Place{File: "a.py", Line: 3, Start: 10, End: 20}
	classify.WithSources(&s, &sink.Sources{Handlers: []sink.Handler{{Tool: "read_file", At: at, Calls: []sink.Call{{Tag: capability.FSRead, Strength: sink.Strong, Kind: "ast_sink", Name: "open()", At: at}}}}})
	whole, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{string(whole), `{"servers": [` + string(whole) + `]}`} {
		if err := schema.Validate(decodeJSON(t, good)); err != nil {
			t.Errorf("%v in:\n%s", err, good)
		}
	}
	for _, bad := range [][2]string{
		{`"tag":"fs_read"`, `"tag":"fs_look"`}, {`"confidence":"high"`, `"confidence":"sure"`}, {`"role":"path"`, `"role":"way"`}, {`"line":3`, `"line":0`},
		{`"tool_name"`, `"name"`}, {`"classification_mode":"B"`, `"classification_mode":"C"`}, {`"scope":"server"`, `"scope":"agent"`},
	} {
		changed := strings.ReplaceAll(string(whole), bad[0], bad[1])
		if changed == string(whole) {
			t.Errorf("%s is not in the output", bad[0])
		}
		if schema.Validate(decodeJSON(t, changed)) == nil {
			t.Errorf("%s passes for %s", bad[1], bad[0])
		}
	}
}

func decodeJSON(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
