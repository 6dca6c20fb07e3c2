package python

import "gauntlet/internal/leaf/ir"

// handedOver says which argument of a method is the function that it runs, in a thread or in another process.
var handedOver = map[string]int{"to_thread": 0, "run_sync": 0, "run_in_threadpool": 0, "run_in_executor": 1}

// runHandedOver reads asyncio.to_thread(f, a) and loop.run_in_executor(None, f, a) as f(a), and partial(f, a) in the place of f as well: what
// f does with a, and what it gives back, is what the program waits for.
func runHandedOver(x *ir.Expr) {
	if x.X == nil || x.X.Kind != ir.Name && x.X.Kind != ir.Attr {
		return
	}
	at, ok := handedOver[x.X.Text]
	if !ok || len(x.Args) <= at || x.X.Text == "run_sync" && (x.X.X == nil || x.X.X.Text != "to_thread") {
		return
	}
	for _, a := range x.Args[:at+1] {
		if a.Name != "" || a.Spread {
			return
		}
	}
	fn, rest := x.Args[at].Value, x.Args[at+1:]
	switch {
	case fn == nil:
		return
	case fn.Kind == ir.Call && fn.X != nil && fn.X.Text == "partial" && len(fn.Args) > 0 && fn.Args[0].Value != nil && fn.Args[0].Name == "":
		rest = append(append([]ir.Arg(nil), fn.Args[1:]...), rest...)
		fn = fn.Args[0].Value
	case fn.Kind != ir.Name && fn.Kind != ir.Attr && fn.Kind != ir.Function:
		return
	}
	x.X, x.Args = fn, rest
}
