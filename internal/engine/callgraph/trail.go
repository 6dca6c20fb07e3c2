package callgraph

import "gauntlet/internal/leaf/ir"

// A search for one expression looks at so many, inside each other so deep.
const maxTrail, maxTrailDeep = 400, 60

// Finds reports whether an expression, what its names were given included, holds one of a kind.
func (ev *evaluator) Finds(e *ir.Expr, is func(*ir.Expr) bool) bool {
	return ev.Looks(e, func(x *ir.Expr) (found, into bool) { return is(x), true })
}

// Looks is Finds where look says of each expression also whether its parts are of interest.
func (ev *evaluator) Looks(e *ir.Expr, look func(*ir.Expr) (found, into bool)) bool {
	left := maxTrail
	var each func(e *ir.Expr) (found, into bool)
	each = func(x *ir.Expr) (found, into bool) {
		if left--; left < 0 {
			return false, false
		}
		if found, into := look(x); found || !into {
			return found, false
		}
		if x.Kind == ir.Name {
			d := ev.Definition(x)
			return d != x && d.Search(maxTrailDeep, each), true
		}
		return false, x.Kind != ir.Function
	}
	return e.Search(maxTrailDeep, each)
}
