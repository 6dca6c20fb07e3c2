package taint

import (
	"cmp"
	"maps"
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// What lies below a name of the caller's choosing may be the prototype of all objects: settings["__proto__"]["x"] = 1. It takes
// two names, the second of which is written. A value that was got by such a name carries the marks of that name.

// got returns a value that was got by a name of the caller's choosing.
func (v *value) got(key *value, before *value) *value {
	marks := addMarks(before.keyed, key.all()...)
	if len(marks) == 0 {
		return v
	}
	out := *v
	out.keyed = marks
	return &out
}

// A descent is a call by which a function enters itself with a member of one of its own parameters: merge(target[key], source[key]).
type descent struct {
	param int
	keyed []mark
}

// writeMember notes target[key] = value of JavaScript.
func (r *reader) writeMember(target *ir.Expr) {
	if r.quiet || r.a.g.Convention().Language != "typescript" || len(target.Args) != 1 || target.Args[0].Value == nil || target.Args[0].Value.Kind == ir.Literal {
		return
	}
	object := r.silently(target.X)
	if _, ok := r.a.g.Constant(target.Args[0].Value, r.ctx); ok {
		return
	}
	r.prototypeSink(target, object.keyed)
	key := r.silently(target.Args[0].Value)
	for _, m := range object.marks {
		if m.whole && m.src.path == "" && len(key.all()) > 0 {
			r.sum.writes[m.src.param] = cmp.Or(r.sum.writes[m.src.param], target)
		}
	}
}

// prototypeSink records the names by which an object was got that is written to.
func (r *reader) prototypeSink(at *ir.Expr, marks []mark) {
	for _, m := range marks {
		if !r.st.gone(m.src) {
			r.sum.addFlow(flow{kind: sink.PrototypeFlow, at: callgraph.PlaceOf(at), name: memberText(at), src: m.src, facts: m.facts | r.st.facts[m.src], head: m.head, step: m.step})
		}
	}
}

// memberText is what is written, as far as it has a name: "target[…]".
func memberText(e *ir.Expr) string {
	for e.X != nil && e.Kind == ir.Index {
		e = e.X
	}
	if e.Text == "" {
		return "object[…]"
	}
	return e.Text + "[…]"
}

// enterMembers notes that members which were got by a name of the caller's are handed to a function that writes to what it is given.
func (r *reader) enterMembers(fn *ir.Func, sum *summary, given map[int]*value) {
	if r.quiet {
		return
	}
	for _, param := range slices.Sorted(maps.Keys(given)) {
		v := given[param]
		if len(v.keyed) == 0 {
			continue
		}
		if fn == r.fn {
			r.sum.descents = append(r.sum.descents, descent{param, v.keyed})
		} else if at := sum.writes[param]; at != nil {
			r.prototypeSink(at, v.keyed)
		}
	}
}
