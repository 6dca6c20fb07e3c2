package discover

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A fault is a syntax error in a text.
type fault struct {
	offset int
	err    error
}

// maxFaults bounds the faults skipped in one file.
const maxFaults = 20

// parseTOML parses TOML. After a fault it continues with the next table, so that one broken table does not hide the others. It
// merges tables that TOML would reject as repeated, since a reader of configurations wants to see all of it.
func parseTOML(s string) (root *node, faults []fault) {
	root = &node{kind: table, end: len(s), keyStart: -1}
	if deep(s) {
		return root, []fault{{0, errors.New("nested too deeply")}}
	}
	for base := 0; base < len(s); {
		next, f := tomlFrom(root, s, base)
		if f == nil {
			break
		}
		faults = append(faults, *f)
		if next <= base || len(faults) >= maxFaults {
			break
		}
		base = next
	}
	return root, faults
}

// deep reports nesting that would exhaust the parser's stack.
func deep(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '{':
			if depth++; depth > 1000 {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// tomlFrom parses s from base to its end or a fault; next is where to continue after one.
func tomlFrom(root *node, s string, base int) (next int, f *fault) {
	var p unstable.Parser
	last := base
	// Third-party parser: its panic is a fault of the file.
	defer func() {
		if e := recover(); e != nil {
			next, f = nextTable(s, last), &fault{last, fmt.Errorf("%v", e)}
		}
	}()
	p.Reset([]byte(s[base:]))
	at := root
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			var end int
			at, end = descend(root, e.Key(), base)
			last = max(last, end)
			if e.Kind == unstable.ArrayTable {
				if at.kind != list {
					at.kind, at.children = list, nil
				}
				item := &node{kind: table, start: at.keyStart, end: end}
				at.addChild(item, "", -1, -1)
				at = item
			}
		case unstable.KeyValue:
			last = max(last, keyValue(at, e, base))
		}
	}
	if err := p.Error(); err != nil {
		at := last
		if perr, ok := errors.AsType[*unstable.ParserError](err); ok && len(perr.Highlight) > 0 {
			at = max(last, base+int(p.Range(perr.Highlight).Offset))
			err = errors.New(perr.Message)
		}
		return nextTable(s, at), &fault{at, err}
	}
	return len(s), nil
}

// nextTable returns the start of the next line that begins a table.
func nextTable(s string, from int) int {
	from = min(from, len(s))
	if i := strings.Index(s[from:], "\n["); i >= 0 {
		return from + i + 1
	}
	return len(s)
}

// descend follows a dotted key, creating tables as needed. In a list of tables it uses the last.
func descend(n *node, it unstable.Iterator, base int) (*node, int) {
	end := 0
	for it.Next() {
		k := it.Node()
		start := base + int(k.Raw.Offset)
		end = start + int(k.Raw.Length)
		if n.kind == list && len(n.children) > 0 {
			n = n.children[len(n.children)-1]
		}
		child := n.get(string(k.Data))
		if child == nil {
			child = &node{kind: table, start: start, end: end}
			n.kind = table
			n.addChild(child, string(k.Data), start, end)
		}
		grow(child, end)
		n = child
	}
	return n, end
}

// grow extends a table and its parents to an offset.
func grow(n *node, end int) {
	for ; n != nil; n = n.parent {
		n.end = max(n.end, end)
	}
}

func keyValue(at *node, e *unstable.Node, base int) int {
	var keys []*unstable.Node
	for it := e.Key(); it.Next(); {
		keys = append(keys, it.Node())
	}
	if len(keys) == 0 {
		return 0
	}
	n := at
	for _, k := range keys[:len(keys)-1] {
		child := n.get(string(k.Data))
		if child == nil || child.kind != table {
			start := base + int(k.Raw.Offset)
			child = &node{kind: table, start: start, end: start + int(k.Raw.Length)}
			n.addChild(child, string(k.Data), start, start+int(k.Raw.Length))
		}
		n = child
	}
	k := keys[len(keys)-1]
	start := base + int(k.Raw.Offset)
	value := &node{}
	n.addChild(value, string(k.Data), start, start+int(k.Raw.Length))
	tomlValue(value, e.Value(), base, start+int(k.Raw.Length))
	value.end = max(value.end, base+int(e.Raw.Offset+e.Raw.Length))
	if value.kind != table && value.kind != list {
		value.end = min(value.end, base+int(e.Raw.Offset+e.Raw.Length))
	}
	grow(n, value.end)
	return value.end
}

// tomlValue copies a value. The parser's nodes give arrays and inline tables no bytes: they begin after the name and span their
// parts.
func tomlValue(n *node, v *unstable.Node, base, behind int) {
	n.start, n.end = behind, behind
	if v.Raw.Length > 0 {
		n.start = base + int(v.Raw.Offset)
		n.end = n.start + int(v.Raw.Length)
	}
	switch v.Kind {
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	case unstable.Bool:
		n.kind, n.text = boolean, string(v.Data)
	case unstable.Integer, unstable.Float:
		n.kind, n.text = number, string(v.Data)
	case unstable.Array:
		n.kind = list
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			child := &node{}
			n.addChild(child, "", -1, -1)
			tomlValue(child, it.Node(), base, n.end)
			n.end = max(n.end, child.end)
		}
	case unstable.InlineTable:
		n.kind = table
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				n.end = max(n.end, keyValue(n, it.Node(), base))
			}
		}
	default:
		n.kind, n.text = text, string(v.Data) // dates and times
	}
}
