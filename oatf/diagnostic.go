package oatf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// DiagnosticSeverity is the weight of a [Diagnostic].
type DiagnosticSeverity string

// The severities: an error makes a document non-conforming, a warning never does.
const (
	SeverityError   DiagnosticSeverity = "error"
	SeverityWarning DiagnosticSeverity = "warning"
)

// ParseErrorKind says what a text is not (SDK §7.1).
type ParseErrorKind string

// The kinds: not YAML, or not YAML that this format reads; a value of the wrong type, a
// required field left out or an unknown one written; a word outside a closed list.
const (
	Syntax         ParseErrorKind = "syntax"
	TypeMismatch   ParseErrorKind = "type_mismatch"
	UnknownVariant ParseErrorKind = "unknown_variant"
)

// A Diagnostic is one thing that is wrong with a document, or worth a warning. It is at
// once the specification's ParseError, ValidationError and Diagnostic (SDK §7).
type Diagnostic struct {
	Severity DiagnosticSeverity `json:"severity"`
	// Rule is V-001 to V-049, W-001 to W-007, GNT-… for a lint, or the Kind's name for a
	// parse error that has no rule of its own.
	Rule string `json:"rule"`
	// Kind is set for what [Parse] refuses.
	Kind    ParseErrorKind `json:"kind,omitempty"`
	Section string         `json:"section"` // where the rule stands: "§6.2", "SDK §3.1"
	// Path leads to the offending field: attack.indicators[0].surface. A field that is
	// missing is named as if it were there.
	Path string `json:"path,omitempty"`
	// Pointer is the same as a JSON Pointer (RFC 6901), which also tells apart what a path
	// cannot: keys with dots in them.
	Pointer string `json:"pointer,omitempty"`
	// Line and Column begin at 1 and count characters; 0 for a document that was not read
	// from a text. They are those of the nearest thing that is there.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// EndLine and EndColumn are behind the last character.
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
	Message   string `json:"message"`
}

// Error returns the diagnostic on one line: place, path, message, rule. The message may
// quote the document.
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

// Errors is why a text is no valid document: everything at once, in the order of the text.
type Errors []Diagnostic

// Error returns one line for each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// sortDiagnostics puts diagnostics into the order of the text, then of path and rule, and
// takes out repetitions.
func sortDiagnostics(all []Diagnostic) []Diagnostic {
	slices.SortStableFunc(all, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}
