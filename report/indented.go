package report

import (
	"bytes"
	"encoding/json"
	"io"

	"gauntlet/rawjson"
)

// WriteJSON writes v as all commands write JSON: indented by two spaces, with <, > and & unescaped and characters that
// could control a terminal as \u escapes, which are equivalent. The error is encoding/json's or w's.
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
