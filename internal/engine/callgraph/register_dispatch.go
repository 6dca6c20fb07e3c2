package callgraph

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/sink"
)

// findDispatchers returns the functions that answer all tools, each as a tie that lacks the tool.
func (rg *registrar) findDispatchers() (out []tie) {
	for _, fn := range rg.prog.Funcs {
		for _, d := range fn.Decorators {
			if d = d.Target(); d.Is(ir.Attr) && rg.conv.Dispatchers[d.Text] {
				out = append(out, tie{via: sink.ByDispatch, fn: value{kind: function, fn: fn, class: fn.Class}, at: PlaceOfFunc(fn)})
			}
		}
	}
	for _, c := range rg.prog.Calls {
		if x := c.Option("on_call_tool"); x != nil { // Server("x", on_call_tool=f)
			for _, f := range rg.functionsIn(x, nil, 0) {
				out = append(out, tie{via: sink.ByDispatch, fn: f, at: PlaceOf(c), behindContext: true})
			}
		}
		if rg.conv.Dispatchers[c.Calls()] && len(c.Args) > 1 && rg.isToolsCallSchema(c.Args[0].Value) {
			x := c.Args[1].Value // of a wrapper and what it is given, the latter knows the tools by their names
			for _, f := range addValues(rg.functionsIn(x, nil, 0), rg.wrapped(x, nil, 1)...) {
				out = append(out, tie{via: sink.ByDispatch, fn: f, at: PlaceOf(c)})
			}
		}
	}
	return out
}

// isToolsCallSchema recognises what says that a handler of requests answers tools/call. A bundle gives the schema a short name; what it
// is made of, or the call that built it, still names the method.
func (rg *registrar) isToolsCallSchema(x *ir.Expr) bool {
	is := func(v value) bool {
		return v.kind == constant && v.text == mcp.ToolsCall || v.kind == outside && strings.HasSuffix(v.text, "CallToolRequestSchema") || namesToolsCall(v.expr)
	}
	if strings.HasSuffix(x.Text, "CallToolRequestSchema") || slices.ContainsFunc(rg.evaluate(x, nil), is) {
		return true
	}
	bindings, _ := x.Scope.Find(x.Text)
	return x.Kind == ir.Name && slices.ContainsFunc(bindings, func(b *ir.Binding) bool { return namesToolsCall(b.Value) })
}

// namesToolsCall reports whether an expression holds the method's name.
func namesToolsCall(e *ir.Expr) bool {
	return e.Holds(func(x *ir.Expr) bool { return x.Kind == ir.String && x.Text == mcp.ToolsCall })
}

// callArguments is what a dispatcher gets for a tool: the name alone, or a request that holds it.
func (rg *registrar) callArguments(t tie, tool string) [][]value {
	scope := t.fn.fn.Scope
	params := &ir.Expr{Kind: ir.Object, Scope: scope, Args: []ir.Arg{{Name: "name", Value: &ir.Expr{Kind: ir.String, Text: tool, Scope: scope}}}}
	switch {
	case t.behindContext:
		return [][]value{nil, {{kind: composite, expr: params}}}
	case rg.conv.Language == "python":
		return [][]value{{{kind: constant, text: tool}}}
	}
	request := &ir.Expr{Kind: ir.Object, Scope: scope, Args: []ir.Arg{
		{Name: "method", Value: &ir.Expr{Kind: ir.String, Text: mcp.ToolsCall, Scope: scope}},
		{Name: "params", Value: params},
	}}
	return [][]value{{{kind: composite, expr: request}}}
}

// tieDispatched ties the tools that have no function of their own. Which they are is known from
// where they are declared; else from the branches of the dispatcher.
func (g *Graph) tieDispatched(declared, have map[string]bool) (out []tie) {
	const most = 50 // servers in one tree of sources
	ds := g.registrar.findDispatchers()
	for _, t := range ds[:min(len(ds), most)] {
		names := maps.Clone(declared)
		for _, label := range g.labelsOf(t) {
			names[label] = true
		}
		t.alone = len(names) == 1
		for _, t.tool = range slices.Sorted(maps.Keys(names)) {
			if !have[t.tool] {
				t.given = g.registrar.callArguments(t, t.tool)
				out = append(out, t)
			}
		}
	}
	return out
}
