package declared

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// isSchemaMaker reports whether an expression is a chain of calls that begins with zod: z.string().min(1).
func (r *Reader) isSchemaMaker(x *ir.Expr) bool {
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
			return x.Kind == ir.Name && (isZodName(x.Text) || strings.HasPrefix(r.g.Outside(x, nowhere), "zod"))
		}
	}
	return false
}

// isZodName reports whether zod goes by this name, also where bundlers gave it one.
func isZodName(name string) bool {
	return name == "z" || strings.HasPrefix(name, "zod") || strings.HasPrefix(name, "external_exports") || len(name) == 2 && name[0] == 'z' && name[1] <= '9'
}

// makers are zod's functions for values of one type of JSON.
var makers = map[string]string{
	"string": "string", "number": "number", "int": "integer", "int32": "integer", "uint32": "integer", "float32": "number", "float64": "number",
	"bigint": "integer", "boolean": "boolean", "stringbool": "string", "email": "string", "url": "string", "uuid": "string", "guid": "string",
	"cuid": "string", "cuid2": "string", "ulid": "string", "nanoid": "string", "base64": "string", "base64url": "string", "ipv4": "string", "ipv6": "string",
	"jwt": "string", "emoji": "string", "date": "string", "datetime": "string", "time": "string", "duration": "string", "templateLiteral": "string",
	"null": "null", "httpUrl": "string", "hostname": "string",
}

var (
	// boundedMakers are those of values that hold no text of the caller's choosing.
	boundedMakers = callgraph.Names("number int int32 uint32 float32 float64 bigint boolean stringbool enum nativeEnum literal date null undefined void nan symbol")
	// openMakers are those of values of any kind, objects among them.
	openMakers = callgraph.Names("any unknown record json looseRecord partialRecord")
	// plainTexts are checks of texts whose form leaves nothing to choose but letters, digits and "-".
	plainTexts = callgraph.Names("uuid uuidv4 guid cuid cuid2 ulid nanoid datetime date time duration base64url xid ksuid hex")
	// addresses are checks of texts that the URL of JavaScript can read.
	addresses = callgraph.Names("url httpUrl")
)

// limits are checks whose argument JSON Schema has a word for, by type.
var limits = map[string]map[string]string{
	"string": {"min": "minLength", "max": "maxLength"},
	"number": {"min": "minimum", "max": "maximum", "gte": "minimum", "lte": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "multipleOf": "multipleOf"},
	"array":  {"min": "minItems", "max": "maxItems"},
}

func (r *Reader) zod(x *ir.Expr, c callgraph.Context, depth int) schema {
	if x == nil || x.X == nil || !r.spend(depth) {
		r.unread()
		return schema{json: object{}}
	}
	if x.Kind != ir.Call || x.X.Kind != ir.Attr {
		return schema{json: object{}}
	}
	if of := x.X.X; of.Kind == ir.Name && r.isSchemaMaker(x) || of.Kind == ir.Attr && (of.Text == "coerce" || of.Text == "z" || of.Text == "iso") {
		if _, _, of := r.continued(of, c); !of {
			s := r.maker(x, c, depth)
			name, form := x.X.Text, x.X.X.Text == "iso"
			s.Gone = s.Gone || boundedMakers[name] && !form
			s.Free = s.Free || openMakers[name] || name == "looseObject"
			s.Open = s.Open || openMakers[name]
			s.Plain = s.Plain || plainTexts[name] && !s.Gone
			s.Address = s.Address || addresses[name]
			s.Text = s.Text || s.json.get("type") == "string" && !s.Gone
			return s
		}
	}
	return r.modified(x, c, depth)
}

// continued returns what a name stands for where that is a chain itself: const path = z.string().
func (r *Reader) continued(x *ir.Expr, c callgraph.Context) (*ir.Expr, callgraph.Context, bool) {
	d, in := r.written(x, c)
	return d, in, d != x && r.isSchemaMaker(d)
}

// inner reads what a method of zod is called on, or is given.
func (r *Reader) inner(x *ir.Expr, c callgraph.Context, depth int) schema {
	if x == nil {
		return schema{json: object{}}
	}
	if r.isSchemaMaker(x) {
		return r.zod(x, c, depth+1)
	}
	return r.field(x, c, depth+1)
}

