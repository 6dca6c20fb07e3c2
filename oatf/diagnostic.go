package oatf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DiagnosticSeverity is the severity of a [Diagnostic].
type DiagnosticSeverity string

// The severities: an error makes a document non-conforming, a warning never does.
const (
	SeverityError   DiagnosticSeverity = "error"
	SeverityWarning DiagnosticSeverity = "warning"
)

// ParseErrorKind classifies a parse error (SDK §7.1).
type ParseErrorKind string

// The kinds: not YAML, or not the YAML of this format; a wrong type, a missing or unknown field; a word outside a closed list.
const (
	Syntax         ParseErrorKind = "syntax"
	TypeMismatch   ParseErrorKind = "type_mismatch"
	UnknownVariant ParseErrorKind = "unknown_variant"
)

// A Diagnostic is an error or a warning about a document. It combines the specification's ParseError, ValidationError
// and Diagnostic (SDK §7).
type Diagnostic struct {
	Severity DiagnosticSeverity `json:"severity"`
	// Rule is V-001 to V-049, W-001 to W-007, GNT-… for a lint, or the Kind's name for a parse error without a rule.
	Rule string `json:"rule"`
	// Kind is set for errors of [Parse].
	Kind    ParseErrorKind `json:"kind,omitempty"`
	Section string         `json:"section"` // of the rule: "§6.2", "SDK §3.1"
	// Path leads to the offending field: attack.indicators[0].surface. A missing field has the path that it would have.
	Path string `json:"path,omitempty"`
	// Pointer is the path as a JSON Pointer (RFC 6901), which also handles keys that contain dots.
	Pointer string `json:"pointer,omitempty"`
	// Line and Column are those of the nearest existing value. They begin at 1 and count characters; 0 for a document
	// not read from a text.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// EndLine and EndColumn follow the last character.
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
}

// Error returns the diagnostic on one line: position, path, message, rule. The message may quote the document.
func (d Diagnostic) Error() string {
	var b strings.Builder
	if d.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", d.Line, d.Column)
	}
	if d.Path != "" {
		b.WriteString(d.Path + ": ")
	}
	fmt.Fprintf(&b, "%s (%s, %s)", d.Message, d.Rule, d.Section)
	return b.String()
}

// Errors lists everything that makes a text invalid, in text order.
type Errors []Diagnostic

// Error returns one line per diagnostic.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// sortDiagnostics sorts diagnostics by position, path and rule, and removes duplicates.
func sortDiagnostics(all []Diagnostic) []Diagnostic {
	slices.SortStableFunc(all, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}
