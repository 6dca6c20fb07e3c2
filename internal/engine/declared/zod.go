package declared

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// A zodSchema is what a chain of zod's calls makes.
type zodSchema struct {
	schema   object
	optional bool // the caller need not give it
}

// isSchemaMaker reports whether an expression is a chain of calls that begins with zod: z.string().min(1).
func isSchemaMaker(x *ir.Expr) bool {
	if x == nil || x.Kind != ir.Call {
		return false
	}
	const longest = 60
	for range longest {
		switch {
		case x == nil:
			return false
		case x.Kind == ir.Call && x.X != nil && x.X.Kind == ir.Attr:
			x = x.X.X
		case x.Kind == ir.Attr:
			if x.Text == "z" && x.X != nil && x.X.Kind == ir.Name {
				return true
			}
			x = x.X
		default:
			return x.Kind == ir.Name && (isZodName(x.Text) || zodImport(x))
		}
	}
	return false
}

// isZodName reports whether zod goes by this name, also where bundlers gave it one.
func isZodName(name string) bool {
	return name == "z" || strings.HasPrefix(name, "zod") || strings.HasPrefix(name, "external_exports") || len(name) == 2 && name[0] == 'z' && name[1] <= '9'
}

// zodImport reports whether a name is imported from zod, whatever it is called here.
func zodImport(x *ir.Expr) bool {
	bindings, _ := x.Scope.Find(x.Text)
	if len(bindings) != 1 || bindings[0].Import == nil {
		return false
	}
	m := bindings[0].Import.Module
	return m == "zod" || strings.HasPrefix(m, "zod/")
}

// makers are zod's functions for values of one type of JSON.
var makers = map[string]string{
	"string": "string", "number": "number", "int": "integer", "int32": "integer", "uint32": "integer", "float32": "number", "float64": "number",
	"bigint": "integer", "boolean": "boolean", "stringbool": "string", "email": "string", "url": "string", "uuid": "string", "guid": "string",
	"cuid": "string", "cuid2": "string", "ulid": "string", "nanoid": "string", "base64": "string", "base64url": "string", "ipv4": "string", "ipv6": "string",
	"jwt": "string", "emoji": "string", "date": "string", "datetime": "string", "time": "string", "duration": "string", "templateLiteral": "string",
	"null": "null", "httpUrl": "string", "hostname": "string",
}

// bounds are checks whose argument JSON Schema has a word for, by type.
var bounds = map[string]map[string]string{
	"string": {"min": "minLength", "max": "maxLength"},
	"number": {"min": "minimum", "max": "maximum", "gte": "minimum", "lte": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "multipleOf": "multipleOf"},
	"array":  {"min": "minItems", "max": "maxItems"},
}

func (r *reader) zod(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	if x == nil || x.X == nil || !r.spend(depth) {
		r.unread()
		return zodSchema{schema: object{}}
	}
	if x.Kind != ir.Call || x.X.Kind != ir.Attr {
		return zodSchema{schema: object{}}
	}
	if of := x.X.X; of.Kind == ir.Name && isSchemaMaker(x) || of.Kind == ir.Attr && (of.Text == "coerce" || of.Text == "z" || of.Text == "iso") {
		if _, _, of := r.continued(of, c); !of {
			return r.maker(x, c, depth)
		}
	}
	return r.modified(x, c, depth)
}

// continued returns what a name stands for where that is a chain itself: const path = z.string().
func (r *reader) continued(x *ir.Expr, c callgraph.Context) (*ir.Expr, callgraph.Context, bool) {
	d, in := r.written(x, c)
	return d, in, d != x && isSchemaMaker(d)
}

// inner reads what a method of zod is called on, or is given.
func (r *reader) inner(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	if x == nil {
		return zodSchema{schema: object{}}
	}
	if isSchemaMaker(x) {
		return r.zod(x, c, depth+1)
	}
	return r.field(x, c, depth+1)
}

func (r *reader) maker(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	arg := func(i int) *ir.Expr {
		if i < len(x.Args) {
			return x.Args[i].Value
		}
		return nil
	}
	name := x.X.Text
	if kind := makers[name]; kind != "" {
		return zodSchema{schema: typed(kind)}
	}
	switch name {
	case "object", "strictObject", "looseObject":
		if arg(0) == nil {
			return zodSchema{schema: shaped(object{}, nil)}
		}
		if d, in := r.written(arg(0), c); d.Kind == ir.Object {
			if len(d.Args) == 0 && d != arg(0) { // const shape = {}, which the program fills
				r.unread()
			}
			s, _ := r.shape(d, in, depth+1).(object)
			return zodSchema{schema: s}
		}
		s, _ := r.schema(arg(0), c, depth+1).(object)
		return zodSchema{schema: s}
	case "array", "set":
		return zodSchema{schema: typed("array").with("items", r.withinItems(arg(0), c, depth))}
	case "tuple":
		return zodSchema{schema: typed("array")}
	case "record", "map", "partialRecord":
		return zodSchema{schema: typed("object")}
	case "enum", "nativeEnum":
		return zodSchema{schema: r.enum(arg(0), c, depth)}
	case "literal":
		if v, ok := r.plain(arg(0), c, depth+1); ok {
			return zodSchema{schema: object{{"const", v}}}
		}
		r.unread()
		return zodSchema{schema: object{}}
	case "union", "discriminatedUnion":
		return r.union(x, c, depth)
	case "optional", "nullish":
		s := r.inner(arg(0), c, depth)
		s.optional = true
		return s
	case "nullable", "lazy", "readonly":
		return r.inner(arg(0), c, depth)
	case "preprocess":
		return r.inner(arg(1), c, depth)
	case "any", "unknown":
		return zodSchema{schema: object{}, optional: true}
	case "custom", "instanceof":
		return zodSchema{schema: object{}}
	}
	r.unread()
	return zodSchema{schema: object{}}
}

