package check

import (
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/clause"
	"gauntlet/rawjson"
)

// An Item shows a check one definition: its value and every string of it that a model
// can see, already read. It is good only during the call.
type Item struct {
	*catalog.Item
	Server *catalog.Server
	Value  rawjson.Value
	Fields []Field

	names   *names
	content string // its content hash, once a finding needs it
	check   *Check
	report  func(*Item, Report)
}

// A Field is one string of a definition: a value, or the name of a member.
type Field struct {
	Value rawjson.Value
	IsKey bool
	Sort  Sort
	Text  clause.Text
}

// A Sort says what part a string plays in its definition.
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
	MemberName // a name that MCP and JSON Schema do not give
	sorts
)

var sortNames = [sorts]string{"other", "name", "title", "description", "instructions", "schema description",
	"schema property name", "schema value", "schema other", "prompt argument", "annotation", "_meta", "icon", "uri", "member name"}

// String returns the sort in words.
func (s Sort) String() string { return sortNames[s] }

// Prose reports whether people write sentences for the model in such a field.
func (s Sort) Prose() bool {
	return s == Description || s == Instructions || s == SchemaDescription || s == Title || s == Argument || s == Annotation
}

// A Report is what a check has to say about one field, or about the item where Field is
// nil. Start and End are byte offsets in the field's text; both 0 stand for all of it.
type Report struct {
	Field      *Field
	Start, End int
	Normalized string // what the check read there, if it differs from the text
	Message    string
	Severity   finding.Severity // None: the check's own
	Suspicion  bool             // a score speaks and no rule
}

// Report records a finding.
func (it *Item) Report(r Report) { it.report(it, r) }

// contentHash is the finding.ContentHash of the whole definition.
func (it *Item) contentHash() string {
	if it.content == "" {
		it.content = finding.ContentHash(it.Value.Canonical())
	}
	return it.content
}

// HasTool reports whether the item's server offers a tool of this name, letter case aside.
func (it *Item) HasTool(name string) bool { return it.names.hasName(name) }

// Tools returns how many tools the item's server offers.
func (it *Item) Tools() int { return len(it.Server.Tools()) }
