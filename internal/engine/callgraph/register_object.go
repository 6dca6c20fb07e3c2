package callgraph

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// schemas are the members of a tool that say what it takes; describers are those that make an object with a name a tool.
var (
	schemas    = []string{"inputSchema", "input_schema", "parameters", "schema", "InputSchema", "inputs", "argsShape", "paramsSchema"}
	describers = append([]string{"description", "annotations", "Description", "get_description", "getDescription", "get_input_schema", "getInputSchema", "get_schema", "getSchema"}, schemas...)
)

// Declarations are the members under which the declaration of a tool stands beside its handler.
var Declarations = []string{"schema", "tool", "definition", "Tool", "config", "spec", "metadata"}

// tieObject ties { name: "x", description: …, handler: f } and { schema: { name: "x", … }, handle: f }.
func (rg *registrar) tieObject(o *ir.Expr) []tie {
	if o.HasMember("uri", "uriTemplate") {
		return nil // a resource
	}
	handlers := rg.unnamedHandlers(o)
	if i := slices.IndexFunc(o.Args, func(a ir.Arg) bool { return rg.conv.Handlers[a.Name] && a.Value != nil }); i >= 0 {
		handlers = []string{o.Args[i].Name}
	}
	if handlers == nil {
		return nil
	}
	return rg.inFrames(o.Scope, func(f *frame) ([]tie, bool) { return rg.tieObjectIn(o, handlers, f) })
}

// besides are parts of the names of members of a tool that are functions and answer no call.
var besides = []string{"format", "render", "valid", "enabled", "condition", "schema", "describe", "description", "annotation", "title", "icon", "transform", "parse"}

// unnamedHandlers returns the members that can only be the handler of an object that
// declares a tool with its schema, when none has a name that is known.
func (rg *registrar) unnamedHandlers(o *ir.Expr) []string {
	if !o.HasMember("inputSchema", "input_schema", "InputSchema") || !o.HasMember("name") {
		return nil
	}
	var out []string
	for _, a := range o.Args {
		name := strings.ToLower(a.Name)
		if a.Value == nil || name == "" || a.Value.Kind == ir.String || a.Value.Kind == ir.Object ||
			slices.ContainsFunc(besides, func(s string) bool { return strings.Contains(name, s) }) {
			continue
		}
		if len(rg.functionsIn(a.Value, nil, 1)) > 0 {
			out = append(out, a.Name)
		}
	}
	return out
}

func (rg *registrar) tieObjectIn(o *ir.Expr, handlers []string, f *frame) (out []tie, named bool) {
	names := rg.objectNames(value{kind: composite, expr: o, frame: f})
	if len(names) > 1 && rg.readPerElement(o.Args, f, func(one *frame) {
		more, _ := rg.tieObjectIn(o, handlers, one)
		out = append(out, more...)
	}) {
		return out, true
	}
	for _, a := range o.Args {
		if slices.Contains(handlers, a.Name) {
			out = append(out, tie{at: PlaceOf(o), decl: o, in: f}.each(names, rg.functionsIn(a.Value, f, 0))...)
		}
	}
	return out, len(names) > 0
}

// objectNames returns the name of the tool that an object declares, itself or in a member.
func (rg *registrar) objectNames(v value) []string {
	if v.expr.HasMember(describers...) {
		for _, member := range []string{"name", "Name"} {
			if names := rg.constantMembers(v, member); len(names) > 0 {
				return names
			}
		}
		if key := rg.keyOf(v.expr); isToolName(key) && v.expr.HasMember("description", "Description") && v.expr.HasMember(schemas...) && rg.usesSDK() {
			return []string{key}
		}
	}
	for _, d := range Declarations {
		if x := v.expr.Member(d); x != nil {
			if names := rg.toolNamesIn(x, v.frame); len(names) > 0 {
				return names
			}
		}
	}
	return nil
}

// keyOf returns the name under which another object holds an object, itself or what a call makes of it, "" for none:
// { x: { description: …, execute: f } }, { x: define({ description: …, execute: f }) }.
func (rg *registrar) keyOf(o *ir.Expr) string {
	if rg.keys == nil {
		rg.keys = map[*ir.Expr]string{}
		for _, holder := range rg.prog.Objects {
			for _, a := range holder.Args {
				x := a.Value
				if x.Is(ir.Call) {
					x = x.Arg(0)
				}
				if x.Is(ir.Object, ir.New) {
					rg.keys[x] = a.Name
				}
			}
		}
	}
	return rg.keys[o]
}

