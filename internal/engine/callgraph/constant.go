package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// evalModuleConstant returns the values of a constant, or of a name or member of the module: they are the same
// in all frames. Where inside says so, a list stands for its constants. Each question has its own share
// of work, so that a thousand of them fit into one. ok is false for anything else, and for what a bound cut short.
func (ev *evaluator) evalModuleConstant(x *ir.Expr, inside bool) (out []value, ok bool) {
	if !ofModule(x) {
		return nil, false
	}
	ev.resetBudget()
	left, cuts := ev.left, ev.cuts
	ev.left = min(maxOneValue, max(0, maxWork-ev.work))
	defer func() { ev.left = left }()
	for _, v := range ev.evalExpr(x, nil) {
		if v.kind != composite || !inside {
			out = append(out, v)
			continue
		}
		for _, e := range ev.elementsOf([]value{v}, "") {
			if e.kind == constant {
				out = append(out, e)
			}
		}
	}
	return out, ev.cuts == cuts && ev.left > 0
}

// ofModule reports whether an expression is a string, or a name or member that no function binds.
func ofModule(x *ir.Expr) bool {
	for x.Is(ir.Attr) {
		x = x.X
	}
	if x.Is(ir.Name) {
		_, at := x.Scope.Find(x.Text)
		return at == nil || at.Owner() == nil
	}
	return x.Is(ir.String)
}

// constant returns the text that an expression is known to be.
func (ev *evaluator) constant(x *ir.Expr, f *frame) (text string, ok bool) {
	if v := onlyValue(ev.evaluate(x, f)); v.kind == constant {
		return v.text, true
	}
	return "", false
}

// constants returns the texts that an expression can be.
func (ev *evaluator) constants(x *ir.Expr, f *frame) []string {
	return textsOf(ev.evaluate(x, f), constant)
}

// outsides returns the names of the things outside of the program that an expression can stand for.
func (ev *evaluator) outsides(x *ir.Expr, f *frame) []string {
	return textsOf(ev.evaluate(x, f), outside)
}

func textsOf(vs []value, k kind) (out []string) {
	for _, v := range vs {
		if v.kind == k {
			out = append(out, v.text)
		}
	}
	return out
}

// functions returns the functions with a body that an expression can stand for.
func (ev *evaluator) functions(x *ir.Expr, f *frame) (out []value) {
	for _, v := range ev.evaluate(x, f) {
		if v.kind == function && !v.fn.Abstract {
			out = addValuesUpTo(maxWritten, out, []value{v})
		}
	}
	return out
}

// areAll reports whether all that is known of an expression is of some kinds.
func areAll(vs []value, kinds ...kind) bool {
	return len(vs) > 0 && !slices.ContainsFunc(vs, func(v value) bool { return !slices.Contains(kinds, v.kind) })
}

// Written returns what an expression was given, as it is written there, through names, imports and members of modules.
func (ev *evaluator) Written(e *ir.Expr) *ir.Expr {
	for range 8 {
		d := ev.Definition(e)
		switch d.Kind {
		case ir.Name:
			if x := ev.imported(d); x != nil {
				d = x
			}
		case ir.Attr: // a.B of const a = require("./a")
			if m := onlyValue(ev.evaluate(d.X, nil)); m.kind == module && m.mod.Exports[d.Text] != nil {
				d = m.mod.Exports[d.Text]
			}
		}
		if d == e {
			return e
		}
		e = d
	}
	return e
}

// imported returns what another module of the program exports under an imported name, or nil.
func (ev *evaluator) imported(e *ir.Expr) *ir.Expr {
	im := e.Binding().Import
	if im == nil || im.Member == "" || ev.prog.Lookup == nil {
		return nil
	}
	m := ev.prog.Lookup(e.Scope.File, im.Module)
	if m == nil {
		return nil
	}
	if x := m.Exports[im.Member]; x != nil {
		return x
	}
	if bs := m.Scope.Names[im.Member]; len(bs) == 1 {
		return bs[0].Value
	}
	return nil
}