func (r *Reader) maker(x *ir.Expr, c callgraph.Context, depth int) schema {
	name := x.X.Text
	if kind := makers[name]; kind != "" {
		return schema{json: typed(kind)}
	}
	switch name {
	case "object", "strictObject", "looseObject":
		s := schema{json: shaped(object{}, nil)}
		if first := x.Arg(0); first != nil {
			if d, in := r.written(first, c); d.Kind == ir.Object {
				if len(d.Args) == 0 && d != first { // const shape = {}, which the program fills
					r.unread()
				}
				s = r.shape(d, in, depth+1)
			} else {
				s = r.schema(first, c, depth+1)
			}
		}
		s.Open, s.optional = true, false
		return s
	case "array", "set":
		return listOf(within(r, "items", func() schema { return r.inner(x.Arg(0), c, depth) }))
	case "tuple":
		return schema{json: typed("array")}
	case "record", "map", "partialRecord":
		return schema{json: typed("object")}
	case "enum", "nativeEnum":
		return schema{json: r.enum(x.Arg(0), c, depth)}
	case "literal":
		if v, ok := r.plain(x.Arg(0), c, depth+1); ok {
			return schema{json: object{{"const", v}}}
		}
		r.unread()
	case "union", "discriminatedUnion":
		return r.union(x, c, depth)
	case "optional", "nullish":
		s := r.inner(x.Arg(0), c, depth)
		s.optional = true
		return s
	case "nullable", "lazy", "readonly":
		return r.inner(x.Arg(0), c, depth)
	case "preprocess", "pipe": // what comes out fits the last schema
		return r.inner(x.Arg(1), c, depth)
	case "any", "unknown":
		return schema{json: object{}, optional: true}
	case "custom", "instanceof":
	default:
		r.unread()
	}
	return schema{json: object{}}
}

func listOf(s schema) schema {
	return schema{json: typed("array").with("items", s.json), Bound: Bound{Members: map[string]*Bound{"*": &s.Bound}}}
}

func (r *Reader) enum(x *ir.Expr, c callgraph.Context, depth int) object {
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

func (r *Reader) union(x *ir.Expr, c callgraph.Context, depth int) schema {
	var all []schema
	for _, a := range x.Args {
		d, in := r.written(a.Value, c)
		if d.Kind != ir.List {
			continue
		}
		for _, m := range d.Args {
			all = append(all, r.inner(m.Value, in, depth))
		}
	}
	return anyOf(all)
}

// modified reads a call that changes a schema: .optional(), .describe("…").
func (r *Reader) modified(x *ir.Expr, c callgraph.Context, depth int) schema {
	of, in := x.X.X, c
	if d, at, ok := r.continued(of, c); ok {
		of, in = d, at
	}
	s := r.inner(of, in, depth)
	arg := x.Arg(0)
	switch x.X.Text {
	case "optional", "nullish", "catch":
		s.optional = true
	case "default", "prefault":
		s.json, s.optional = r.worded(s.json, "default", arg, c), true
	case "describe":
		s.json = r.described(s.json, arg, c)
	case "meta":
		if arg == nil {
			break
		}
		if d, in := r.written(arg, c); d.Kind == ir.Object {
			if text := d.Member("description"); text != nil {
				s.json = r.described(s.json, text, in)
			}
		}
	case "array":
		s = listOf(s)
	case "int":
		s.json = s.json.with("type", "integer")
	case "or":
		s = anyOf([]schema{s, r.inner(arg, c, depth)})
	case "extend", "safeExtend", "merge", "augment", "and", "setKey":
		s.addMembers(r.schema(arg, c, depth+1))
	case "partial":
		s.json = shaped(s.json.properties(), nil)
	case "pick", "omit":
		s.json = r.picked(s.json, arg, c, x.X.Text == "pick")
	case "required":
		s.json = shaped(s.json.properties(), s.json.properties().names())
	case "keyof", "element", "unwrap":
		r.unread()
		s = schema{json: object{}}
	case "pipe": // what comes out fits the other schema
		s.Bound = r.inner(arg, c, depth).Bound
	case "transform", "preprocess", "catchall":
		s.Bound = Bound{Members: s.Members}
	case "regex":
		s.Patterns = append(slices.Clip(s.Patterns), arg)
	case "refine", "superRefine", "check":
		s.Checks = append(slices.Clip(s.Checks), Check{arg, x.X.Text != "refine"})
	default:
		s.json = limited(s.json, x.X.Text, arg)
		s.Plain = s.Plain || plainTexts[x.X.Text]
		s.Address = s.Address || addresses[x.X.Text]
	}
	return s
}

func (r *Reader) described(s object, x *ir.Expr, c callgraph.Context) object {
	text, ok := r.text(x, c)
	if !ok {
		within(r, "description", r.unread)
		return s
	}
	return s.with("description", text)
}

// worded sets a word of JSON Schema, where its value is known.
func (r *Reader) worded(s object, word string, x *ir.Expr, c callgraph.Context) object {
	if v, ok := r.plain(x, c, 1); ok {
		return s.with(word, v)
	}
	return s
}

// limited adds a limit that JSON Schema has a word for.
func limited(s object, check string, arg *ir.Expr) object {
	kind, _ := s.get("type").(string)
	if kind == "integer" {
		kind = "number"
	}
	word := limits[kind][check]
	if word == "" || arg == nil {
		return s
	}
	if v, ok := scalar(arg); ok {
		return s.with(word, v)
	}
	return s
}

func (r *Reader) picked(s object, arg *ir.Expr, c callgraph.Context, keep bool) object {
	v, _ := r.plain(arg, c, 0)
	chosen, _ := v.(object)
	var out object
	for _, m := range s.properties() {
		if (chosen.get(m.name) != nil) == keep {
			out = append(out, m)
		}
	}
	return shaped(out, slices.DeleteFunc(slices.Clone(s.required()), func(n string) bool { return (chosen.get(n) != nil) != keep }))
}
