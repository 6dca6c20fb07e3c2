package sourcecode

import (
	"encoding/json"

	"gauntlet/sink"
)

// Snapshot returns a snapshot of a source's definitions, marked as extracted. Unknown parts are omitted; an unknown schema accepts
// any object.
func Snapshot(definitions []sink.Definition) string {
	type tool struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
	}
	var s struct {
		Server struct {
			Method string `json:"method"`
		} `json:"server"`
		Tools []tool `json:"tools"`
	}
	s.Server.Method = "extracted"
	s.Tools = make([]tool, 0, len(definitions))
	for _, d := range definitions {
		t := tool{Name: d.Tool, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema, Annotations: d.Annotations}
		if t.InputSchema == nil {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		s.Tools = append(s.Tools, t)
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		panic(err) // cannot fail: this program wrote each schema
	}
	return string(text)
}
