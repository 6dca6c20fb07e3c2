package callgraph

import "gauntlet/internal/leaf/ir"

// DirectCall returns a call of a function as if it were called by itself: f(a) for f.call(self, a) and f(...list) for f.apply(self, list).
// Every other call is returned as it is.
func DirectCall(fn *ir.Func, e *ir.Expr) *ir.Expr {
	if e.X == nil || e.X.Kind != ir.Attr || e.X.Text != "call" && e.X.Text != "apply" || fn.Name == e.X.Text || len(e.Args) == 0 {
		return e
	}
	direct := *e
	direct.Args = append([]ir.Arg(nil), e.Args[1:]...)
	if e.X.Text == "apply" && len(direct.Args) > 0 {
		direct.Args[0].Spread = true
	}
	return &direct
}
