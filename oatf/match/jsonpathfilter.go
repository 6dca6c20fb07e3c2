package match

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// A logical is an expression of LogicalType: true or false for a node.
type logical interface {
	truth(w *walk, node rawjson.Value) bool
}

// A valued is an expression of ValueType: one value, absent for the RFC's Nothing.
type valued interface {
	valueAt(w *walk, node rawjson.Value) rawjson.Value
}

type or []logical

func (o or) truth(w *walk, node rawjson.Value) bool {
	return slices.ContainsFunc(o, func(l logical) bool { return l.truth(w, node) })
}

type and []logical

func (a and) truth(w *walk, node rawjson.Value) bool {
	return !slices.ContainsFunc(a, func(l logical) bool { return !l.truth(w, node) })
}

type not struct{ logical }

func (n not) truth(w *walk, node rawjson.Value) bool { return !n.logical.truth(w, node) }

// A query is a query in a filter. As a logical it is true if it selects anything; as a valued, for which it must be
// singular, it is its only node.
type query struct {
	absolute bool // from the root ($) instead of the node (@)
	segments []segment
}

func (q *query) startingNode(w *walk, node rawjson.Value) rawjson.Value {
	if q.absolute {
		return w.root
	}
	return node
}

func (q *query) truth(w *walk, node rawjson.Value) bool {
	return w.singleMatch(q.segments, q.startingNode(w, node)).Exists()
}

func (q *query) valueAt(w *walk, node rawjson.Value) rawjson.Value {
	return w.singleMatch(q.segments, q.startingNode(w, node))
}

// singular reports whether the query can select at most one node.
func (q *query) singular() bool {
	for _, s := range q.segments {
		if s.descend || len(s.selectors) != 1 {
			return false
		}
		switch s.selectors[0].(type) {
		case name, index:
		default:
			return false
		}
	}
	return true
}

// A literal is a literal value.
type literal struct{ v rawjson.Value }

func (l literal) valueAt(*walk, rawjson.Value) rawjson.Value { return l.v }

func newLiteral(json string) (literal, error) {
	var tree rawjson.Tree
	err := tree.Parse(json, 0)
	return literal{tree.Root()}, err
}

// A comparison compares two values (RFC 9535 section 2.3.5.2.2).
type comparison struct {
	left, right valued
	operator    string
}

func (c comparison) truth(w *walk, node rawjson.Value) bool {
	a, b := c.left.valueAt(w, node), c.right.valueAt(w, node)
	if !w.visit(min(len(a.Raw()), len(b.Raw())) / 16) {
		return false
	}
	switch c.operator {
	case "==":
		return rawjson.Equal(a, b)
	case "!=":
		return !rawjson.Equal(a, b)
	case "<":
		return less(a, b)
	case "<=":
		return less(a, b) || rawjson.Equal(a, b)
	case ">":
		return less(b, a)
	default: // >=
		return less(b, a) || rawjson.Equal(a, b)
	}
}

// less orders numbers and strings only.
func less(a, b rawjson.Value) bool {
	if order, ok := rawjson.CompareNumbers(a, b); ok {
		return order < 0
	}
	// UTF-8 bytes sort like code points.
	return a.Kind() == rawjson.String && b.Kind() == rawjson.String && a.Text() < b.Text()
}

// length is the function length: characters of a string, children of an array or object, otherwise Nothing.
type length struct{ of valued }

func (l length) valueAt(w *walk, node rawjson.Value) rawjson.Value {
	v := l.of.valueAt(w, node)
	switch v.Kind() {
	case rawjson.String:
		w.visit(len(v.Raw()) / 16)
		return number64(utf8.RuneCountInString(v.Text()))
	case rawjson.Array, rawjson.Object:
		n := v.Len()
		w.visit(n)
		return number64(n)
	}
	return rawjson.Value{}
}

// count is the function count: the number of nodes.
type count struct{ of *query }

func (c count) valueAt(w *walk, node rawjson.Value) rawjson.Value {
	n := 0
	w.eachMatch(c.of.segments, c.of.startingNode(w, node), func(rawjson.Value) bool { n++; return true })
	return number64(n)
}

// only is the function value: the node if there is exactly one.
type only struct{ of *query }

func (o only) valueAt(w *walk, node rawjson.Value) rawjson.Value {
	var found rawjson.Value
	n := 0
	w.eachMatch(o.of.segments, o.of.startingNode(w, node), func(v rawjson.Value) bool {
		found = v
		n++
		return n < 2
	})
	if n != 1 {
		return rawjson.Value{}
	}
	return found
}

func number64(n int) rawjson.Value {
	l, _ := newLiteral(strconv.Itoa(n)) // digits are JSON
	return l.v
}

// matching is the function match (whole string) or search: false unless both arguments are strings and the second is a
// regular expression.
type matching struct {
	text, pattern valued
	whole         bool
	compiled      *program // of a literal pattern; nil if there is none
}

func (m *matching) truth(w *walk, node rawjson.Value) bool {
	v := m.text.valueAt(w, node)
	re := m.compiled
	if _, fixed := m.pattern.(literal); !fixed {
		re = m.compile(w, m.pattern.valueAt(w, node))
	}
	if re == nil || v.Kind() != rawjson.String || !w.visit(len(v.Raw())*re.size/100) {
		return false
	}
	return re.MatchString(v.Text())
}

func (m *matching) compile(w *walk, pattern rawjson.Value) *program {
	if pattern.Kind() != rawjson.String || !w.visit(100+10*len(pattern.Raw())) {
		return nil
	}
	text := fromIRegexp(pattern.Text())
	if m.whole {
		text = `\A(?:` + text + `)\z`
	}
	p, err := parseProgram(text)
	if err != nil {
		return nil
	}
	return &p
}

// fromIRegexp rewrites an I-Regexp (RFC 9485) for Go: a dot outside a class matches all but CR and LF.
func fromIRegexp(s string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '.' && !class:
			b.WriteString(`[^\n\r]`)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
