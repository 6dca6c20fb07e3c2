package taint

import (
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// What a function that goes through a list gives back is made of what it is handed to run: of xs.map(f), any number of f(x).

// A callbackUse says what a function outside of the program does with the function that it is handed.
type callbackUse uint8

const (
	calledOnce  callbackUse = iota + 1 // with what the method belongs to: promise.then(f)
	calledEach                         // with each element; the answer is a number, a truth value, or nothing
	collected                          // with each element; the answer holds what it gave back
	selects                            // with each element; the answer holds those for which it was true
	selectsOne                         // the same, and the answer is one of them
	accumulates                        // with what it gave back before and with each element
	orders                             // the answer holds all elements
)

// callbackUses are functions and methods by the last word of their names; libraries that go through lists took these names over.
var callbackUses = map[string]callbackUse{
	"then": calledOnce, "catch": orders, "finally": orders,
	"forEach": calledEach, "each": calledEach, "some": calledEach, "every": calledEach, "findIndex": calledEach, "findLastIndex": calledEach, "eachSeries": calledEach,
	"eachLimit": calledEach, "forEachOf": calledEach,
	"map": collected, "flatMap": collected, "starmap": collected, "imap": collected, "from": collected, "mapLimit": collected, "mapSeries": collected, "mapValues": collected,
	"filter": selects, "takeWhile": selects, "dropWhile": selects, "reject": selects,
	"find": selectsOne, "findLast": selectsOne,
	"reduce": accumulates, "reduceRight": accumulates,
	"sort": orders, "toSorted": orders, "sorted": orders, "sortBy": orders,
}

// maxApart is how many elements of a list are handed to a callback one by one.
const maxApart = 8

// runCallbacks reads the functions that a call hands to something outside of the program, which may run them. ok is false where the
// answer is not made of what they do.
func (r *reader) runCallbacks(c call, callee callgraph.Callee) (out *value, ok bool) {
	use := callbackUses[lastWord(callee.Name)]
	at := slices.IndexFunc(c.expr.Args, func(a ir.Arg) bool { return r.isFunction(a.Value) })
	if use == 0 || at < 0 {
		for _, f := range c.literals {
			if !r.quiet {
				r.callback(f, c.expr)
			}
		}
		return nil, false
	}
	f, list := c.expr.Args[at].Value, c.receiver
	switch {
	case at > 0 && c.receiver.isEmpty(): // _.map(list, f), Array.from(list, f)
		list = c.args[0]
	case at == 0 && len(c.args) > 1 && c.receiver.isEmpty() && c.expr.X.Kind == ir.Name: // map(f, list) of Python
		list = c.args[1]
	}
	switch use {
	case calledOnce:
		return r.callback(f, c.expr, list), true
	case orders:
		r.callback(f, c.expr)
		return list, true
	case calledEach:
		r.callback(f, c.expr, list.elements())
		return nothing, true
	case collected:
		if list.length > 0 && list.length <= maxApart {
			out := &value{length: 0}
			for i := range list.length {
				out = out.push(r.callback(f, c.expr, list.member(itoa(i))))
			}
			return out, true
		}
		return listOf(r.callback(f, c.expr, list.elements())), true
	case accumulates:
		start := nothing
		if len(c.args) > at+1 {
			start = c.args[at+1]
		}
		first := r.callback(f, c.expr, start, list.elements())
		return join(start, join(first, r.callback(f, c.expr, first, list.elements()))), true
	}
	if use == selects && f.Kind != ir.Function && list.length >= 0 { // list.filter(Boolean)
		return list, true
	}
	one := r.selected(f, list.elements(), c.expr)
	if use == selects {
		one = listOf(one)
	}
	return one, true
}

// listOf returns a list of any number of elements.
func listOf(element *value) *value { return (&value{length: -1}).with("*", element) }

// isFunction reports whether an expression is a function: written here, of the program, or known by its name.
func (r *reader) isFunction(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Kind {
	case ir.Function:
		return true
	case ir.Name, ir.Attr:
		name := r.a.g.Outside(e, r.ctx)
		return len(r.a.g.Functions(e, r.ctx)) > 0 || name != "" && (r.a.g.Row(name) != nil || operations[name].name != "" || unchanged[name] || name == "urllib.parse.quote")
	}
	return false
}

// callback returns what a function gives back that is called with some values. It may run or not, so that both ways count.
func (r *reader) callback(f, at *ir.Expr, given ...*value) *value {
	e := &ir.Expr{Kind: ir.Call, X: f, Scope: at.Scope, Start: at.Start, End: at.End}
	c := call{expr: e, receiver: nothing, args: given}
	for range given {
		e.Args = append(e.Args, ir.Arg{})
	}
	if f.Kind == ir.Function {
		return r.runInline(f.Func, r.a.g.Inside(f.Func, r.ctx), c.argument, true)
	}
	before := r.st.clone()
	out := r.enter(c)
	r.st.become(joinStates(before, r.st))
	return out
}

func (r *reader) selected(f *ir.Expr, element *value, at *ir.Expr) *value {
	var st *state
	if f.Kind == ir.Function {
		r.callback(f, at, element) // which leaves the element in its parameter
		st = r.st.clone()
		r.assumeEach(f.Func, true, st, 0)
	} else {
		st = r.st.clone()
		r.assumeOutcome(call{expr: &ir.Expr{Kind: ir.Call, X: f, Scope: at.Scope, Start: at.Start, End: at.End, Args: []ir.Arg{{}}}, receiver: nothing, args: []*value{element}}, "", true, st)
	}
	return st.noted(element.without(st))
}
