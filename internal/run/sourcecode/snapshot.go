package sourcecode

import (
	"encoding/json"

	"gauntlet/sink"
)

// Snapshot is the text of a snapshot of the definitions that a source holds, marked as extracted. What is not known of a
// definition is left out of it; a tool whose schema is not known takes any object.
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
		panic(err) // nothing in it can fail: each schema was written by this program
	}
	return string(text)
}
