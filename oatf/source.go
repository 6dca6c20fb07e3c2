package oatf

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// source is the text that a document was read from, as one ordered tree: written as JSON,
// indexed, and each value and name tied to its place in the YAML text. Reading, rules and
// the model all work on this tree.
type source struct {
	lines  []string // of the YAML text
	tree   rawjson.Tree
	marks  []mark       // by offset in the JSON text
	faults []Diagnostic // what the YAML holds that this format forbids
	// comments counts those of the text, which the tree does not hold.
	comments int
}

// mark ties a value or a name, by the offset of its JSON text, to its place in the YAML.
type mark struct {
	offset       int
	line, column int // from 1; the column in characters
}

// Comments returns how many comments the text of a document had. [Serialize] does not keep
// them.
func (d *Document) Comments() int {
	if d.source == nil {
		return 0
	}
	return d.source.comments
}

// renderedSource is the tree of a document as it would be written, without a text.
func renderedSource(d *Document) *source {
	s := new(source)
	// Values that a program put in come from rawjson, so this cannot fail but for a
	// threshold that is no number; the tree is then empty and every rule says so.
	_ = s.tree.Parse(render(d, false), 0)
	return s
}

// current returns the tree of a document as it is now: that of its text, unless a program
// built or changed it.
func (d *Document) current() *source {
	if d.source != nil && reflect.DeepEqual(decodeDocument(d.source), d) {
		return d.source
	}
	return renderedSource(d)
}

// rootValue returns the whole document.
func (s *source) rootValue() rawjson.Value { return s.tree.Root() }

// positionOf returns the place of a value or a name.
func (s *source) positionOf(v rawjson.Value) (line, column int) {
	i, found := slices.BinarySearchFunc(s.marks, v.Offset(), func(m mark, offset int) int { return m.offset - offset })
	if !v.Exists() || !found {
		return 0, 0
	}
	return s.marks[i].line, s.marks[i].column
}

// locateDiagnostic sets the place of a diagnostic to that of v. A mapping or a list is shown by the
// name in front of it, as it may begin far below.
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

// extent returns how many characters a string has on its line: its own where it stands
// there without quotes, else those of the token.
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

// longestSpan is how long a line may be for what stands in it to be measured. On a longer
// one, which no person will look at, a place is shown and no extent.
const longestSpan = 2000

// caretSpan returns how many characters the token at a column of a line has, 1 at least.
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
		case rest[i] == ':' && (end || rest[i+1] == ' '), // behind a name
			rest[i] == '#' && rest[i-1] == ' ', // a comment
			strings.ContainsRune(",]}", rest[i]) && (end || rest[i+1] == ' ' || rest[i+1] == ']' || rest[i+1] == '}'):
			return len([]rune(strings.TrimRight(string(rest[:i]), " \t")))
		}
	}
	return len(rest)
}

// pointerPath writes where v stands in the notation of the specification:
// attack.indicators[0].surface.
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

// indexOf returns the place of an element in its list.
func indexOf(v rawjson.Value) int {
	for i, e := range v.Parent().Elements() {
		if e == v {
			return i
		}
	}
	return 0
}
