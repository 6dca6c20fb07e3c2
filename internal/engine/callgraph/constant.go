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

// Constant returns the text that an expression is known to be.
func (ev *evaluator) Constant(x *ir.Expr, f Context) (text string, ok bool) {
	if v := onlyValue(ev.evaluate(x, f)); v.kind == constant {
		return v.text, true
	}
	return "", false
}

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

// Definition returns what an expression was given, as it is written there, where that is one thing: through names, imports and members of modules.
func (ev *evaluator) Definition(e *ir.Expr) *ir.Expr {
	for range 8 {
		d := ev.given(e)
		if d == nil {
			break
		}
		e = d
	}
	return e
}

// given returns what a name, or a member of a module, was given; nil where that is not one thing.
func (ev *evaluator) given(e *ir.Expr) *ir.Expr {
	var m *ir.Module
	member := e.Text
	switch b := e.Binding(); {
	case e.Is(ir.Attr): // a.B of const a = require("./a")
		m = onlyValue(ev.evaluate(e.X, nil)).mod
	case b.Import == nil:
		return b.Value
	case b.Import.Member != "":
		m, member = ev.moduleOf(b.Import), b.Import.Member
	}
	if m == nil {
		return nil
	}
	if x := m.Exports[member]; x != nil {
		return x
	}
	return (&ir.Expr{Kind: ir.Name, Text: member, Scope: m.Scope}).Binding().Value
}

// moduleOf returns the module of the program that an import names, or nil. It is looked for once, since that takes paths apart.
func (ev *evaluator) moduleOf(im *ir.Import) *ir.Module {
	m, known := ev.modules[im]
	if !known && ev.prog.Lookup != nil {
		m = ev.prog.Lookup(im.Scope.File, im.Module)
		ev.modules[im] = m
	}
	return m
}
