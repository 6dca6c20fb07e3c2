package oatf

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// source is the text of a document as an ordered tree: written as JSON, indexed, with the YAML position of each value
// and name. Reading, rules and the model all use this tree.
type source struct {
	lines  []string // of the YAML text
	tree   rawjson.Tree
	marks  []mark       // by offset in the JSON text
	faults []Diagnostic // YAML that this format forbids
	// comments counts the comments, which the tree omits.
	comments int
}

// mark maps a value or name, by the offset of its JSON text, to its YAML position.
type mark struct {
	offset       int
	line, column int // from 1; column in characters
}

// Comments returns the number of comments in a document's text. [Serialize] does not keep them.
func (d *Document) Comments() int {
	if d.source == nil {
		return 0
	}
	return d.source.comments
}

// renderedSource is the tree of a document as it would be written, without a text.
func renderedSource(d *Document) *source {
	s := new(source)
	// Values set by a program come from rawjson, so this can fail only for a threshold that is not a number; the tree
	// is then empty, and every rule reports that.
	_ = s.tree.Parse(render(d), 0)
	return s
}

// current returns the tree of a document: that of its text, unless a program built or changed it.
func (d *Document) current() *source {
	if d.source != nil && reflect.DeepEqual(decodeDocument(d.source), d) {
		return d.source
	}
	return renderedSource(d)
}

func (s *source) rootValue() rawjson.Value { return s.tree.Root() }

// positionOf returns the position of a value or name.
func (s *source) positionOf(v rawjson.Value) (line, column int) {
	i, found := slices.BinarySearchFunc(s.marks, v.Offset(), func(m mark, offset int) int { return m.offset - offset })
	if !v.Exists() || !found {
		return 0, 0
	}
	return s.marks[i].line, s.marks[i].column
}

// locateDiagnostic sets a diagnostic's position to that of v. For a mapping or list it is the preceding name, since the
// value may begin far below.
func (s *source) locateDiagnostic(d *Diagnostic, v rawjson.Value) {
	if k := v.Key(); k.Exists() && (v.Kind() == rawjson.Object || v.Kind() == rawjson.Array) {
		v = k
	}
	if d.Line, d.Column = s.positionOf(v); d.Line == 0 || d.Line > len(s.lines) {
		return
	}
	d.EndLine = d.Line
	d.EndColumn = d.Column + extent(s.lines[d.Line-1], d.Column, v.Text())
}

// extent returns the number of characters of a string on its line: its own if it is unquoted there, otherwise the token's.
func extent(line string, column int, text string) int {
	if text == "" || len(line) > longestSpan {
		return caretSpan(line, column)
	}
	rest := line
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	if strings.HasPrefix(rest, text) {
		return utf8.RuneCountInString(text)
	}
	return caretSpan(line, column)
}

// longestSpan is the longest line on which extents are measured. On a longer one, which nobody will read, only the position is shown.
const longestSpan = 2000

// caretSpan returns the number of characters of the token at a column of a line, at least 1.
func caretSpan(line string, column int) int {
	if len(line) > longestSpan {
		return 1
	}
	rest := []rune(strings.TrimRight(line, " \t\r"))
	if column-1 >= len(rest) {
		return 1
	}
	rest = rest[column-1:]
	if q := rest[0]; q == '"' || q == '\'' {
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' && q == '"' {
				i++
			} else if rest[i] == q {
				return i + 1
			}
		}
		return len(rest)
	}
	for i := 1; i < len(rest); i++ {
		switch end := i+1 == len(rest); {
		case rest[i] == ':' && (end || rest[i+1] == ' '), // after a name
			rest[i] == '#' && rest[i-1] == ' ', // a comment
			strings.ContainsRune(",]}", rest[i]) && (end || rest[i+1] == ' ' || rest[i+1] == ']' || rest[i+1] == '}'):
			return len([]rune(strings.TrimRight(string(rest[:i]), " \t")))
		}
	}
	return len(rest)
}

// pointerPath writes the path of v in the specification's notation: attack.indicators[0].surface.
func pointerPath(v rawjson.Value) string {
	var parts []string
	for ; v.Parent().Exists(); v = v.Parent() {
		if k := v.Key(); k.Exists() {
			parts = append(parts, "."+k.Text())
		} else {
			parts = append(parts, "["+strconv.Itoa(indexOf(v))+"]")
		}
	}
	slices.Reverse(parts)
	return strings.TrimPrefix(strings.Join(parts, ""), ".")
}

func indexOf(v rawjson.Value) int {
	for i, e := range v.Parent().Elements() {
		if e == v {
			return i
		}
	}
	return 0
}
