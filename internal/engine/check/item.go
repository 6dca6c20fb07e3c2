package check

import (
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/clause"
	"gauntlet/rawjson"
)

// An Item shows a check one definition: its value and every string that a model can see, already read. It is valid only during the call.
type Item struct {
	*catalog.Item
	Server *catalog.Server
	Value  rawjson.Value
	Fields []Field

	names   *names
	content string // content hash, computed on demand
	check   *Check
	report  func(*Item, Report)
}

// A Field is a string of a definition: a value or a member name.
type Field struct {
	Value rawjson.Value
	IsKey bool
	Sort  Sort
	Text  clause.Text
}

// A Sort is the role of a string in its definition.
type Sort uint8

// The sorts of field.
const (
	Other Sort = iota
	Name
	Title
	Description
	Instructions
	SchemaDescription // description, title and $comment inside a schema
	PropertyName
	SchemaValue // enum, const, default, examples
	SchemaOther // the rest of a schema: types, formats, patterns, references
	Argument    // of a prompt
	Annotation
	Meta
	Icon
	URI
	MemberName // a name not defined by MCP or JSON Schema
	sorts
)

var sortNames = [sorts]string{"other", "name", "title", "description", "instructions", "schema description",
	"schema property name", "schema value", "schema other", "prompt argument", "annotation", "_meta", "icon", "uri", "member name"}

// String describes the sort in words.
func (s Sort) String() string { return sortNames[s] }

// Prose reports whether such a field has sentences for the model.
func (s Sort) Prose() bool {
	return s == Description || s == Instructions || s == SchemaDescription || s == Title || s == Argument || s == Annotation
}

// A Report is a check's finding about a field, or about the item if Field is nil. Start and End are byte offsets in the
// field's text; both 0 mean all of it.
type Report struct {
	Field      *Field
	Start, End int
	Normalized string // text as the check read it, if different
	Message    string
	Severity   finding.Severity // None: the check's default
	Suspicion  bool             // based on a score, not a rule
}

// Report records a finding.
func (it *Item) Report(r Report) { it.report(it, r) }

func (it *Item) contentHash() string {
	if it.content == "" {
		it.content = finding.ContentHash(it.Value.Canonical())
	}
	return it.content
}

// HasTool reports whether the item's server has a tool with this name, ignoring case.
func (it *Item) HasTool(name string) bool { return it.names.hasName(name) }

// Tools returns the number of the server's tools.
func (it *Item) Tools() int { return len(it.Server.Tools()) }
