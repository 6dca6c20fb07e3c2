// Package syntax parses Python, JavaScript and TypeScript into flat trees, by tree-sitter.
//
// The parser is C that was translated to Go by way of WebAssembly (see treesitter/generate.sh): it
// needs no C compiler, runs on every system, and a fault of it stays within a memory of its own. A
// Tree is plain Go memory, copied out in one walk.
package syntax

import (
	"errors"
	"slices"
)

// The errors of Parse.
var (
	// ErrTooLarge: the text is longer than MaxBytes or nests deeper than MaxDepth.
	ErrTooLarge = errors.New("the file is too large or too deeply nested to parse")
	// ErrDense: the text holds more symbols than code of its length has, as lists of numbers do; reading them would take seconds
	// and tell nothing.
	ErrDense = errors.New("the file holds more symbols than code of its length does, and was left out: much of it is data, or made to cost time")
	// ErrStopped: the parser took more steps than its text deserves, or stop said so.
	ErrStopped = errors.New("parsing took too long and was stopped")
)

const (
	// MaxBytes is the longest text that is parsed: the largest bundles seen in packages have about 6 MB.
	MaxBytes = 8 << 20
	// MaxDepth is the deepest tree that is kept; what walks trees recurses. Generated code
	// that people run (long chains of + or else-if) stays below 1,000.
	MaxDepth = 2000
)

// Node is a place in a Tree; the root is 0, None stands for no node.
type Node int32

// None is no node.
const None Node = -1

// A Tree is the named nodes of a parsed text, and those unnamed ones that carry a field
// (operators). Comments are left out.
type Tree struct {
	Source []byte
	// Broken says that the text has syntax errors somewhere; HasError tells where.
	Broken bool

	lang  *Language
	nodes []node
	bad   []uint32 // where errors begin, ascending
}

type node struct {
	kind, field uint16
	start, end  uint32
	child, next Node
}

// Kind returns the grammar's word for a node, such as "call_expression".
func (t *Tree) Kind(n Node) string { return t.lang.kinds[t.nodes[n].kind] }

// Text returns the source of a node.
func (t *Tree) Text(n Node) string {
	if n == None {
		return ""
	}
	return string(t.Source[t.nodes[n].start:t.nodes[n].end])
}

// Start and End are byte offsets.
func (t *Tree) Start(n Node) int32 { return int32(t.nodes[n].start) }

// End is the offset behind the node.
func (t *Tree) End(n Node) int32 { return int32(t.nodes[n].end) }

// HasError reports whether the text of a node has a syntax error in it.
func (t *Tree) HasError(n Node) bool {
	at, _ := slices.BinarySearch(t.bad, t.nodes[n].start)
	return at < len(t.bad) && t.bad[at] < t.nodes[n].end
}

// First returns the first child or None; Next the next sibling or None.
func (t *Tree) First(n Node) Node { return t.nodes[n].child }

// Next returns the next sibling or None.
func (t *Tree) Next(n Node) Node { return t.nodes[n].next }

// FieldOf returns the name under which a node stands in its parent, or "".
func (t *Tree) FieldOf(n Node) string { return t.lang.fields[t.nodes[n].field] }

// Field returns the first child of that name, or None.
func (t *Tree) Field(n Node, name string) Node {
	for c := t.First(n); c != None; c = t.Next(c) {
		if t.FieldOf(c) == name {
			return c
		}
	}
	return None
}

// Len is the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }
