package yamltext

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v4"
)

// A Reader converts the nodes of one file to values, and collects everything that is wrong with them.
type Reader struct{ faults []*Fault }

// Read has root read the only document in text; see [Document]. It returns what is wrong with the file, in its order.
func (r *Reader) Read(text, what string, most int, root func(*yaml.Node)) []*Fault {
	n, err := Document(text, what, most)
	switch {
	case err != nil:
		r.Add(Placed(err))
	case n == nil:
		r.Add(&Fault{1, 1, "the file is empty"})
	default:
		root(n)
	}
	slices.SortStableFunc(r.faults, func(a, b *Fault) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return r.faults
}

// Add collects a fault; nil is none.
func (r *Reader) Add(f *Fault) {
	if f != nil {
		r.faults = append(r.faults, f)
	}
}

// Sound reports whether nothing is wrong so far.
func (r *Reader) Sound() bool { return r.faults == nil }

// Wrong collects a fault at a node.
func (r *Reader) Wrong(n *yaml.Node, format string, args ...any) {
	r.Add(Wrong(n, format, args...))
}

// Members is [Members]: empty for a node that is absent or null, and nil for one that is wrong.
func (r *Reader) Members(n *yaml.Node, known ...string) map[string]*yaml.Node {
	if n == nil || Null(n) {
		return map[string]*yaml.Node{}
	}
	m, fault := Members(n, known...)
	r.Add(fault)
	return m
}

// Text returns a string as written, "" for nil.
func (r *Reader) Text(key string, n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.Wrong(n, "anchors and aliases are not read")
		return ""
	}
	s, fault := Scalar(key, n)
	r.Add(fault)
	return s
}

// Each calls what for the entries of a list.
func (r *Reader) Each(key string, n *yaml.Node, what func(*yaml.Node)) {
	switch {
	case n == nil || Null(n):
	case n.Kind != yaml.SequenceNode:
		r.Wrong(n, "%s is not a list", key)
	default:
		for _, e := range n.Content {
			what(e)
		}
	}
}
