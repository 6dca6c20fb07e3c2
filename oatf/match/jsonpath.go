package match

import (
	"errors"
	"fmt"

	"gauntlet/rawjson"
)

// A JSONPath is a query of RFC 9535 with its five functions.
//
// Where the RFC leaves the order of members open, document order is used, so that results are deterministic. Of
// duplicate members, a name selects the last and a wildcard all. Numbers compare by exact value.
type JSONPath struct {
	segments []segment
}

// ErrTooMuch is the error of a query that would visit too much: nested descendant segments can make a short query ask
// for more work than there are atoms.
var ErrTooMuch = errors.New("the query visits too much of the message")

// maxVisits limits a query: a value, a member passed on the way to a named one, or 16 bytes compared count 1.
const maxVisits = 5_000_000

// First returns the first node in document order, absent if there is none.
func (q *JSONPath) First(root rawjson.Value) (rawjson.Value, error) {
	var first rawjson.Value
	err := q.Each(root, func(v rawjson.Value) bool { first = v; return false })
	return first, err
}

// Each calls yield with every node in order, including duplicates, until yield returns false. The only error is ErrTooMuch.
func (q *JSONPath) Each(root rawjson.Value, yield func(rawjson.Value) bool) error {
	if !root.Exists() {
		return nil
	}
	w := &walk{root: root, left: maxVisits}
	w.eachMatch(q.segments, root, yield)
	if w.left < 0 {
		return ErrTooMuch
	}
	return nil
}

// A walk is one evaluation of a query.
type walk struct {
	root rawjson.Value
	left int // remaining visits; negative ends the walk
}

// visit charges n visits and reports whether they were within the limit.
func (w *walk) visit(n int) bool {
	w.left -= n
	return w.left >= 0
}

// A segment selects children of a node, or of the node and all descendants.
type segment struct {
	descend   bool
	selectors []selector
}

// A selector selects among a node's children. It returns false once yield did, or when the budget is exhausted.
type selector interface {
	selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool
}

// eachMatch yields the nodes that segments select from v. Depth first gives the RFC's order of nodes and can stop early.
func (w *walk) eachMatch(segments []segment, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	if len(segments) == 0 {
		return yield(v)
	}
	s, rest := segments[0], segments[1:]
	next := func(child rawjson.Value) bool { return w.eachMatch(rest, child, yield) }
	if !s.descend {
		return w.selectAll(s.selectors, v, next)
	}
	for d := range v.All() {
		if !w.visit(1) || !w.selectAll(s.selectors, d, next) {
			return false
		}
	}
	return true
}

func (w *walk) selectAll(selectors []selector, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	for _, s := range selectors {
		if !s.selectFrom(w, v, yield) {
			return false
		}
	}
	return true
}

// singleMatch returns the first node of segments, absent if there is none.
func (w *walk) singleMatch(segments []segment, v rawjson.Value) rawjson.Value {
	var first rawjson.Value
	w.eachMatch(segments, v, func(found rawjson.Value) bool { first = found; return false })
	return first
}

// children calls yield with every element or member's value.
func (w *walk) children(v rawjson.Value, yield func(rawjson.Value) bool) bool {
	for _, e := range v.Elements() {
		if !w.visit(1) || !yield(e) {
			return false
		}
	}
	for m := range v.Members() {
		if !w.visit(1) || !yield(m.Value) {
			return false
		}
	}
	return true
}

// name selects a member.
type name string

func (n name) selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	var found rawjson.Value
	for m := range v.Members() {
		if !w.visit(1) {
			return false
		}
		if m.Key.Is(string(n)) {
			found = m.Value
		}
	}
	return !found.Exists() || yield(found)
}

// wildcard selects all children.
type wildcard struct{}

func (wildcard) selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	return w.children(v, yield)
}

// index selects an element, from the end if it is negative.
type index int

func (n index) selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	i := int(n)
	if i < 0 {
		elements := v.Len()
		if i += elements; i < 0 || !w.visit(elements) {
			return i < 0
		}
	}
	for at, e := range v.Elements() {
		if !w.visit(1) {
			return false
		}
		if at == i {
			return yield(e)
		}
	}
	return true
}

// slice selects elements from start to end, which is not included.
type slice struct {
	start, end *int
	step       int
}

func (s slice) selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	if v.Kind() != rawjson.Array || s.step == 0 {
		return true
	}
	var elements []rawjson.Value
	for _, e := range v.Elements() {
		if !w.visit(1) {
			return false
		}
		elements = append(elements, e)
	}
	from, to := s.bounds(len(elements))
	if s.step < 0 {
		from, to = to, from
	}
	for i := from; s.step > 0 && i < to || s.step < 0 && i > to; i += s.step {
		if !yield(elements[i]) {
			return false
		}
	}
	return true
}

// bounds is RFC 9535 section 2.3.4.2.2: from lower up to upper (exclusive) for a positive step, from upper down to
// lower (exclusive) for a negative one.
func (s slice) bounds(n int) (lower, upper int) {
	start, end := 0, n
	if s.step < 0 {
		start, end = n-1, -n-1
	}
	if s.start != nil {
		start = *s.start
	}
	if s.end != nil {
		end = *s.end
	}
	normal := func(i int) int {
		if i < 0 {
			return n + i
		}
		return i
	}
	if s.step > 0 {
		return clamp(normal(start), 0, n), clamp(normal(end), 0, n)
	}
	return clamp(normal(end), -1, n-1), clamp(normal(start), -1, n-1)
}

func clamp(i, low, high int) int { return min(max(i, low), high) }

// filter selects the children for which an expression is true.
type filter struct{ test logical }

func (f filter) selectFrom(w *walk, v rawjson.Value, yield func(rawjson.Value) bool) bool {
	return w.children(v, func(child rawjson.Value) bool {
		if !f.test.truth(w, child) {
			return w.left >= 0
		}
		return w.left >= 0 && yield(child)
	})
}

// A pathError is a syntax error at a position of a query.
type pathError struct {
	at  int
	msg string
}

func (e *pathError) Error() string { return fmt.Sprintf("JSONPath: byte %d: %s", e.at, e.msg) }
