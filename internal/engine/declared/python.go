package declared

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// function reads what FastMCP makes of a function: its decorator's arguments, its docstring, its parameters.
func (r *Reader) function(root callgraph.Root) {
	described := false
	if d := root.Decl; d.Kind == ir.Call {
		for _, a := range d.Args {
			switch a.Name {
			case "description":
				r.setDescription(a.Value, root.DeclIn)
				described = true
			case "title":
				r.out.Title, _ = r.text(a.Value, root.DeclIn)
			case "annotations":
				r.setAnnotations(a.Value, root.DeclIn)
			}
		}
	}
	if !described {
		r.out.Description = docstring(root.Func)
	}
	out := noMembers()
	for _, p := range root.Func.Params {
		if p.Index < 0 || p.Rest || strings.HasPrefix(p.Name, "_") || isContext(p) {
			continue
		}
		out.addMember(p.Name, within(r, "properties/"+p.Name, func() schema { return r.declaredField(p.Noted, p.Value, 0) }))
	}
	r.setSchema(out)
}

// isContext reports whether a parameter is what FastMCP hands over itself.
func isContext(p *ir.Param) bool {
	if p.Noted == nil {
		return p.Name == "ctx" || p.Name == "context"
	}
	return p.Noted.Search(4, func(x *ir.Expr) (found, into bool) {
		found = (x.Kind == ir.Name || x.Kind == ir.Attr) && (x.Text == "Context" || x.Text == "ToolContext" || x.Text == "RunContext")
		return found, x.Kind == ir.Index || x.Kind == ir.Other || x.Kind == ir.Either
	})
}

// docstring is what stands at the beginning of a function, without its indentation.
func docstring(fn *ir.Func) string {
	if len(fn.Body) == 0 || fn.Body[0].Step != ir.Do || fn.Body[0].X == nil || fn.Body[0].X.Kind != ir.String {
		return ""
	}
	return cleanIndentation(fn.Body[0].X.Text)
}

