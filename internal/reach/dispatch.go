package reach

import (
	"slices"
	"strings"

	"gauntlet/internal/program"
	"gauntlet/sink"
)

// A dispatcher is one function that answers all tools.
type dispatcher struct {
	fn value
	at sink.Place
}

func (en *engine) dispatchers() []dispatcher {
	var out []dispatcher
	for _, fn := range en.prog.Funcs {
		for _, d := range fn.Decorators {
			if d.Kind == program.Call {
				d = d.X
			}
			if d.Kind == program.Attr && en.conv.Dispatchers[d.Text] {
				out = append(out, dispatcher{value{kind: function, fn: fn, class: fn.Class}, placeAt(fn.Scope.File, fn.Start, fn.End)})
			}
		}
	}
	for _, c := range en.prog.Calls {
		if c.X == nil || !en.conv.Dispatchers[c.X.Text] || len(c.Args) < 2 || !en.callsTools(c.Args[0].Value) {
			continue
		}
		for _, f := range en.functions(c.Args[1].Value, nil, 0) {
			out = append(out, dispatcher{f, place(c.Scope.File, c)})
		}
	}
	return out
}

// callsTools recognises what says that a handler of requests answers tools/call.
func (en *engine) callsTools(x *program.Expr) bool {
	if strings.HasSuffix(x.Text, "CallToolRequestSchema") {
		return true
	}
	for _, v := range en.values(x, nil) {
		if v.kind == constant && v.text == "tools/call" || v.kind == outside && strings.HasSuffix(v.text, "CallToolRequestSchema") {
			return true
		}
		// A bundle gives the schema a short name; what it is made of still names the method.
		if v.expr != nil && en.mentions(v.expr, "tools/call", 0) {
			return true
		}
	}
	return en.madeOf(x)
}

// madeOf looks through the variable at the call that built a schema.
func (en *engine) madeOf(x *program.Expr) bool {
	if x.Kind != program.Name {
		return false
	}
	bindings, _ := x.Scope.Find(x.Text)
	for _, b := range bindings {
		if b.Value != nil && en.mentions(b.Value, "tools/call", 0) {
			return true
		}
	}
	return false
}

func (en *engine) mentions(e *program.Expr, text string, depth int) bool {
	if e == nil || depth > 6 || e.Kind == program.Function {
		return false
	}
	if e.Kind == program.String && e.Text == text {
		return true
	}
	for _, a := range e.Args {
		if en.mentions(a.Value, text, depth+1) {
			return true
		}
	}
	return false
}

// request is what a dispatcher gets for a tool: the name alone, or a request that holds it.
func (en *engine) request(fn *program.Func, tool string) [][]value {
	name := &program.Expr{Kind: program.String, Text: tool, Scope: fn.Scope}
	if en.conv.Language == "python" {
		return [][]value{{{kind: constant, text: tool}}}
	}
	params := &program.Expr{Kind: program.Object, Scope: fn.Scope, Args: []program.Arg{{Name: "name", Value: name}}}
	request := &program.Expr{Kind: program.Object, Scope: fn.Scope, Args: []program.Arg{
		{Name: "method", Value: &program.Expr{Kind: program.String, Text: "tools/call", Scope: fn.Scope}},
		{Name: "params", Value: params},
	}}
	return [][]value{{{kind: composite, expr: request}}}
}

// dispatched ties the tools that have no function of their own. Which they are is known from
// where they are declared; else from the branches of the dispatcher.
func (en *engine) dispatched(declared, have map[string]bool) []tie {
	const most = 50 // servers in one tree of sources
	var out []tie
	ds := en.dispatchers()
	for _, d := range ds[:min(len(ds), most)] {
		names := map[string]bool{}
		for name := range declared {
			names[name] = true
		}
		for _, label := range en.branchLabels(d.fn.fn.Body) {
			names[label] = true
		}
		var sorted []string
		for name := range names {
			if !have[name] {
				sorted = append(sorted, name)
			}
		}
		slices.Sort(sorted)
		for _, name := range sorted {
			out = append(out, tie{tool: name, via: sink.ByDispatch, fn: d.fn, at: d.at, given: en.request(d.fn.fn, name), alone: len(names) == 1})
		}
	}
	return en.bestDispatch(out)
}

// bestDispatch keeps, of several dispatchers, the one that knows the tool by name.
func (en *engine) bestDispatch(ties []tie) []tie {
	byTool := map[string][]tie{}
	var order []string
	for _, t := range ties {
		if byTool[t.tool] == nil {
			order = append(order, t.tool)
		}
		byTool[t.tool] = append(byTool[t.tool], t)
	}
	var out []tie
	for _, tool := range order {
		all := byTool[tool]
		best := all[:1]
		for i := range all {
			if h := en.handler(all[i]); h.Via == sink.ByDispatch {
				best = all[i : i+1]
				break
			}
		}
		out = append(out, best...)
	}
	return out
}
