package config

import (
	"fmt"
	"io"
)

// Redacted is what a Value prints instead of its text.
const Redacted = "[redacted]"

// A Value is a string of a configuration that may be a secret. It prints as Redacted with
// every verb of fmt, in JSON, in text and in logs, by itself and inside other values.
type Value struct {
	Place Place
	// A pointer: package fmt does not ask values in unexported fields how they print,
	// and prints a pointer there as an address.
	text *string
}

// NewValue returns a Value of text that stands at a place.
func NewValue(text string, at Place) Value { return Value{Place: at, text: &text} }

// Reveal returns the text. Whoever calls it answers for where the text goes.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// Empty reports whether there is no text.
func (v Value) Empty() bool { return v.Reveal() == "" }

// String returns Redacted, or "" for an empty Value.
func (v Value) String() string {
	if v.Empty() {
		return ""
	}
	return Redacted
}

// Format writes what String returns, whatever the verb.
func (v Value) Format(s fmt.State, _ rune) { io.WriteString(s, v.String()) } //nolint:errcheck // fmt keeps the error

// MarshalText writes what String returns; packages encoding/json and log/slog use it too.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
