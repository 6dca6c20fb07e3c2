package callgraph

import "gauntlet/internal/leaf/ir"

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
	for ; x != nil; x = x.X {
		switch x.Kind {
		case ir.String:
			return true
		case ir.Name:
			_, at := x.Scope.Find(x.Text)
			return at == nil || at.Owner() == nil
		case ir.Attr:
		default:
			return false
		}
	}
	return false
}
