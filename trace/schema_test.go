package trace

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// noLoader refuses every reference out of the schema.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s: not loaded", url) }

var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := os.ReadFile("../docs/schemas/trace.schema.json")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("urn:trace", doc); err != nil {
		return nil, err
	}
	return c.Compile("urn:trace")
})

func validate(t testing.TB, line string) error {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestWhatIsWrittenFitsTheSchema(t *testing.T) {
	text := written(t, full(),
		Message{Seq: 10, Direction: ToServer, Kind: Error, Stray: UnknownID, Raw: "\xff"},
		Message{Seq: 11, Direction: ToServer, Kind: Invalid, HTTP: &HTTP{}})
	for line := range strings.Lines(text) {
		if err := validate(t, line); err != nil {
			t.Errorf("%v in\n%s", err, line)
		}
	}
}

// The Reader and the schema refuse the same lines.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	for _, line := range []string{
		`{}`,
		`{"seq":0,"direction":"to_server","kind":"request","raw":""}`,
		`{"seq":1,"direction":"up","kind":"request","raw":""}`,
		`{"seq":1,"direction":"to_server","kind":"question","raw":""}`,
		`{"seq":1,"direction":"to_server","kind":"request"}`,
		`{"seq":1,"direction":"to_server","kind":"request","raw":"","raw_base64":""}`,
		`{"seq":9,"direction":"to_server","kind":"request","reply_to":1,"raw":""}`,
		`{"seq":9,"direction":"to_server","kind":"response","reply_to":"1","raw":""}`,
		`{"seq":1,"direction":"to_server","kind":"request","time":"noon","raw":""}`,
		`{"seq":1,"direction":"to_server","kind":"request","raw_base64":"?"}`,
		`{"seq":1,"direction":"to_server","kind":"request","role":"host","raw":""}`,
		`{"seq":1,"direction":"to_server","kind":"request","http":{"headers":[{"value":"x"}]},"raw":""}`,
		`{"end":true}`,
		`{"end":{"messages":"1"},"seq":1}`,
	} {
		if validate(t, line) == nil {
			t.Errorf("the schema takes %s", line)
		}
		if got, err := Read(strings.NewReader(head+line), Limits{}); err != nil || got.Unread != 1 {
			t.Errorf("the Reader takes %s (%v)", line, err)
		}
	}
}
