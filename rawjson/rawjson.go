// Package rawjson reads JSON without losing any of it.
//
// A Tree is an index over the text as received: key order, repeated and unknown keys, the digits of numbers and the exact
// escapes of strings are preserved, and every value knows its byte span. Decoding a string or number never replaces the text.
//
// The grammar is exactly that of RFC 8259 with two concessions to evidence: strings may contain ill-formed UTF-8 and
// lone surrogates (both decode to U+FFFD, see [Value.WellFormed]), and members may repeat. Parsing is iterative, so
// nesting cannot exhaust the stack, and linear in the text.
package rawjson

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of RFC 8259. The zero Kind is that of the zero Value, which means absent.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	key // a member name; only inside a Tree
)

// String returns the JSON name of the kind: "null", "boolean", "number"…
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object", "string"}

// A SyntaxError is a JSON syntax error. Offset counts bytes from 0.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg) }

// MaxText is the longest text of a Tree, in bytes: spans have 32 bits.
const MaxText = 1<<32 - 1

// The length of a text, in bytes, for which memory is taken at once, and the most values that it is taken for.
const (
	largeText = 1 << 20
	largeTree = 2 << 20
)

// A Tree is a parsed text. The zero Tree is empty; calling Parse again reuses its memory, which invalidates all its Values.
type Tree struct {
	text  string
	base  int // offset of text in its document
	nodes []node
	stack []int32
	depth int
}

type node struct {
	start, end uint32 // span in text; strings and keys include their quotes
	next       int32  // index of the first node after this subtree
	parent     int32  // -1 at the root
	kind       Kind
}

// Parse parses text as one JSON value with optional surrounding white space. base is the offset of text in its
// document, which [Value.Offset] adds, so that parts of a large document can be parsed separately.
func (t *Tree) Parse(text string, base int) error {
	t.text, t.base, t.depth = text, base, 0
	t.nodes, t.stack = t.nodes[:0], t.stack[:0]
	if len(text) > MaxText {
		return &SyntaxError{Offset: MaxText, Msg: "the text is longer than 4 GiB"}
	}
	if len(text) > largeText {
		t.nodes = slices.Grow(t.nodes, min(MostValues(text), largeTree)) // appending would take several times as much
	}
	s := scanner{text: text, sink: t}
	end, err := s.scanValue(skipSpace(text, 0))
	if err != nil {
		t.nodes = t.nodes[:0]
		return err
	}
	if end = skipSpace(text, end); end < len(text) {
		t.nodes = t.nodes[:0]
		return &SyntaxError{Offset: end, Msg: "text after the end of the value"}
	}
	return nil
}

// MostValues bounds the values of a text, names of members among them, in a fraction of the time that Parse takes. Punctuation in
// strings counts, too.
func MostValues(text string) int {
	n := 1
	for _, before := range []string{",", ":", "[", "{"} {
		n += strings.Count(text, before)
	}
	return min(n, len(text))
}

// Root returns the value of the whole text, absent for an empty Tree.
func (t *Tree) Root() Value {
	if len(t.nodes) == 0 {
		return Value{}
	}
	return Value{t, 0}
}

// Depth returns the number of arrays and objects around the most deeply nested value.
func (t *Tree) Depth() int { return t.depth }

// A Value is a value in a Tree. The zero Value is absent: it has no members, elements or text.
type Value struct {
	t *Tree
	i int32
}

// Kind returns the value's kind.
func (v Value) Kind() Kind {
	if v.t == nil {
		return Absent
	}
	return v.t.nodes[v.i].kind
}

// Exists reports whether the value is present; null is.
func (v Value) Exists() bool { return v.t != nil }

// Raw returns the value's text as received, with quotes and escapes.
func (v Value) Raw() string {
	if v.t == nil {
		return ""
	}
	n := &v.t.nodes[v.i]
	return v.t.text[n.start:n.end]
}

// Offset returns the start of Raw in the document, in bytes.
func (v Value) Offset() int {
	if v.t == nil {
		return 0
	}
	return v.t.base + int(v.t.nodes[v.i].start)
}

// A Member is a member of an object. Key is a string value with its own span, since names are text that somebody wrote.
type Member struct {
	Key   Value
	Value Value
}

// Members yields an object's members in the order received, including duplicates; nothing for other kinds.
func (v Value) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if v.Kind() != Object {
			return
		}
		for i, end := v.i+1, v.t.nodes[v.i].next; i < end; {
			val := i + 1
			if !yield(Member{Value{v.t, i}, Value{v.t, val}}) {
				return
			}
			i = v.t.nodes[val].next
		}
	}
}

// Elements yields an array's elements; nothing for other kinds.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		for i, end, n := v.i+1, v.t.nodes[v.i].next, 0; i < end; n++ {
			if !yield(n, Value{v.t, i}) {
				return
			}
			i = v.t.nodes[i].next
		}
	}
}

