package callgraph

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
)

func (ev *evaluator) evalResult(e *ir.Expr, f *frame) []value {
	if e.X.Kind == ir.Call {
		return ev.evalCall(e.X, f, e.N)
	}
	return ev.elementsOf(ev.evalExpr(e.X, f), strconv.Itoa(e.N))
}

// evalCall returns what a call answers; n chooses one of several results, -1 takes the whole.
func (ev *evaluator) evalCall(e *ir.Expr, f *frame, n int) []value {
	if ev.depth > maxNesting {
		ev.cutNesting()
		return nil
	}
	ev.depth++
	defer func() { ev.depth-- }()
	if n >= 0 { // results of calls of calls come here without passing eval
		k := memberKey{question{e, f}, "\x01" + strconv.Itoa(n)}
		if ev.inside[k] || ev.left <= 0 {
			ev.cuts++
			return nil
		}
		ev.left--
		ev.work++
		ev.inside[k] = true
		defer delete(ev.inside, k)
	}
	if arg := ev.unwrapCompilerHelper(e); arg != nil {
		return ev.evalExpr(arg, f)
	}
	if e.X.Kind == ir.Attr && e.X.Text == "get" {
		if key, ok := ev.Constant(e.Arg(0), f); ok {
			if vs := ev.filled(e.X.X, key); len(vs) > 0 {
				return vs
			}
		}
	}
	var out []value
	for _, v := range ev.evalExpr(e.X, f) {
		switch v.kind {
		case function:
			if e.X.Kind == ir.Attr && e.X.Text == "bind" && v.fn.Name != "bind" { // this.onCall.bind(this)
				out = addValues(out, v)
				continue
			}
			out = addValues(out, ev.evalReturned(v, e, f, n)...)
		case class:
			out = addValues(out, value{kind: instance, class: v.class, expr: e, frame: f})
		case instance:
			if e.X.Kind == ir.Name && e.X.Text == "super" {
				out = addValues(out, v)
			}
		case outside:
			out = addValues(out, ev.evalOutsideCall(v, e, f, n)...)
		case member:
			switch v.text {
			case "bind":
				if e.X.Kind == ir.Attr {
					out = addValues(out, ev.evalExpr(e.X.X, f)...)
				}
			case "items", "entries":
				if e.X.Kind == ir.Attr {
					out = addValues(out, ev.evalEntries(ev.evalExpr(e.X.X, f))...)
				}
			case "get", "find", "at", "pop", "values", "next":
				out = addValues(out, ev.evalLookup(v.text, e, f)...)
			}
		}
	}
	return out
}

// evalLookup evaluates collection.get(key) and its like.
func (ev *evaluator) evalLookup(method string, e *ir.Expr, f *frame) []value {
	if e.X.Kind != ir.Attr {
		return nil
	}
	of := ev.evalExpr(e.X.X, f)
	switch method {
	case "values":
		return of
	case "find":
		return ev.findElements(of, e.Arg(0), f, &asked{})
	}
	if method == "get" && len(e.Args) > 0 {
		if key := onlyValue(ev.evalExpr(e.Args[0].Value, f)); key.kind == constant {
			var out []value
			for _, v := range ev.membersOf(of, key.text) {
				if v.kind != member {
					out = addValues(out, v)
				}
			}
			return out
		}
	}
	return ev.elementsOf(of, "")
}

// evalOutsideCall is what a call outside the program gives back.
func (ev *evaluator) evalOutsideCall(v value, e *ir.Expr, f *frame, n int) []value {
	if ev.conv.Require[v.text] && len(e.Args) > 0 {
		if name := onlyValue(ev.evalExpr(e.Args[0].Value, f)); name.kind == constant {
			return ev.resolveImport(&ir.Import{Module: name.text, Scope: e.Scope})
		}
		return nil
	}
	r := ev.conv.Table.findRow(v.text)
	switch r.Kind() {
	case "same":
		return ev.evalExpr(r.Argument("arg", e), f)
	case "entries":
		return ev.evalEntries(ev.evalExpr(r.Argument("arg", e), f))
	case "opaque":
		return nil
	case "member":
		return ev.computedMembers(ev.evalExpr(r.Argument("of", e), f), r.Argument("name", e), f)
	case "map":
		if len(e.Args) > 0 {
			return ev.evalMapOfPairs(e.Args[0].Value, f)
		}
	}
	if n > 0 {
		return nil
	}
	if e.Arg(0).Is(ir.String) && strings.Contains(e.Arg(0).Text, ":memory:") { // as SQLite, and those who followed it, call it
		return outsideValue(v.text + inMemory + "()")
	}
	return ev.answerOf(v.text+"()", e, f)
}

// inMemory stands in the name of a database, before the "()" of the call that opened it, where the process holds it in its memory.
const inMemory = "#memory"

