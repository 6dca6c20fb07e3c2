package config

import (
	"fmt"
	"io"
)

// Redacted is printed instead of a Value's text.
const Redacted = "[redacted]"

// A Value is a string of a configuration that may be secret. It prints as Redacted with every verb of fmt, in JSON,
// text and logs, directly and inside other values.
type Value struct {
	Place Place
	// A pointer: fmt ignores the methods of values in unexported fields, and prints a pointer there as an address.
	text *string
}

// NewValue returns a Value with its position.
func NewValue(text string, at Place) Value { return Value{Place: at, text: &text} }

// Reveal returns the text. The caller is responsible for where it goes.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// Empty reports whether the text is empty.
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

// MarshalText returns the result of String; encoding/json and log/slog use it, too.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