func (r *reader) withinItems(x *ir.Expr, c callgraph.Context, depth int) any {
	return r.within("items", func() any { return r.inner(x, c, depth).schema })
}

func (r *reader) enum(x *ir.Expr, c callgraph.Context, depth int) object {
	v, ok := r.plain(x, c, depth+1)
	list, isList := v.([]any)
	if o, isObject := v.(object); isObject {
		for _, m := range o {
			list = append(list, m.value)
		}
		isList = true
	}
	if !ok || !isList {
		r.unread()
		return typed("string")
	}
	return typed("string").with("enum", list)
}

func (r *reader) union(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	out := []any{}
	for _, a := range x.Args {
		d, in := r.written(a.Value, c)
		if d.Kind != ir.List {
			continue
		}
		for _, m := range d.Args {
			out = append(out, r.inner(m.Value, in, depth).schema)
		}
	}
	return zodSchema{schema: object{{"anyOf", out}}}
}

// modified reads a call that changes a schema: .optional(), .describe("…").
func (r *reader) modified(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	of, in := x.X.X, c
	if d, at, ok := r.continued(of, c); ok {
		of, in = d, at
	}
	s := r.inner(of, in, depth)
	var arg *ir.Expr
	if len(x.Args) > 0 {
		arg = x.Args[0].Value
	}
	switch x.X.Text {
	case "optional", "nullish":
		s.optional = true
	case "default", "prefault", "catch":
		s.optional = true
		if v, ok := r.plain(arg, c, depth+1); ok && x.X.Text != "catch" {
			s.schema = s.schema.with("default", v)
		}
	case "describe":
		s.schema = r.described(s.schema, arg, c)
	case "meta":
		if d, in := r.written(orCall(arg, x), c); d.Kind == ir.Object {
			for _, m := range d.Args {
				if m.Name == "description" {
					s.schema = r.described(s.schema, m.Value, in)
				}
			}
		}
	case "array":
		s.schema = typed("array").with("items", s.schema)
	case "int":
		s.schema = s.schema.with("type", "integer")
	case "or":
		s = zodSchema{schema: object{{"anyOf", []any{s.schema, r.inner(arg, c, depth).schema}}}}
	case "extend", "safeExtend", "merge", "augment", "and", "setKey":
		s.schema = r.extended(s.schema, arg, c, depth)
	case "partial":
		s.schema = shapedOf(s.schema, nil)
	case "pick", "omit":
		s.schema = r.picked(s.schema, arg, c, x.X.Text == "pick")
	case "required":
		var names []string
		properties, _ := s.schema.get("properties").(object)
		for _, m := range properties {
			names = append(names, m.name)
		}
		s.schema = shapedOf(s.schema, names)
	case "keyof", "element", "unwrap":
		r.unread()
		s = zodSchema{schema: object{}}
	default:
		s.schema = r.bounded(s.schema, x.X.Text, arg)
	}
	return s
}

func orCall(arg, x *ir.Expr) *ir.Expr {
	if arg == nil {
		return x
	}
	return arg
}

func (r *reader) described(s object, x *ir.Expr, c callgraph.Context) object {
	text, ok := r.text(x, c)
	if !ok {
		r.within("description", func() any { r.unread(); return nil })
		return s
	}
	return s.with("description", text)
}

// bounded adds a limit that JSON Schema has a word for.
func (r *reader) bounded(s object, check string, arg *ir.Expr) object {
	kind, _ := s.get("type").(string)
	if kind == "integer" {
		kind = "number"
	}
	word := bounds[kind][check]
	if word == "" || arg == nil {
		return s
	}
	if v, ok := scalar(arg); ok {
		return s.with(word, v)
	}
	return s
}

func shapedOf(s object, required []string) object {
	properties, _ := s.get("properties").(object)
	return shaped(properties, required)
}

func (r *reader) extended(s object, arg *ir.Expr, c callgraph.Context, depth int) object {
	more := r.objectOf(arg, c, depth)
	properties, _ := s.get("properties").(object)
	required, _ := s.get("required").([]string)
	added, _ := more.get("properties").(object)
	names, _ := more.get("required").([]string)
	for _, m := range added {
		properties = properties.with(m.name, m.value)
		required = slices.DeleteFunc(slices.Clone(required), func(n string) bool { return n == m.name })
	}
	return shaped(properties, append(required, names...))
}

// objectOf reads a shape or a schema.
func (r *reader) objectOf(x *ir.Expr, c callgraph.Context, depth int) object {
	s, _ := r.schema(x, c, depth+1).(object)
	return s
}

func (r *reader) picked(s object, arg *ir.Expr, c callgraph.Context, keep bool) object {
	v, _ := r.plain(arg, c, 0)
	chosen, _ := v.(object)
	properties, _ := s.get("properties").(object)
	required, _ := s.get("required").([]string)
	var out object
	for _, m := range properties {
		if (chosen.get(m.name) != nil) == keep {
			out = append(out, m)
		}
	}
	return shaped(out, slices.DeleteFunc(slices.Clone(required), func(n string) bool { return (chosen.get(n) != nil) != keep }))
}
