package declared

import (
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// schema reads a schema in any form. A part that is not known is noted, and nil or open.
func (r *Reader) schema(x *ir.Expr, c callgraph.Context, depth int) schema {
	if x == nil || !r.spend(depth) {
		return r.unread()
	}
	if r.isSchemaMaker(x) {
		return r.zod(x, c, depth)
	}
	d, in := r.written(x, c)
	switch d.Kind {
	case ir.Object, ir.New:
		if r.isJSONSchema(d) {
			return schema{json: r.jsonSchema(d, in, depth)}
		}
		return r.shape(d, in, depth)
	case ir.Call:
		return r.schemaOfCall(d, in, depth)
	case ir.Attr:
		if d.Text == "shape" || d.Text == "_def" {
			return r.schema(d.X, in, depth+1)
		}
		if table, at := r.g.Written(d.X, in); table.Is(ir.Object) && table.Member(d.Text) != nil { // of schemas by tool
			return r.schema(table.Member(d.Text), at, depth+1)
		}
	}
	if class := r.g.ClassOf(x, c); class != nil {
		return r.model(class, depth)
	}
	return r.unread()
}

// schemaOfCall reads what a call makes: a chain of zod, a conversion of one, a model's schema. What is converted is listed, and no SDK
// compares it with anything.
func (r *Reader) schemaOfCall(x *ir.Expr, c callgraph.Context, depth int) schema {
	if r.isSchemaMaker(x) {
		return r.zod(x, c, depth)
	}
	word := strings.ToLower(strings.ReplaceAll(x.Calls(), "_", ""))
	switch {
	case strings.Contains(word, "jsonschema") && len(x.Args) > 0: // zodToJsonSchema(S), z.toJSONSchema(S)
		return schema{json: r.schema(x.Args[0].Value, c, depth+1).json}
	case x.X != nil && x.X.Kind == ir.Attr && (word == "modeljsonschema" || word == "schema") && len(x.Args) == 0: // Model.model_json_schema()
		return schema{json: r.schema(x.X.X, c, depth+1).json}
	}
	return r.unread()
}

// schemaWords are members that a JSON Schema of an object has and a shape rarely.
var schemaWords = []string{"properties", "$ref", "$schema", "anyOf", "oneOf", "allOf", "Properties", "additionalProperties"}

// isJSONSchema reports whether an object is JSON Schema, and no shape whose members are schemas.
func (r *Reader) isJSONSchema(o *ir.Expr) bool {
	if o.HasMember(schemaWords...) {
		return true
	}
	for _, a := range o.Args {
		if (a.Name == "type" || a.Name == "Type") && a.Value != nil && !r.isSchemaMaker(a.Value) {
			return a.Value.Kind != ir.Object
		}
	}
	return false
}

// jsonSchema reads JSON Schema as it is written; what is not known in it is left out and noted.
func (r *Reader) jsonSchema(d *ir.Expr, c callgraph.Context, depth int) object {
	out := object{}
	for _, a := range d.Args {
		name := a.Name
		switch {
		case a.Value == nil:
			continue
		case a.Spread:
			out = out.joined(r.schema(a.Value, c, depth+1).json)
			continue
		case d.Kind == ir.New: // of Go: Properties
			name = lowerFirstLetter(name)
		}
		switch name {
		case "properties", "$defs", "definitions", "patternProperties":
			out = out.with(name, within(r, name, func() object { return r.properties(a.Value, c, depth+1) }))
		case "items", "additionalProperties", "not":
			if v, ok := scalar(a.Value); ok {
				out = out.with(name, v)
			} else if s := within(r, name, func() schema { return r.schema(a.Value, c, depth+1) }); s.json != nil {
				out = out.with(name, s.json)
			}
		default:
			v, ok := r.plain(a.Value, c, depth+1)
			if !ok {
				within(r, name, r.unread)
			}
			if v != nil {
				out = out.with(name, v)
			}
		}
	}
	return out
}

// properties reads an object of JSON Schemas by name.
func (r *Reader) properties(x *ir.Expr, c callgraph.Context, depth int) object {
	d, in := r.written(x, c)
	if d.Kind != ir.Object && d.Kind != ir.New || !r.spend(depth) {
		r.unread()
		return object{}
	}
	out := object{}
	for _, a := range d.Args {
		switch {
		case a.Value == nil:
		case a.Spread:
			out = out.joined(r.properties(a.Value, in, depth+1))
		default:
			if name, ok := r.key(a, in); ok {
				out = out.with(name, within(r, name, func() object { return r.property(a.Value, in, depth+1) }))
			} else {
				r.unread()
			}
		}
	}
	return out
}

// property reads one of them; one without type is open, and no shape.
func (r *Reader) property(x *ir.Expr, c callgraph.Context, depth int) object {
	if d, in := r.written(x, c); d.Kind == ir.Object || d.Kind == ir.New {
		return r.jsonSchema(d, in, depth)
	}
	if s := r.schema(x, c, depth); s.json != nil {
		return s.json
	}
	return object{}
}

// shape reads an object whose members are schemas: { path: z.string() }.
func (r *Reader) shape(d *ir.Expr, c callgraph.Context, depth int) schema {
	out := noMembers()
	for _, a := range d.Args {
		switch {
		case a.Value == nil || !r.spend(depth):
		case a.Spread:
			out.addMembers(r.schema(a.Value, c, depth+1))
		case a.Name == "":
			r.unread()
		default:
			out.addMember(a.Name, within(r, "properties/"+a.Name, func() schema { return r.field(a.Value, c, depth+1) }))
		}
	}
	return out
}

func (r *Reader) field(x *ir.Expr, c callgraph.Context, depth int) schema {
	d, in := x, c
	if !r.isSchemaMaker(d) {
		d, in = r.written(x, c)
	}
	if r.isSchemaMaker(d) {
		return r.zod(d, in, depth)
	}
	if d.Kind == ir.Object && r.isJSONSchema(d) {
		return schema{json: r.jsonSchema(d, in, depth)}
	}
	r.unread()
	return schema{json: object{}, optional: true}
}
