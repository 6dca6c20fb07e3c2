package config

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Redacted is printed instead of a Value's text.
const Redacted = "[redacted]"

// A Value is a string of a configuration that may be secret. It prints as Redacted with every verb of fmt, in JSON,
// text and logs, directly and inside other values.
type Value struct {
	Place Place
	// A pointer: fmt ignores the methods of values in unexported fields, and prints a pointer there as an address.
	text *string
	// source is what stands in the file for a text of several lines.
	source *string
}

// NewValue returns a Value with its position.
func NewValue(text string, at Place) Value { return Value{Place: at, text: &text} }

// WithSource returns the value with what stands for it in its file, from the beginning of its place.
func (v Value) WithSource(s string) Value {
	v.source = &s
	return v
}

// At returns the place of a part of the text: its own lines, where the value has several and they stand in the file as they are.
func (v Value) At(start, end int) Place {
	if v.source == nil {
		return v.Place
	}
	text := v.Reveal()
	for start < end && strings.IndexByte(" \t\r\n", text[start]) >= 0 {
		start++
	}
	part, _, more := strings.Cut(text[start:end], "\n")
	at := 0
	for range strings.Count(text[:start], part) + 1 {
		n := strings.Index((*v.source)[at:], part)
		if n < 0 || part == "" {
			return v.Place
		}
		at += n + len(part)
	}
	before := (*v.source)[:at-len(part)]
	p := v.Place
	if lines := strings.Count(before, "\n"); lines > 0 {
		p.Line, p.Column = p.Line+lines, 1
	}
	p.Column += utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	p.Start += len(before)
	if !more {
		p.EndLine, p.EndColumn, p.End = p.Line, p.Column+utf8.RuneCountInString(part), p.Start+len(part)
	}
	return p
}

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
