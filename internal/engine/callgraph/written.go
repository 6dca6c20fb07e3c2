package callgraph

import "gauntlet/internal/leaf/ir"

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
