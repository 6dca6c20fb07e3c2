// Package rawjson reads JSON without losing any of it.
//
// A Tree is an index over the text as received: key order, repeated keys, unknown keys,
// the digits of numbers and the exact escapes of strings all stay where the sender put
// them, and every value knows its byte span. Decoding a string or a number is a reading
// aid that never replaces the text.
//
// The reader accepts exactly the grammar of RFC 8259 with two concessions to evidence:
// strings may hold ill-formed UTF-8 and lone surrogates (both decode to U+FFFD, and
// [Value.WellFormed] tells), and object members may repeat. It is iterative, so nesting
// cannot exhaust the stack, and it takes time linear in the text.
package rawjson

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of RFC 8259. The zero Kind is that of the zero Value, which stands for "absent".
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	key // an object member's name; only inside a Tree
)

// String returns the kind in the words a JSON author uses: "null", "boolean", "number"…
func (k Kind) String() string {
	switch k {
	case Absent:
		return "absent"
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String, key:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A SyntaxError says where a text stops being JSON. Offset counts bytes from 0.
type SyntaxError struct {
	Offset int
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg) }

// MaxText is the longest text a Tree can index, in bytes: spans are kept in 32 bits.
const MaxText = 1<<32 - 1

// A Tree is one parsed text. The zero Tree is empty; Parse fills it and may be called
// again to reuse its memory, which invalidates every Value taken before.
type Tree struct {
	text  string
	base  int // offset of text in the document it was cut from
	nodes []node
	stack []int32
	depth int
}

type node struct {
	start, end uint32 // span in text; strings and keys include their quotes
	next       int32  // index of the first node behind this subtree
	parent     int32  // -1 at the root
	kind       Kind
}

// Parse reads text as one JSON value surrounded by optional white space. base is the
// offset of text in its document: it is added to what [Value.Offset] returns, so that
// parts of a large document can be parsed one by one.
func (t *Tree) Parse(text string, base int) error {
	t.text, t.base, t.depth = text, base, 0
	t.nodes, t.stack = t.nodes[:0], t.stack[:0]
	if len(text) > MaxText {
		return &SyntaxError{Offset: MaxText, Msg: "the text is longer than 4 GiB"}
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

// Root returns the value of the whole text, absent for an empty Tree.
func (t *Tree) Root() Value {
	if len(t.nodes) == 0 {
		return Value{}
	}
	return Value{t, 0}
}

// Depth returns how many arrays and objects enclose the most deeply nested value.
func (t *Tree) Depth() int { return t.depth }

// A Value is one value inside a Tree. The zero Value is absent: it has no members, no
// elements and no text.
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

// Exists reports whether the value is there at all; null exists.
func (v Value) Exists() bool { return v.t != nil }

// Raw returns the text of the value as received, quotes and escapes included.
func (v Value) Raw() string {
	if v.t == nil {
		return ""
	}
	n := &v.t.nodes[v.i]
	return v.t.text[n.start:n.end]
}

// Offset returns where Raw begins, in bytes from the start of the document.
func (v Value) Offset() int {
	if v.t == nil {
		return 0
	}
	return v.t.base + int(v.t.nodes[v.i].start)
}

// A Member is one name and value of an object. Key is itself a string value with a span
// of its own, because a name is text that somebody wrote.
type Member struct {
	Key   Value
	Value Value
}

// Members yields an object's members in the order received, repeated names included.
// Any other kind has none.
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

// Elements yields an array's elements. Any other kind has none.
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

// Get returns the member with exactly this name, the last one if it repeats, as most
// parsers would take it. Members shows the others.
func (v Value) Get(name string) Value {
	var found Value
	for m := range v.Members() {
		if m.Key.Is(name) {
			found = m.Value
		}
	}
	return found
}

// Is reports whether a string, or the name of a member, decodes to exactly s. It is cheaper than
// comparing Text: what cannot decode to anything else is not decoded.
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

// Text returns a string's decoded text, "" for any other kind. Ill-formed UTF-8 and lone
// surrogates become U+FFFD. Without escapes it shares memory with the document.
func (v Value) Text() string {
	k := v.Kind()
	if k != String && k != key {
		return ""
	}
	return Unquote(v.Raw())
}

// WellFormed reports whether a string is valid UTF-8 without lone surrogates; other kinds are.
func (v Value) WellFormed() bool {
	k := v.Kind()
	return k != String && k != key || wellFormed(v.Raw())
}

// Int returns a number's value where it is an integer that fits.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Raw(), 10, 64)
	return n, err == nil
}

// Bool returns the value of true and false; ok is false for every other kind.
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

// A Text is one string found by Strings: a string value, or a member's name (IsKey).
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

// All yields v and every value below it in document order, parents before what they hold.
// Names of members are no values.
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

// Parent returns the array or object around v, absent at the root. For a member's name
// it is the object.
func (v Value) Parent() Value {
	if v.t == nil || v.t.nodes[v.i].parent < 0 {
		return Value{}
	}
	return Value{v.t, v.t.nodes[v.i].parent}
}

// Key returns the name under which v stands in its object, absent in arrays and at the root.
func (v Value) Key() Value {
	if v.t == nil || v.i == 0 {
		return Value{}
	}
	if k := v.i - 1; v.t.nodes[k].kind == key && v.Kind() != key {
		return Value{v.t, k}
	}
	return Value{}
}

// Pointer returns the RFC 6901 JSON Pointer from the Tree's root to v, "" at the root.
// The pointer of a member's name is that of its value.
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

// EscapePointer writes one reference token of a JSON Pointer (RFC 6901: ~ is ~0, / is ~1).
func EscapePointer(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}