// Get returns the member with exactly this name, the last duplicate, as most parsers take it. Members yields the others.
func (v Value) Get(name string) Value {
	var found Value
	for m := range v.Members() {
		if m.Key.Is(name) {
			found = m.Value
		}
	}
	return found
}

// Is reports whether a string or member name decodes to exactly s. It is cheaper than comparing Text, since it decodes only if necessary.
func (v Value) Is(s string) bool {
	if k := v.Kind(); k != String && k != key {
		return false
	}
	raw := v.Raw()
	if len(raw) == len(s)+2 && raw[1:len(raw)-1] == s {
		return true
	}
	return (strings.IndexByte(raw, '\\') >= 0 || strings.Contains(s, "\uFFFD")) && v.Text() == s
}

// Text returns a string's decoded text, "" for other kinds. Ill-formed UTF-8 and lone surrogates become U+FFFD. Without
// escapes it shares memory with the document.
func (v Value) Text() string {
	k := v.Kind()
	if k != String && k != key {
		return ""
	}
	return Unquote(v.Raw())
}

// WellFormed reports whether a string is valid UTF-8 without lone surrogates; true for other kinds.
func (v Value) WellFormed() bool {
	k := v.Kind()
	return k != String && k != key || wellFormed(v.Raw())
}

// Int returns the value of a number that is an integer in range.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Raw(), 10, 64)
	return n, err == nil
}

// Bool returns the value of true and false; ok is false for other kinds.
func (v Value) Bool() (value, ok bool) {
	return v.Kind() == Bool && v.Raw() == "true", v.Kind() == Bool
}

// Len returns the number of members or elements.
func (v Value) Len() int {
	n := 0
	for range v.Members() {
		n++
	}
	for range v.Elements() {
		n++
	}
	return n
}

// A Text is a string found by Strings: a string value or a member name (IsKey).
type Text struct {
	Value Value
	IsKey bool
}

// Strings yields every string at or below v in document order: values and member names.
func (v Value) Strings() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		if v.t == nil {
			return
		}
		for i, end := v.i, v.t.nodes[v.i].next; i < end; i++ {
			switch v.t.nodes[i].kind {
			case String:
				if !yield(Text{Value{v.t, i}, false}) {
					return
				}
			case key:
				if !yield(Text{Value{v.t, i}, true}) {
					return
				}
			}
		}
	}
}

// Texts returns the elements of an array that are strings.
func (v Value) Texts() (out []string) {
	for _, e := range v.Elements() {
		if e.Kind() == String {
			out = append(out, e.Text())
		}
	}
	return out
}

// Rewrite returns v as JSON with other texts for the string values, not member names, for which to has one, and how many
// those are. Everything else, including white space and the digits of numbers, is kept as written.
func (v Value) Rewrite(to func(text string) (string, bool)) (json string, n int) {
	raw, from := v.Raw(), v.Offset()
	var b []byte
	done := 0
	for s := range v.Strings() {
		if s.IsKey {
			continue
		}
		if text, ok := to(s.Value.Text()); ok {
			at := s.Value.Offset() - from
			b = AppendString(append(b, raw[done:at]...), text)
			done = at + len(s.Value.Raw())
			n++
		}
	}
	return string(append(b, raw[done:]...)), n
}

// All yields v and all values below it in document order, parents first, without member names.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.t == nil {
			return
		}
		for i, end := v.i, v.t.nodes[v.i].next; i < end; i++ {
			if v.t.nodes[i].kind != key && !yield(Value{v.t, i}) {
				return
			}
		}
	}
}

// Parent returns the array or object around v, absent at the root. For a member name it is the object.
func (v Value) Parent() Value {
	if v.t == nil || v.t.nodes[v.i].parent < 0 {
		return Value{}
	}
	return Value{v.t, v.t.nodes[v.i].parent}
}

// Key returns the member name of v, absent in arrays and at the root.
func (v Value) Key() Value {
	if v.t == nil || v.i == 0 {
		return Value{}
	}
	if k := v.i - 1; v.t.nodes[k].kind == key && v.Kind() != key {
		return Value{v.t, k}
	}
	return Value{}
}

// Pointer returns the RFC 6901 JSON Pointer from the Tree's root to v, "" at the root. A member name has its value's pointer.
func (v Value) Pointer() string {
	var parts []string
	for v.t != nil && v.t.nodes[v.i].parent >= 0 {
		parent := v.Parent()
		if v.Kind() == key {
			v = Value{v.t, v.i + 1}
		}
		if k := v.Key(); k.Exists() {
			parts = append(parts, EscapePointer(k.Text()))
		} else {
			n := 0
			for i := parent.i + 1; i < v.i; n++ {
				i = v.t.nodes[i].next
			}
			parts = append(parts, strconv.Itoa(n))
		}
		v = parent
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(parts[i])
	}
	return b.String()
}

// EscapePointer escapes a reference token of a JSON Pointer (RFC 6901: ~ is ~0, / is ~1).
func EscapePointer(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}
