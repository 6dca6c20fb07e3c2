package report

import (
	"bytes"
	"encoding/json"
	"io"

	"gauntlet/rawjson"
)

// WriteJSON writes any value as every command writes JSON: indented by two spaces, with <, > and & as they are and
// whatever could steer a terminal as \u escapes, which means the same. The error is that of encoding/json or of w.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(rawjson.EscapeHidden(nil, b.Bytes()))
	return err
}
