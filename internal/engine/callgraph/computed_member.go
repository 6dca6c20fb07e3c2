package callgraph

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// maxComputed bounds how many members a computed name may mean.
const maxComputed = 64

// computedMembers returns the members that a computed name may mean: getattr(tools, f"run_{name}"). Of a name that is known only in
// part, these are the methods that begin and end like it; of one of which nothing is known, none.
func (ev *evaluator) computedMembers(of []value, key *ir.Expr, f *frame) (out []value) {
	for _, k := range ev.evalExpr(key, f) {
		switch {
		case k.kind == constant:
			out = addValuesUpTo(maxComputed, out, ev.membersOf(of, k.text))
		case k.kind == composite && k.expr.Kind == ir.Template:
			text := ev.Text(k.expr, k.frame)
			for _, name := range ev.methodsLike(of, headOf(text), strings.TrimPrefix(tailOf(text), "*")) {
				out = addValuesUpTo(maxComputed, out, ev.membersOf(of, name))
			}
		}
	}
	return out
}

// methodsLike returns the names of the methods of objects and classes that begin and end in a way that is not empty.
func (ev *evaluator) methodsLike(of []value, begin, end string) (out []string) {
	if begin == "" && end == "" {
		return nil
	}
	for _, v := range of {
		if v.kind != instance && v.kind != class {
			continue
		}
		for _, c := range ev.Lineage(v.class, 0) {
			for _, name := range slices.Sorted(maps.Keys(c.Methods)) {
				if len(name) > len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out[:min(len(out), maxComputed)]
}

// Lineage returns a class and its bases in the program, from that depth on.
func (ev *evaluator) Lineage(c *ir.Class, depth int) []*ir.Class {
	out := []*ir.Class{c}
	if depth > 10 {
		return out
	}
	for _, base := range c.Bases {
		for _, b := range ev.evalExpr(base, nil) {
			if b.kind == class && len(out) < maxComputed {
				out = append(out, ev.Lineage(b.class, depth+1)...)
			}
		}
	}
	return out
}

func isObject(v value) bool { return v.kind == instance || v.kind == class }
