package declared

import (
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// schemaMembers are members of a declaration that hold the schema of what a tool takes.
var schemaMembers = []string{"inputSchema", "input_schema", "InputSchema", "parameters", "paramsSchema", "argsShape", "inputs", "schema", "RawInputSchema"}

// hints are what annotations of a tool consist of.
var hints = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

func (r *Reader) registration(root callgraph.Root) {
	x := root.Decl
	switch {
	case r.g.Convention().Language == "python" && (x.Kind != ir.Call || !r.describes(x)):
		r.function(root)
		return
	case x.Kind == ir.Call && !r.describes(x):
		r.arguments(x.Args, root)
		r.forget(r.rewritten.registered)
	default:
		r.declaration(x, root.DeclIn)
	}
	if r.out.InputSchema == nil && r.g.Convention().Language == "go" {
		r.goParameters(root.Func)
	}
	if !says(r.out) && len(r.out.Unknown) == 0 {
		r.elsewhere(root.Tool)
	}
}

// describes reports whether an expression declares a tool by itself: Tool(…), NewTool(…).
func (r *Reader) describes(x *ir.Expr) bool { return r.g.Convention().Describes[x.Calls()] }

// arguments reads server.tool("x", "does y", { … }, f) and its kin, each argument by what it is.
func (r *Reader) arguments(args []ir.Arg, root callgraph.Root) {
	named, described := false, false
	for _, a := range args {
		if a.Value == nil || a.Value.Kind == ir.Function {
			continue
		}
		if text, ok := r.text(a.Value, root.DeclIn); ok {
			switch {
			case !named && text == root.Tool:
				named = true
			case !described:
				r.out.Description, described = text, true
			}
			continue
		}
		switch d, c := r.written(a.Value, root.DeclIn); {
		case d.Kind == ir.Template && named && !described:
			r.unknown("description")
			described = true
		case r.isSchemaMaker(d):
			r.setSchema(r.schema(d, c, 0))
		case d.Kind == ir.Object && d.HasMember(hints...):
			r.setAnnotations(d, c)
		case d.Kind == ir.Object && !r.isDeclaration(d):
			r.setSchema(r.shape(d, c, 0))
		case d.Kind == ir.Object || d.Kind == ir.New || r.describes(d):
			r.declaration(d, c)
		}
	}
}

// isDeclaration tells a declaration from a shape, whose members are schemas.
func (r *Reader) isDeclaration(o *ir.Expr) bool {
	if o.HasMember(schemaMembers...) && !o.HasMember("description") || o.HasMember("annotations") {
		return true
	}
	for _, a := range o.Args {
		if a.Name == "description" || a.Name == "title" {
			return a.Value == nil || !r.isSchemaMaker(r.g.Definition(a.Value))
		}
	}
	return o.HasMember("name") && o.HasMember(callgraph.Declarations...)
}

// declaration reads { name, description, inputSchema }, Tool(name=…), mcp.Tool{…} and mcp.NewTool(…).
func (r *Reader) declaration(x *ir.Expr, c callgraph.Context) {
	if !r.spend(0) {
		return
	}
	if x.Kind == ir.Call && r.g.Convention().Language == "go" {
		r.goOptions(x, c)
		return
	}
	if inner, in := r.nested(x, c); inner != nil {
		r.declaration(inner, in)
		return
	}
	for _, a := range x.Args {
		switch {
		case a.Value == nil:
		case a.Spread:
			if d, in := r.written(a.Value, c); d.Kind == ir.Object && d != x {
				r.declaration(d, in)
			}
		case a.Name == "title" || a.Name == "Title":
			r.out.Title, _ = r.text(a.Value, c)
		case a.Name == "description" || a.Name == "Description":
			r.setDescription(a.Value, c)
		case a.Name == "annotations" || a.Name == "Annotations":
			r.setAnnotations(a.Value, c)
		case slices.Contains(schemaMembers, a.Name):
			r.setSchema(r.schema(a.Value, c, 0))
		}
	}
	r.forget(r.rewritten.declared[x])
}

// nested returns the declaration inside of an object that has none of its own: { schema: { name: "x", … }, handle }.
func (r *Reader) nested(x *ir.Expr, c callgraph.Context) (*ir.Expr, callgraph.Context) {
	if x.HasMember("description", "Description", "inputSchema") {
		return nil, c
	}
	for _, a := range x.Args {
		if a.Value == nil || !slices.Contains(callgraph.Declarations, a.Name) {
			continue
		}
		if d, in := r.written(a.Value, c); d != x && (d.Kind == ir.Object || d.Kind == ir.New) && d.HasMember("description", "Description", "inputSchema", "InputSchema") {
			return d, in
		}
	}
	return nil, c
}

// class reads the fields of a class that is a tool.
func (r *Reader) class(c *ir.Class) {
	for _, up := range r.g.Lineage(c, 0) {
		if r.fields(up) || r.handedUp(up) {
			break
		}
	}
	if r.out.Description == "" {
		r.unknown("description")
	}
	if r.out.InputSchema == nil {
		r.unknown("inputSchema")
	}
}

// handedUp reads what the constructor of a class hands to that of the class that it is derived from: super({ name: "x", inputSchema: … }).
func (r *Reader) handedUp(c *ir.Class) bool {
	if maker := c.Methods[r.g.Convention().Constructor]; maker != nil {
		for i := range maker.Body {
			x := maker.Body[i].X
			if x == nil || x.Kind != ir.Call || x.X == nil || x.X.Text != "super" {
				continue
			}
			for _, a := range x.Args {
				if a.Value != nil && a.Value.Kind == ir.Object && r.isDeclaration(a.Value) {
					r.declaration(a.Value, nowhere)
				}
			}
		}
	}
	return r.out.InputSchema != nil
}

// fields reads the fields of one class; it reports whether any of them says what the tool takes.
func (r *Reader) fields(c *ir.Class) bool {
	for _, x := range c.Fields["description"] {
		if text, ok := r.text(x, nowhere); ok && r.out.Description == "" {
			r.out.Description = text
		}
	}
	for _, x := range c.Fields["annotations"] {
		r.setAnnotations(x, nowhere)
	}
	for _, name := range schemaMembers {
		for _, x := range c.Fields[name] {
			if x.Kind != ir.Type && r.out.InputSchema == nil {
				r.setSchema(r.schema(x, nowhere, 0))
			}
		}
	}
	return r.out.InputSchema != nil
}
