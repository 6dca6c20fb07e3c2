package callgraph

import "gauntlet/internal/leaf/ir"

// A search for one expression looks at so many, inside each other so deep.
const maxTrail, maxTrailDeep = 400, 60

// A Verdict is what a search says of one expression.
type Verdict uint8

// The verdicts.
const (
	GoOn  Verdict = iota // look at its parts
	Yes                  // it is found
	Leave                // its parts are not of interest
)

// Finds reports whether an expression, what its names were given included, holds one of which judge says yes.
func (ev *evaluator) Finds(e *ir.Expr, judge func(*ir.Expr) Verdict) bool {
	left := maxTrail
	var look func(e *ir.Expr) (found, into bool)
	look = func(x *ir.Expr) (found, into bool) {
		if left--; left < 0 {
			return false, false
		}
		if v := judge(x); v != GoOn {
			return v == Yes, false
		}
		if x.Kind == ir.Name {
			d := ev.Definition(x)
			return d != x && d.Search(maxTrailDeep, look), true
		}
		return false, x.Kind != ir.Function
	}
	return e.Search(maxTrailDeep, look)
}
