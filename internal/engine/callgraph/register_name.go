package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// functionsIn returns the functions that an argument is, or that a call wraps:
// withLogging("x", async (args) => …).
func (rg *registrar) functionsIn(x *ir.Expr, f *frame, depth int) []value {
	out := slices.Clone(rg.functions(x, f))
	for i := range out {
		out[i] = rg.reflected(out[i])
	}
	switch {
	case len(out) > 0:
	case x.Kind == ir.Object && depth == 0: // { createTask: async () => … }
		for _, a := range x.Args {
			if a.Value.Is(ir.Function) {
				out = addValues(out, value{kind: function, fn: a.Value.Func, frame: f})
			}
		}
	case depth < 3:
		out = rg.wrapped(x, f, depth+1)
	}
	return out
}

// reflected returns what a function calls by reflection, where that is a function that the one around it was given: handler of
// func wrap(handler any) Handler { call := reflect.ValueOf(handler); return func(…) { call.Call(args) } }. Any other is returned as it is.
func (rg *registrar) reflected(v value) value {
	for f := v.frame; f != nil; f = f.up {
		for i, given := range f.args {
			fn := onlyValue(given)
			if fn.kind == function && slices.ContainsFunc(rg.CallsOf("ValueOf"), func(c *ir.Expr) bool {
				p := c.Arg(0).Binding().Param
				return p != nil && p.Func == f.fn && p.Index == i
			}) {
				return fn
			}
		}
	}
	return v
}

// wrapped returns the functions that a call is given: a wrapper of another package runs what it wraps.
func (rg *registrar) wrapped(x *ir.Expr, f *frame, depth int) (out []value) {
	for _, a := range x.Args {
		if x.Kind == ir.Call && a.Value != nil && a.Value.Kind != ir.String {
			out = addValues(out, rg.functionsIn(a.Value, f, depth)...)
		}
	}
	return out
}

// declaresTool reports whether an expression is, or was given, the declaration of a tool.
func (rg *registrar) declaresTool(x *ir.Expr) bool {
	x = rg.Definition(x)
	return x.Is(ir.New, ir.Call, ir.Type) && x.X != nil && rg.conv.Describes[x.X.Text]
}

// toolNamesIn returns the names in an argument: a constant, or the declaration of a tool.
func (rg *registrar) toolNamesIn(x *ir.Expr, f *frame) (out []string) {
	for _, v := range rg.evaluate(x, f) {
		switch {
		case v.kind == constant:
			out = append(out, v.text)
		case v.kind == composite:
			out = append(out, rg.constantMembers(v, "name")...)
		case v.expr != nil && rg.declaresTool(v.expr):
			out = append(out, rg.declaredName(v.expr, v.frame)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// declaredName returns the name in Tool(name="x"), mcp.Tool{Name: "x"} or NewTool("x", …).
func (rg *registrar) declaredName(x *ir.Expr, f *frame) []string {
	if name := rg.nameGiven(rg.Definition(x).Args, f); name != "" {
		return []string{name}
	}
	return nil
}

// nameGiven returns the name of a tool among the arguments of what registers or declares it: that of this name or the first one, a text or
// an object with such a member, as in @Tool({ name: "x" }); "" for none.
func (rg *registrar) nameGiven(args []ir.Arg, f *frame) string {
	for i, a := range args {
		if a.Name != "name" && a.Name != "Name" && (a.Name != "" || i > 0) {
			continue
		}
		v := onlyValue(rg.evaluate(a.Value, f))
		if v.kind == composite {
			v = onlyValue(rg.evalEntry(v, "name"))
		}
		if v.kind == constant {
			return v.text
		}
	}
	return ""
}

func (rg *registrar) constantMembers(v value, name string) []string {
	rg.resetBudget() // each member is a question of its own, whatever was asked before
	return textsOf(rg.evalEntry(v, name), constant)
}