// evalMapOfPairs turns a list of pairs into an object: new Map([["a", f], ["b", g]]).
func (ev *evaluator) evalMapOfPairs(e *ir.Expr, f *frame) []value {
	v := onlyValue(ev.evalExpr(e, f))
	if v.kind != composite || v.expr.Kind != ir.List {
		return ev.evalExpr(e, f)
	}
	if made := ev.made[v.expr]; made != nil {
		return []value{{kind: composite, expr: made, frame: v.frame}}
	}
	object := &ir.Expr{Kind: ir.Object, Scope: e.Scope, Start: e.Start, End: e.End}
	for _, pair := range v.expr.Args {
		if p := pair.Value; p.Kind == ir.List && len(p.Args) == 2 {
			object.Args = append(object.Args, ir.Arg{Key: p.Args[0].Value, Value: p.Args[1].Value})
		}
	}
	ev.made[v.expr] = object
	return []value{{kind: composite, expr: object, frame: v.frame}}
}

// unwrapCompilerHelper returns the argument of a call that gives it back as it is: what compilers put
// around imports, known by the name that they give it.
func (ev *evaluator) unwrapCompilerHelper(e *ir.Expr) *ir.Expr {
	if len(e.Args) == 0 || !ev.conv.Wrappers[strings.TrimRight(e.X.Text, "0123456789$")] {
		return nil
	}
	return e.Args[0].Value
}

func (ev *evaluator) evalReturned(v value, e *ir.Expr, f *frame, n int) []value {
	fr := ev.enterFrame(v.fn, ev.bindArguments(v.fn, DirectCall(v.fn, e).Args, f), receiver(v), v.frame)
	var out []value
	ev.eachTaken(v.fn.Body, fr, &asked{}, func(s *ir.Stmt) {
		x := s.X
		if s.Step != ir.Return && s.Step != ir.Yield || x == nil {
			return
		}
		if n >= 0 && x.Kind == ir.List && n < len(x.Args) {
			x = x.Args[n].Value
		} else if n >= 0 && x.Kind == ir.Call {
			out = addValues(out, ev.evalCall(x, fr, n)...)
			return
		}
		out = addValues(out, ev.evalExpr(x, fr)...)
	})
	useful := slices.DeleteFunc(slices.Clone(out), func(w value) bool { return w.kind == data })
	if i := max(n, 0); i < len(v.fn.Result) && ev.isUntold(useful) {
		if typed := ev.evalExpr(v.fn.Result[i], nil); len(typed) > 0 || !hasKnownValue(useful) {
			return typed
		}
	}
	return out
}

// isUntold reports whether values say no more than that the program, or a framework for it, keeps something there.
func (ev *evaluator) isUntold(vs []value) bool {
	return !slices.ContainsFunc(vs, func(v value) bool {
		return v.kind != member && (v.kind != outside || ev.conv.Table.findRow(v.text).Kind() != "unknown")
	})
}

func receiver(v value) []value {
	if v.class == nil {
		return nil
	}
	return []value{{kind: instance, class: v.class, expr: v.this, frame: v.up}}
}

// eachTaken calls see for the statements that can run in a frame, in order, up to one behind which nothing runs; then it returns true.
func (ev *evaluator) eachTaken(body []ir.Stmt, f *frame, by *asked, see func(*ir.Stmt)) (left bool) {
	for i := 0; i < len(body) && ev.spendStatement(); {
		s, bodies := &body[i], [][]ir.Stmt(nil)
		see(s)
		if s.Step != ir.Branch {
			if i++; s.Step == ir.Return {
				return true
			}
			continue
		}
		bodies, i = ev.take(body, i, f, by)
		leaves := true
		for _, taken := range bodies {
			leaves = ev.eachTaken(taken, f, by, see) && leaves
		}
		if leaves {
			return true
		}
	}
	return false
}

func (ev *evaluator) bindArguments(fn *ir.Func, args []ir.Arg, f *frame) [][]value {
	if len(args) == 0 {
		return nil
	}
	var out [][]value
	for _, p := range fn.Params {
		if p.Index < 0 {
			continue
		}
		arg := ArgumentOf(p, args)
		for len(out) <= p.Index {
			out = append(out, nil)
		}
		if arg == nil {
			continue
		}
		vs := clipArgument(ev.evalExpr(arg, f))
		if len(vs) == 0 && p.Type == nil { // given, and not known: what other calls give says nothing
			vs = []value{{kind: parameter, param: p}}
		}
		out[p.Index] = vs
	}
	return out
}

// clipArgument takes out what would make frames differ without saying anything.
func clipArgument(vs []value) []value {
	if len(vs) > 4 || slices.ContainsFunc(vs, func(v value) bool {
		return v.kind == parameter || v.kind == member || v.kind == constant && len(v.text) > maxLongText
	}) {
		return nil
	}
	return vs
}
