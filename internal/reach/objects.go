package reach

import (
	"slices"
	"strings"

	"gauntlet/internal/program"
	"gauntlet/sink"
)

// describers are the members that make an object with a name a tool.
var describers = []string{"description", "inputSchema", "input_schema", "parameters", "schema", "annotations", "Description", "InputSchema", "inputs", "argsShape", "paramsSchema"}

// declarations are the members under which the declaration of a tool stands beside its handler.
var declarations = []string{"schema", "tool", "definition", "Tool", "config", "spec", "metadata"}

// object ties { name: "x", description: …, handler: f } and { schema: { name: "x", … }, handle: f }.
func (en *engine) object(o *program.Expr) []tie {
	var handlers []string
	for _, a := range o.Args {
		if en.conv.Handlers[a.Name] && a.Value != nil {
			handlers = []string{a.Name}
			break
		}
	}
	if handlers == nil {
		handlers = en.unnamedHandlers(o)
	}
	if handlers == nil {
		return nil
	}
	out, named := en.objectIn(o, handlers, nil)
	if named {
		return out
	}
	for _, f := range en.sites(o.Scope) {
		more, _ := en.objectIn(o, handlers, f)
		out = append(out, more...)
	}
	return out
}

// besides are parts of the names of members of a tool that are functions and answer no call.
var besides = []string{"format", "render", "valid", "enabled", "condition", "schema", "describe", "description", "annotation", "title", "icon", "transform", "parse"}

// unnamedHandlers returns the members that can only be the handler of an object that
// declares a tool with its schema, when none has a name that is known.
func (en *engine) unnamedHandlers(o *program.Expr) []string {
	if !has(o, []string{"inputSchema", "input_schema", "InputSchema"}) || !has(o, []string{"name"}) {
		return nil
	}
	var out []string
	for _, a := range o.Args {
		name := strings.ToLower(a.Name)
		if a.Value == nil || name == "" || a.Value.Kind == program.String || a.Value.Kind == program.Object ||
			slices.ContainsFunc(besides, func(s string) bool { return strings.Contains(name, s) }) {
			continue
		}
		if len(en.functions(a.Value, nil, 1)) > 0 {
			out = append(out, a.Name)
		}
	}
	return out
}

func (en *engine) objectIn(o *program.Expr, handlers []string, f *frame) (out []tie, named bool) {
	names := en.objectNames(value{kind: composite, expr: o, frame: f})
	if len(names) > 1 && en.perElement(o.Args, f, func(one *frame) {
		more, _ := en.objectIn(o, handlers, one)
		out = append(out, more...)
	}) {
		return out, true
	}
	for _, a := range o.Args {
		if !slices.Contains(handlers, a.Name) {
			continue
		}
		for _, fn := range en.functions(a.Value, f, 0) {
			for _, name := range names {
				out = append(out, tie{tool: name, via: sink.ByRegistration, fn: fn, at: place(o.Scope.File, o)})
			}
		}
	}
	return out, len(names) > 0
}

// objectNames returns the name of the tool that an object declares, itself or in a member.
func (en *engine) objectNames(v value) []string {
	if has(v.expr, describers) {
		if names := en.constants(v, "name"); len(names) > 0 {
			return names
		}
	}
	for _, d := range declarations {
		if !has(v.expr, []string{d}) {
			continue
		}
		for _, m := range en.entry(v, d) {
			if m.kind == composite && m.expr.Kind == program.Object {
				if names := en.constants(m, "name"); len(names) > 0 {
					return names
				}
			}
			if m.kind != composite && m.expr != nil && en.describing(m.expr) {
				return en.declaredName(m.expr, m.frame)
			}
		}
		for _, a := range v.expr.Args {
			if a.Name == d && a.Value != nil && en.describing(a.Value) {
				return en.declaredName(a.Value, v.frame)
			}
		}
	}
	return nil
}

func has(o *program.Expr, names []string) bool {
	for _, a := range o.Args {
		if slices.Contains(names, a.Name) {
			return true
		}
	}
	return false
}

// classTool ties class X { name = "x"; description = …; execute() {…} }.
func (en *engine) classTool(c *program.Class) []tie {
	var names []string
	for _, field := range []string{"name", "toolName", "tool_name"} {
		for _, e := range c.Fields[field] {
			for _, v := range en.values(e, nil) {
				if v.kind == constant {
					names = append(names, v.text)
				}
			}
		}
		if len(names) > 0 {
			break
		}
	}
	described := false
	if len(names) == 0 {
		names = en.superName(c)
		described = len(names) > 0
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) != 1 || !plausible(names[0]) {
		return nil
	}
	for _, d := range describers {
		described = described || len(c.Fields[d]) > 0 || c.Methods[d] != nil
	}
	if !described {
		return nil
	}
	var found []string
	for name := range c.Methods {
		if en.conv.Handlers[name] {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	var out []tie
	for _, name := range found {
		m := c.Methods[name]
		if !m.Abstract {
			out = append(out, tie{tool: names[0], via: sink.ByRegistration, fn: value{kind: function, fn: m, class: c}, at: placeAt(m.Scope.File, m.Start, m.End)})
		}
	}
	return out
}

// superName returns the name that a class passes to the constructor of a base that is a
// tool's: super().__init__("x").
func (en *engine) superName(c *program.Class) []string {
	ctor := c.Methods[en.conv.Constructor]
	if ctor == nil || len(c.Bases) == 0 {
		return nil
	}
	ofTools := false
	for _, b := range c.Bases {
		ofTools = ofTools || strings.Contains(b.Text, "Tool")
	}
	if !ofTools {
		return nil
	}
	for _, s := range ctor.Body {
		x := s.X
		if x == nil || x.Kind != program.Call || len(x.Args) == 0 {
			continue
		}
		if x.X.Kind == program.Name && x.X.Text == "super" || x.X.Kind == program.Attr && x.X.Text == en.conv.Constructor {
			if v := only(en.values(x.Args[0].Value, nil)); v.kind == constant {
				return []string{v.text}
			}
		}
	}
	return nil
}

// plausible reports whether a string can be the name of a tool: one word.
func plausible(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsAny(name, " \n\t")
}

// declared returns the names of tools that the sources declare without a handler beside
// them: Tool(name="x", …), { name: "x", inputSchema: … }.
func (en *engine) declared() []string {
	var out []string
	for _, c := range en.prog.Calls {
		if en.describing(c) {
			out = append(out, en.declaredName(c, nil)...)
		}
	}
	for _, o := range en.prog.Objects {
		if has(o, []string{"inputSchema", "input_schema"}) && has(o, []string{"name"}) {
			if names := en.constants(value{kind: composite, expr: o}, "name"); len(names) == 1 && plausible(names[0]) {
				out = append(out, names[0])
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
