// Package syntax parses Python, JavaScript and TypeScript into flat trees, using tree-sitter.
//
// The C parser was translated to Go by way of WebAssembly (see treesitter/generate.sh): it needs no C compiler, runs on every
// system, and its faults stay within its own memory. A Tree is plain Go memory, copied out in one walk.
package syntax

import (
	"errors"
	"slices"
)

// Errors of Parse.
var (
	// ErrTooLarge says that the text is longer than MaxBytes or nests deeper than MaxDepth.
	ErrTooLarge = errors.New("the file is too large or too deeply nested to parse")
	// ErrDense says that the text has more symbols than code of its length, as lists of numbers do; parsing them would take seconds
	// and reveal nothing.
	ErrDense = errors.New("the file holds more symbols than code of its length does, and was left out: much of it is data, or made to cost time")
	// ErrStopped says that parsing took more steps than the text should need, or that stop returned true.
	ErrStopped = errors.New("parsing took too long and was stopped")
)

const (
	// MaxBytes bounds a parsed text: the largest bundles in packages have about 6 MB.
	MaxBytes = 8 << 20
	// MaxDepth bounds a tree's depth, as walks recurse. Real generated code (long chains of + or else-if) stays below 1,000.
	MaxDepth = 2000
)

// Node identifies a node of a Tree; the root is 0.
type Node int32

// None is no node.
const None Node = -1

// A Tree is a parsed text's named nodes, and unnamed ones that carry a field (operators). Comments are left out.
type Tree struct {
	Source []byte
	// Broken says that the text has syntax errors; HasError locates them.
	Broken bool

	lang  *Language
	nodes []node
	bad   []uint32 // offsets of errors, ascending
}

type node struct {
	kind, field uint16
	start, end  uint32
	child, next Node
}

// at returns a node; None is one without text, parts and siblings.
func (t *Tree) at(n Node) *node {
	if n == None {
		return &none
	}
	return &t.nodes[n]
}

var none = node{child: None, next: None}

// Kind returns a node's kind in the grammar, such as "call_expression"; that of None is no kind of a node.
func (t *Tree) Kind(n Node) string { return t.lang.kinds[t.at(n).kind] }

// Text returns the source of a node.
func (t *Tree) Text(n Node) string { return string(t.Source[t.at(n).start:t.at(n).end]) }

// Start returns a node's byte offset.
func (t *Tree) Start(n Node) int32 { return int32(t.at(n).start) }

// End returns the byte offset after the node.
func (t *Tree) End(n Node) int32 { return int32(t.at(n).end) }

// HasError reports whether a node's text contains a syntax error.
func (t *Tree) HasError(n Node) bool {
	at, _ := slices.BinarySearch(t.bad, t.nodes[n].start)
	return at < len(t.bad) && t.bad[at] < t.nodes[n].end
}

// First returns the first child or None.
func (t *Tree) First(n Node) Node { return t.at(n).child }

// Next returns the next sibling or None.
func (t *Tree) Next(n Node) Node { return t.at(n).next }

// FieldOf returns a node's field name in its parent, or "".
func (t *Tree) FieldOf(n Node) string { return t.lang.fields[t.at(n).field] }

// Field returns the first child of that name, or None.
func (t *Tree) Field(n Node, name string) Node {
	for c := t.First(n); c != None; c = t.Next(c) {
		if t.FieldOf(c) == name {
			return c
		}
	}
	return None
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }
