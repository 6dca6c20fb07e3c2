package reach

import "gauntlet/internal/program"

// fixed returns the values of a constant, or of a name or member of the module: they are the same
// in all frames. Where inside says so, a list stands for its constants. Each question has its own share
// of work, so that a thousand of them fit into one. ok is false for anything else, and for what a bound cut short.
func (en *engine) fixed(x *program.Expr, inside bool) (out []value, ok bool) {
	if !ofModule(x) {
		return nil, false
	}
	en.budget()
	left, cuts := en.left, en.cuts
	en.left = min(maxOneValue, max(0, maxWork-en.work))
	defer func() { en.left = left }()
	for _, v := range en.eval(x, nil) {
		if v.kind != composite || !inside {
			out = append(out, v)
			continue
		}
		for _, e := range en.elements([]value{v}, "") {
			if e.kind == constant {
				out = append(out, e)
			}
		}
	}
	return out, en.cuts == cuts && en.left > 0
}

// ofModule reports whether an expression is a string, or a name or member that no function binds.
func ofModule(x *program.Expr) bool {
	for ; x != nil; x = x.X {
		switch x.Kind {
		case program.String:
			return true
		case program.Name:
			_, at := x.Scope.Find(x.Text)
			return at == nil || at.Owner() == nil
		case program.Attr:
		default:
			return false
		}
	}
	return false
}