// cleanIndentation does what Python's inspect.cleandoc does.
func cleanIndentation(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "        "), "\n")
	margin := -1
	for _, l := range lines[1:] {
		if trimmed := strings.TrimLeft(l, " "); trimmed != "" {
			if indent := len(l) - len(trimmed); margin < 0 || indent < margin {
				margin = indent
			}
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " ")
	for i, l := range lines[1:] {
		lines[i+1] = strings.TrimRight(l[min(max(margin, 0), len(l)):], " \r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// declaredField reads a parameter or a field by its annotation and its default.
func (r *Reader) declaredField(noted, value *ir.Expr, depth int) schema {
	s := schema{json: object{}, Bound: *Anything}
	if noted != nil {
		s = r.annotation(noted, depth)
	}
	if isField(value) {
		s = r.fromField(s, value)
		s.optional = hasDefault(value)
		return s
	}
	s.json, s.optional = r.worded(s.json, "default", value, nowhere), value != nil
	return s
}

func isField(x *ir.Expr) bool {
	return x.Is(ir.Call) && slices.Contains([]string{"Field", "field", "Body", "Query"}, x.Calls())
}

// hasDefault reports whether Field(…) gives a default; Field(...) with Python's ellipsis gives none.
func hasDefault(x *ir.Expr) bool {
	for i, a := range x.Args {
		if a.Name == "default" || a.Name == "default_factory" || a.Name == "" && i == 0 {
			return a.Value != nil && !(a.Value.Kind == ir.Literal && a.Value.Text == "...")
		}
	}
	return false
}

// fieldWords are arguments of Field that JSON Schema has a word for.
var fieldWords = map[string]string{"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "min_length": "minLength",
	"max_length": "maxLength", "pattern": "pattern", "examples": "examples"}

// fromField adds what Field(…) says.
func (r *Reader) fromField(s schema, x *ir.Expr) schema {
	for i, a := range x.Args {
		if (a.Name == "pattern" || a.Name == "regex") && a.Value != nil {
			s.Patterns = append(slices.Clip(s.Patterns), a.Value)
		}
		switch {
		case a.Name == "description":
			s.json = r.described(s.json, a.Value, nowhere)
		case a.Name == "default" || a.Name == "" && i == 0:
			s.json = r.worded(s.json, "default", a.Value, nowhere)
		case fieldWords[a.Name] != "":
			s.json = r.worded(s.json, fieldWords[a.Name], a.Value, nowhere)
		}
	}
	return s
}

// pythonTypes are types that JSON has.
var pythonTypes = map[string]string{"str": "string", "int": "integer", "float": "number", "bool": "boolean", "dict": "object", "Dict": "object",
	"Mapping": "object", "list": "array", "List": "array", "Sequence": "array", "tuple": "array", "Tuple": "array", "set": "array", "Set": "array",
	"None": "null", "bytes": "string", "datetime": "string", "date": "string", "UUID": "string", "Path": "string", "AnyUrl": "string", "HttpUrl": "string", "EmailStr": "string"}

// boundedTypes are types that hold no text of the caller's choosing.
var boundedTypes = callgraph.Names("int float bool Literal datetime date UUID Decimal PositiveInt NonNegativeInt IPvAnyAddress IPv4Address IPv6Address")

// addressTypes are types whose values begin with a scheme.
var addressTypes = callgraph.Names("AnyUrl HttpUrl AnyHttpUrl")

// openTypes are types that let an object in.
var openTypes = callgraph.Names("Any dict Dict object Mapping MutableMapping JSON JsonValue")

func namedAs(name string, json object) schema {
	return schema{json: json, Bound: Bound{Gone: boundedTypes[name], Address: addressTypes[name], Open: openTypes[name], Free: openTypes[name]}}
}

// annotation reads the type of a parameter or a field.
func (r *Reader) annotation(x *ir.Expr, depth int) schema {
	if x == nil || !r.spend(depth) {
		return r.unread()
	}
	switch x.Kind {
	case ir.Literal:
		return schema{json: typed("null")}
	case ir.String: // a type that is written as text
		if kind := pythonTypes[x.Text]; kind != "" {
			return namedAs(x.Text, typed(kind))
		}
		return schema{json: object{}}
	case ir.Name, ir.Attr:
		if x.Kind == ir.Attr && x.X != nil && x.X.Text == "Literal" { // Literal["a"]
			return namedAs("Literal", object{{"const", x.Text}, {"type", "string"}})
		}
		return r.namedType(x, depth)
	case ir.Index:
		return r.generic(x, depth)
	case ir.Other, ir.Either: // A | B
		return r.anyOf(x.Args, depth)
	case ir.Call: // constr(pattern=…)
		r.unread()
		return r.fromField(schema{json: object{}}, x)
	}
	return r.unread()
}

func (r *Reader) namedType(x *ir.Expr, depth int) schema {
	if x.Text == "Any" || x.Text == "object" {
		return namedAs(x.Text, object{})
	}
	if class := r.g.ClassOf(x, nowhere); class != nil {
		return r.model(class, depth+1)
	}
	if kind := pythonTypes[x.Text]; kind != "" {
		return namedAs(x.Text, typed(kind))
	}
	if d := r.g.Definition(x); d != x { // a name for a type
		return r.annotation(d, depth+1)
	}
	r.unread()
	return namedAs(x.Text, object{})
}

func (r *Reader) generic(x *ir.Expr, depth int) schema {
	if x.X == nil {
		return schema{json: object{}}
	}
	args := typeArguments(x)
	switch x.X.Text {
	case "Optional":
		return r.anyOf(append(slices.Clone(args), ir.Arg{Value: &ir.Expr{Kind: ir.Literal, Scope: x.Scope}}), depth)
	case "Union":
		return r.anyOf(args, depth)
	case "Annotated":
		return r.annotated(args, depth)
	case "Literal":
		list, ok := r.plainList(&ir.Expr{Kind: ir.List, Args: args, Scope: x.Scope}, nowhere, depth+1)
		if !ok {
			r.unread()
			return namedAs("Literal", typed("string"))
		}
		return namedAs("Literal", typed("string").with("enum", list))
	}
	kind := pythonTypes[x.X.Text]
	if kind == "" {
		r.unread()
		return namedAs(x.X.Text, object{})
	}
	if kind == "array" && len(args) > 0 {
		s := listOf(within(r, "items", func() schema { return r.annotation(args[0].Value, depth+1) }))
		s.Gone = s.Members["*"].Gone
		return s
	}
	return namedAs(x.X.Text, typed(kind))
}

// typeArguments are the types in the brackets of a generic one, which the syntax may keep together.
func typeArguments(x *ir.Expr) []ir.Arg {
	if len(x.Args) != 1 || x.Args[0].Value == nil {
		return x.Args
	}
	a := x.Args[0].Value
	if source := a.Scope.File.Source; a.Kind == ir.Other && int(a.Start) < len(source) && source[a.Start] == '[' {
		return a.Args
	}
	return x.Args
}

func (r *Reader) annotated(args []ir.Arg, depth int) schema {
	s := schema{json: object{}}
	for i, a := range args {
		switch {
		case i == 0:
			s = r.annotation(a.Value, depth+1)
		case a.Value != nil && isField(a.Value):
			s = r.fromField(s, a.Value)
		case i == 1:
			if text, ok := r.text(a.Value, nowhere); ok {
				s.json = s.json.with("description", text)
			}
		}
	}
	return s
}

// anyOf is one of several types, of which None leaves nothing to choose.
func (r *Reader) anyOf(args []ir.Arg, depth int) schema {
	var all, others []schema // others than None
	for _, a := range args {
		s := r.annotation(a.Value, depth+1)
		if all = append(all, s); s.json.get("type") != "null" {
			others = append(others, s)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	out := anyOf(all)
	if out.Bound = anyOf(others).Bound; len(others) == 1 {
		out.Bound = others[0].Bound
	}
	return out
}

// model reads a class: a model of pydantic, a typed dictionary, an enumeration, a struct of Go.
func (r *Reader) model(c *ir.Class, depth int) schema {
	if !r.spend(depth) {
		return r.unread()
	}
	if r.g.Convention().Language == "go" {
		return r.goStruct(c, depth)
	}
	if isEnum(c) {
		return schema{json: r.enumClass(c), Bound: Bound{Gone: true}}
	}
	out := noMembers()
	if up := r.g.Lineage(c, 0)[1:]; len(up) > 0 && up[0] != c {
		out.addMembers(r.model(up[0], depth+1))
	}
	for _, f := range c.Noted {
		if strings.HasPrefix(f.Name, "_") || f.Name == "model_config" {
			continue
		}
		out.addMember(f.Name, within(r, "properties/"+f.Name, func() schema { return r.declaredField(f.Type, f.Value, depth+1) }))
	}
	return out
}

func isEnum(c *ir.Class) bool {
	return slices.ContainsFunc(c.Bases, func(b *ir.Expr) bool { return strings.HasSuffix(b.Text, "Enum") })
}

// enumClass reads the values of an enumeration, in the order of the source.
func (r *Reader) enumClass(c *ir.Class) object {
	var values []*ir.Expr
	for _, xs := range c.Fields {
		values = append(values, xs...)
	}
	slices.SortFunc(values, func(a, b *ir.Expr) int { return int(a.Start) - int(b.Start) })
	list := []any{}
	for _, x := range values {
		if v, ok := r.plain(x, nowhere, 0); ok {
			list = append(list, v)
		}
	}
	return typed("string").with("enum", list)
}
