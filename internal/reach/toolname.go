package reach

import (
	"slices"

	"gauntlet/internal/program"
)

// functions returns the functions that an argument is, or that a call wraps:
// withLogging("x", async (args) => …).
func (en *engine) functions(x *program.Expr, f *frame, depth int) []value {
	var out []value
	for _, v := range en.values(x, f) {
		if v.kind == function && !v.fn.Abstract {
			out = add(out, v)
		}
	}
	if x.Kind == program.Object && depth == 0 && len(out) == 0 { // { createTask: async () => … }
		for _, a := range x.Args {
			if a.Value != nil && a.Value.Kind == program.Function {
				out = add(out, value{kind: function, fn: a.Value.Func, frame: f})
			}
		}
	}
	if x.Kind == program.Call && depth < 3 {
		// The wrapper's function and what it wraps both run.
		for _, a := range x.Args {
			if a.Value != nil && a.Value.Kind != program.String {
				out = add(out, en.functions(a.Value, f, depth+1)...)
			}
		}
	}
	return out
}

// written returns what a name was given, as it is written there, where that is one thing.
func (en *engine) written(x *program.Expr) *program.Expr {
	for range 5 {
		var bindings []*program.Binding
		switch x.Kind {
		case program.Name:
			bindings, _ = x.Scope.Find(x.Text)
		case program.Attr:
			if m := only(en.values(x.X, nil)); m.kind == module {
				bindings = m.mod.Scope.Names[x.Text]
			}
		}
		if len(bindings) != 1 || bindings[0].Value == nil {
			return x
		}
		x = bindings[0].Value
	}
	return x
}

// describing reports whether an expression is, or was given, the declaration of a tool.
func (en *engine) describing(x *program.Expr) bool {
	x = en.written(x)
	switch x.Kind {
	case program.New, program.Call, program.Type:
		return x.X != nil && en.conv.Describes[x.X.Text]
	}
	return false
}

// toolNames returns the names in an argument: a constant, or the declaration of a tool.
func (en *engine) toolNames(x *program.Expr, f *frame) []string {
	var out []string
	for _, v := range en.values(x, f) {
		switch v.kind {
		case constant:
			out = append(out, v.text)
		case composite:
			out = append(out, en.constants(v, "name")...)
		case instance, outside:
			if en.describing(x) {
				return en.declaredName(x, f)
			}
			if v.expr != nil && en.describing(v.expr) {
				out = append(out, en.declaredName(v.expr, v.frame)...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// declaredName returns the name in Tool(name="x"), mcp.Tool{Name: "x"} or NewTool("x", …).
func (en *engine) declaredName(x *program.Expr, f *frame) []string {
	x = en.written(x)
	for i, a := range x.Args {
		if a.Name == "name" || a.Name == "Name" || a.Name == "" && i == 0 {
			if v := only(en.values(a.Value, f)); v.kind == constant {
				return []string{v.text}
			}
		}
	}
	return nil
}

func (en *engine) constants(v value, name string) []string {
	var out []string
	for _, m := range en.entry(v, name) {
		if m.kind == constant {
			out = append(out, m.text)
		}
	}
	return out
}
