package taint

import (
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// A helper that takes the directory beside the path may return at once where it is given none: if root is None: return.
// Whether it ever does is for its caller to say: one that hands over what the server was started with has the guard, one
// that hands over nothing has not.

// wholeParam returns the parameter of the function that a name stands for, as it came.
func (r *reader) wholeParam(e *ir.Expr) *ir.Param {
	if !e.Is(ir.Name) || r.inline > 0 {
		return nil
	}
	v := r.silently(e)
	if len(v.marks) != 1 || !v.marks[0].whole || v.marks[0].src.path != "" || v.marks[0].src.param < 0 {
		return nil
	}
	return paramOf(r.fn, v.marks[0].src.param)
}

// runWithout reads a body that runs where a parameter holds nothing, if it is said to be so.
func (r *reader) runWithout(p *ir.Param, absent bool, body []ir.Stmt, st *state) *state {
	outer := r.absent
	if absent && p != nil {
		r.absent = p
	}
	defer func() { r.absent = outer }()
	return r.run(body, st)
}

// returnedTo is what holds of the parameters of a function when it has returned to one of its callers.
func (r *reader) returnedTo(c call, fn *ir.Func, sum *summary) outcome {
	out := sum.returned(always)
	for _, p := range fn.Params {
		o, ok := sum.when[without(p)]
		if !ok {
			continue
		}
		given := r.given(c, p)
		if given == nil || !c.argument(p).isClean() {
			out.meet(&state{knowledge: o.knowledge})
		} else if r.asksEnvironment(given) {
			out = out.offAs(o)
		}
	}
	return out
}

// offAs notes that the guards which another outcome lacks are off unless the environment turns them on.
func (o outcome) offAs(other outcome) outcome {
	out := o.with(&state{})
	for src, f := range out.facts {
		if f&refusals&^other.facts[src] != 0 {
			out.facts[src] |= switchedOff
		}
	}
	return *out
}

// given returns what a call hands over for a parameter, or the parameter's default; nil where that is nothing or not known.
func (r *reader) given(c call, p *ir.Param) *ir.Expr {
	e := callgraph.ArgumentOf(p, c.expr.Args)
	if e == nil && !slices.ContainsFunc(c.expr.Args, func(a ir.Arg) bool { return a.Spread }) {
		e = p.Value
	}
	if e == nil || e.IsNothing() || r.a.g.Definition(e).IsNothing() {
		return nil
	}
	return e
}