// tieClass ties class X { name = "x"; description = …; execute() {…} }.
func (rg *registrar) tieClass(c *ir.Class) []tie {
	names := rg.namesOf(c)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) != 1 || !isToolName(names[0]) || !declares(c, describers) && rg.nameFromSuperCall(c) == nil {
		return nil
	}
	var out []tie
	for _, name := range slices.Sorted(maps.Keys(c.Methods)) {
		if m := c.Methods[name]; rg.conv.Handlers[name] && !m.Abstract {
			out = append(out, tie{tool: names[0], via: sink.ByRegistration, fn: value{kind: function, fn: m, class: c}, at: PlaceOfFunc(m), of: c})
		}
	}
	if len(out) == 0 && isToolClass(c) {
		if m := rg.handlerOf(c); m != nil {
			out = append(out, tie{tool: names[0], via: sink.ByRegistration, fn: value{kind: function, fn: m, class: c}, at: placeAt(c.Scope.File, c.Start, c.Start), of: c})
		}
	}
	return out
}

// isToolClass reports whether a class, or what it is derived from, is called a tool.
func isToolClass(c *ir.Class) bool {
	return strings.Contains(c.Name, "Tool") || slices.ContainsFunc(c.Bases, func(b *ir.Expr) bool {
		return strings.Contains(b.Text, "Tool") || b.X != nil && strings.Contains(b.X.Text, "Tool")
	})
}

// nameFromSuperCall returns the name that a class passes to the constructor of a base that is a
// tool's: super().__init__("x").
func (rg *registrar) nameFromSuperCall(c *ir.Class) []string {
	ctor := c.Methods[rg.conv.Constructor]
	if ctor == nil || !slices.ContainsFunc(c.Bases, func(b *ir.Expr) bool { return strings.Contains(b.Text, "Tool") }) {
		return nil
	}
	for _, s := range ctor.Body {
		if !s.X.Is(ir.Call) || s.X.Arg(0) == nil {
			continue
		}
		if by := s.X.X; by.Kind == ir.Name && by.Text == "super" || by.Kind == ir.Attr && by.Text == rg.conv.Constructor {
			if name, ok := rg.Constant(s.X.Args[0].Value, nil); ok {
				return []string{name}
			}
		}
	}
	return nil
}

// isToolName reports whether a string can be the name of a tool: one word.
func isToolName(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsAny(name, " \n\t")
}

// declarationsByName returns where tools are declared without a handler beside them.
func (rg *registrar) declarationsByName() map[string][]*ir.Expr {
	if rg.declared != nil {
		return rg.declared
	}
	rg.declared = map[string][]*ir.Expr{}
	const most = 20 // of one name
	note := func(name string, x *ir.Expr) {
		if len(rg.declared[name]) < most && isToolName(name) {
			rg.declared[name] = append(rg.declared[name], x)
		}
	}
	for _, c := range rg.prog.Calls {
		if rg.declaresTool(c) {
			for i, a := range c.Args { // of a loop, too: [Tool(name=t["name"]) for t in table]
				if a.Name == "name" || a.Name == "Name" || a.Name == "" && i == 0 {
					for _, name := range rg.constants(a.Value, nil) {
						note(name, c)
					}
				}
			}
		}
	}
	for _, o := range rg.prog.Objects {
		if o.HasMember("inputSchema", "input_schema") && o.HasMember("name") {
			names := rg.constantMembers(value{kind: composite, expr: o}, "name")
			if len(names) == 0 { // table.map(([name, fields]) => ({ name, inputSchema: … }))
				for _, f := range rg.registrationFrames(o.Scope) {
					for _, name := range rg.constantMembers(value{kind: composite, expr: o, frame: f}, "name") {
						note(name, o)
					}
				}
			}
			if len(names) == 1 {
				note(names[0], o)
			}
		}
		for _, a := range o.Args { // { x: { description: …, inputSchema: … } }
			if m := a.Value; m.Is(ir.Object) && m.HasMember("inputSchema", "input_schema") && !m.HasMember("name") {
				note(a.Name, m)
			}
		}
	}
	return rg.declared
}
