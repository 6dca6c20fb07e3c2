package taint

import (
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

func (r *reader) assumeCall(e *ir.Expr, member string, holds bool, st *state, depth int) {
	first, second := e.Arg(0), e.Arg(1)
	p, known := predicates[e.Calls()]
	of := first
	if !p.ofArgument && e.X.Is(ir.Attr) {
		of = e.X.X
	}
	switch {
	case e.X == nil:
	case member == "" && e.X.Kind == ir.Function: // (() => check(x))()
		r.assumeEach(e.X.Func, holds, st, depth)
	case member == "" && e.X.Kind == ir.Attr && e.X.X != nil && r.assumeMethod(e, e.X.X, holds, st, depth):
	case member == "" && known && holds && of != nil && (p.ofArgument || e.X.Kind == ir.Attr):
		if v := r.silently(of); p.ofArgument || first == nil || r.isFenced(v, r.silently(first)) {
			st.learn(v, p.fact)
		}
	case holds && e.X.Kind == ir.Name && e.X.Text == "isinstance" && second != nil:
		if numberTypes[second.Text] {
			st.bounded(r.silently(first).wholeOnly())
		} else if second.Text == "str" {
			st.learn(r.silently(first).wholeOnly(), isText)
		}
	case e.X.Kind == ir.Name && (e.X.Text == "any" || e.X.Text == "all"):
		r.assumeDeep(first, "", holds, st, depth+1)
	default:
		r.assumeFunction(e, member, holds, st)
	}
}

// assumeMethod reads a condition that is a call of a method, or of a function of a package, which compares; false for any other.
func (r *reader) assumeMethod(e, receiver *ir.Expr, holds bool, st *state, depth int) bool {
	first := e.Arg(0)
	switch e.X.Text {
	case "HasPrefix", "HasSuffix", "Contains": // of strings and slices
		if len(e.Args) == 2 {
			receiver, first = first, e.Arg(1)
		}
	}
	switch e.X.Text {
	case "startsWith", "startswith", "HasPrefix":
		r.assumePrefix(receiver, first, holds, st)
	case "endsWith", "endswith", "HasSuffix":
		if v := r.silently(receiver); holds && v.has(hostOf) {
			st.learn(v, hostAllowed)
		}
	case "includes", "has", "Contains", "contains", "hasOwnProperty", "__contains__":
		if first != nil {
			r.assumeMember(receiver, first, holds, st)
		}
	case "ContainsAny": // as a pattern of these characters does
		if set, ok := r.a.g.Constant(e.Arg(1), r.ctx); ok && !holds {
			st.learn(r.silently(first), factsWithout(func(c string) bool { return strings.Contains(set, c) }))
		}
	case "test", "MatchString", "fullmatch", "match", "search":
		return r.assumePattern(e, receiver, holds, st)
	case "some", "every", "any", "all", "find", "filter":
		if first.Is(ir.Function) {
			outer := r.each
			if len(first.Func.Params) > 0 {
				r.each = element{first.Func.Params[0], receiver}
			}
			r.assumeEach(first.Func, holds, st, depth)
			r.each = outer
		}
		return first.Is(ir.Function)
	default:
		return false
	}
	return true
}

// numberTypes are types of Python and Go whose values hold no text.
var numberTypes = names("int float bool int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64")

// plainWord is what is known of a text of letters and digits.
const plainWord = noShellMeta | noQuote | noSlash | noDotDot | noDash

// addressTests are functions that tell addresses from names.
var addressTests = names("isIP isIPv4 isIPv6")

// A predicate is a function or a method that is true of values for which a fact holds.
type predicate struct {
	fact       fact
	ofArgument bool // of its argument, else of what it belongs to
}

var predicates = func() map[string]predicate {
	out := map[string]predicate{"is_relative_to": {fenced, false}, "is_absolute": {noDash, false}, "IsLocal": {contained, true},
		"isAbsolute": {noDash, true}, "isabs": {noDash, true}, "IsAbs": {noDash, true}}
	for name := range names("isalnum isidentifier isdigit isdecimal isnumeric isalpha") {
		out[name] = predicate{plainWord, false}
	}
	for name := range addressTests { // an address needs no name server
		out[name] = predicate{looked | plainWord, true}
	}
	return out
}()

// assumeEach reads list.some(f) and list.every(f): f came to that value for an element, or for each.
func (r *reader) assumeEach(f *ir.Func, holds bool, st *state, depth int) {
	outer := r.st
	r.st = st.clone()
	for i := range f.Body {
		if s := &f.Body[i]; s.Step == ir.Return {
			r.assumeDeep(s.X, "", holds, st, depth+1)
			break
		} else if s.Step == ir.Set {
			r.assign(s.Target, r.silently(s.X))
			st.vars = r.st.vars
		}
	}
	r.st = outer
}

// assumePattern reads pattern.test(x), re.match(pattern, x) and their kin.
func (r *reader) assumePattern(e, receiver *ir.Expr, holds bool, st *state) bool {
	if len(e.Args) == 0 {
		return false
	}
	pattern, subject := receiver, e.Args[0].Value
	anchored := e.X.Text == "fullmatch"
	if len(e.Args) > 1 { // re.match(pattern, x)
		pattern, subject = e.Args[0].Value, e.Args[1].Value
	} else if e.X.Text == "match" && r.a.g.Convention().Language == "typescript" { // x.match(pattern)
		pattern, subject = e.Args[0].Value, receiver
	}
	texts := r.patternTexts(pattern)
	if len(texts) == 0 {
		return false
	}
	v := r.silently(subject)
	f := charFacts{^fact(0), ^fact(0), ^fact(0)}
	for _, text := range texts {
		if e.X.Text == "match" && r.a.g.Convention().Language == "python" && !strings.HasPrefix(text, "^") {
			text = "^(?:" + text + ")"
		}
		one := r.a.patternFacts(text, anchored)
		f = charFacts{f.match & one.match, f.differ & one.differ, f.ofHost & one.ofHost}
		noteWordsOf(v, text, holds, st)
	}
	switch {
	case !holds:
		st.learn(v, f.differ)
	case v.has(hostOf):
		st.learn(v, f.match|f.ofHost)
	default:
		st.learn(v, f.match)
	}
	return true
}

// assumeFunction reads a call of a function of the program: what it says of its parameters holds of the arguments.
func (r *reader) assumeFunction(e *ir.Expr, member string, holds bool, st *state) {
	outer := r.quiet
	r.quiet = true
	r.assumeOutcome(r.callOf(e), member, holds, st)
	r.quiet = outer
}

// assumeOutcome adds what holds because a call came to something true or false.
func (r *reader) assumeOutcome(c call, member string, holds bool, st *state) {
	sign := "-"
	if holds {
		sign = "+"
	}
	for _, callee := range r.a.g.Callees(c.expr, r.ctx) {
		if callee.Func == nil {
			continue
		}
		sum := r.a.summarize(callee.Func, callee.Context)
		for _, p := range callee.Func.Params {
			if f := r.inner(callgraph.ArgumentOf(p, c.expr.Args)); f != nil && sum.answers&bit(p.Index) != 0 && member == "" { // attempt(() => check(x))
				r.assumeEach(f, holds, st, 0)
			}
		}
		o := sum.returned(sign + member)
		at := func(src source) *value {
			if p := paramOf(callee.Func, src.param); p != nil {
				return c.argument(p).at(src.path)
			}
			return nothing
		}
		for src, f := range o.facts {
			st.learn(at(src), f&r.stillHolds(sum, callee.Func, c, at(src)))
		}
	}
}
