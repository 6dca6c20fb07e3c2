package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// What a server is started with may be left out, as a variable of the environment may: a guard that returns at once where the option is
// nothing is off unless whoever starts the server thinks of it.

// isLeftOut reports whether an expression is an option that is nothing where it is not given: a parameter that the command line fills,
// args.root of parser.add_argument("--root").
func (r *reader) isLeftOut(e *ir.Expr) bool {
	switch {
	case e.Kind == ir.Name:
		return r.mayBeLeftOut(e.Binding().Param, 0)
	case e.Kind == ir.Attr && e.X.Is(ir.Name):
		return r.a.g.Definition(e.X).Calls() == "parse_args" && slices.ContainsFunc(r.a.g.CallsOf("add_argument"), func(c *ir.Expr) bool {
			return isBareOption(c, e.Text)
		})
	}
	return false
}

// mayBeLeftOut reports whether a parameter of Python is one of a command line without a default, or is given such a one.
func (r *reader) mayBeLeftOut(p *ir.Param, depth int) bool {
	const deepest = 3
	if p == nil || p.Func == nil || p.Func.Name == "" || depth > deepest || !r.spend() || r.a.g.Convention().Language != "python" {
		return false
	}
	if known, ok := r.a.leftOut[p]; ok {
		return known
	}
	r.a.leftOut[p] = false                                                          // for who asks while it is looked for
	r.a.leftOut[p] = slices.ContainsFunc(p.Func.Decorators, func(d *ir.Expr) bool { // @click.option("--root")
		return d.Calls() == "option" && isBareOption(d, p.Name)
	}) || slices.ContainsFunc(r.a.g.CallsOf(p.Func.Name), func(c *ir.Expr) bool {
		given := callgraph.ArgumentOf(p, c.Args)
		switch {
		case given == nil:
			return false
		case given.Is(ir.Name) && given.Binding().Param != nil:
			return r.mayBeLeftOut(given.Binding().Param, depth+1)
		}
		return r.isLeftOut(r.a.g.Definition(given))
	})
	return r.a.leftOut[p]
}

// isBareOption reports whether a call declares an option by a name, and says neither that it is required nor what it is by default.
func isBareOption(c *ir.Expr, name string) bool {
	if x := c.Option("default"); x != nil && !x.IsNothing() || c.Option("required") != nil || c.Option("action") != nil || c.Option("is_flag") != nil {
		return false
	}
	return slices.ContainsFunc(c.Args, func(a ir.Arg) bool {
		return a.Name == "" && a.Value.Is(ir.String) && strings.HasPrefix(a.Value.Text, "--") &&
			strings.ReplaceAll(a.Value.Text[2:], "-", "_") == name
	})
}
