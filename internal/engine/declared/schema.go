package declared

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// schema reads a schema in any form. A part that is not known is noted, and nil or open.
func (r *reader) schema(x *ir.Expr, c callgraph.Context, depth int) any {
	if x == nil || !r.spend(depth) {
		r.unread()
		return nil
	}
	if isSchemaMaker(x) {
		return r.schemaOfCall(x, c, depth)
	}
	d, in := r.written(x, c)
	switch d.Kind {
	case ir.Object, ir.New:
		if isJSONSchema(d) {
			return r.jsonSchema(d, in, depth)
		}
		return r.shape(d, in, depth)
	case ir.Call:
		return r.schemaOfCall(d, in, depth)
	case ir.Attr:
		if d.Text == "shape" || d.Text == "_def" {
			return r.schema(d.X, in, depth+1)
		}
	}
	for _, v := range r.g.Values(x, c) {
		if v.Class != nil {
			return r.model(v.Class, depth)
		}
	}
	r.unread()
	return nil
}

// schemaOfCall reads what a call makes: a chain of zod, a conversion of one, a model's schema.
func (r *reader) schemaOfCall(x *ir.Expr, c callgraph.Context, depth int) any {
	if isSchemaMaker(x) {
		return r.zod(x, c, depth).schema
	}
	word := strings.ToLower(strings.ReplaceAll(lastWord(x), "_", ""))
	switch {
	case strings.Contains(word, "jsonschema") && len(x.Args) > 0: // zodToJsonSchema(S), z.toJSONSchema(S)
		return r.schema(x.Args[0].Value, c, depth+1)
	case x.X != nil && x.X.Kind == ir.Attr && (word == "modeljsonschema" || word == "schema") && len(x.Args) == 0: // Model.model_json_schema()
		return r.schema(x.X.X, c, depth+1)
	}
	r.unread()
	return nil
}

// schemaWords are members that a JSON Schema of an object has and a shape rarely.
var schemaWords = []string{"properties", "$ref", "$schema", "anyOf", "oneOf", "allOf", "Properties", "additionalProperties"}

// isJSONSchema reports whether an object is JSON Schema, and no shape whose members are schemas.
func isJSONSchema(o *ir.Expr) bool {
	if has(o, schemaWords) {
		return true
	}
	for _, a := range o.Args {
		if (a.Name == "type" || a.Name == "Type") && a.Value != nil && !isSchemaMaker(a.Value) {
			return a.Value.Kind != ir.Object
		}
	}
	return false
}

// jsonSchema reads JSON Schema as it is written; what is not known in it is left out and noted.
func (r *reader) jsonSchema(d *ir.Expr, c callgraph.Context, depth int) any {
	out := object{}
	for _, a := range d.Args {
		name := a.Name
		switch {
		case a.Value == nil:
			continue
		case a.Spread:
			if o, ok := r.schema(a.Value, c, depth+1).(object); ok {
				for _, m := range o {
					out = out.with(m.name, m.value)
				}
			}
			continue
		case d.Kind == ir.New: // of Go: Properties
			name = lowerFirstLetter(name)
		}
		switch name {
		case "properties", "$defs", "definitions", "patternProperties":
			out = out.with(name, r.within(name, func() any { return r.properties(a.Value, c, depth+1) }))
		case "items", "additionalProperties", "not":
			if v, ok := scalar(a.Value); ok {
				out = out.with(name, v)
			} else if s := r.within(name, func() any { return r.schema(a.Value, c, depth+1) }); s != nil {
				out = out.with(name, s)
			}
		default:
			v, ok := r.plain(a.Value, c, depth+1)
			if !ok {
				r.within(name, func() any { r.unread(); return nil })
			}
			if v != nil {
				out = out.with(name, v)
			}
		}
	}
	return out
}

// properties reads an object of JSON Schemas by name.
func (r *reader) properties(x *ir.Expr, c callgraph.Context, depth int) any {
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
			if o, ok := r.properties(a.Value, in, depth+1).(object); ok {
				for _, m := range o {
					out = out.with(m.name, m.value)
				}
			}
		default:
			name := a.Name
			if name == "" {
				var ok bool
				if name, ok = r.text(a.Key, in); !ok {
					r.unread()
					continue
				}
			}
			out = out.with(name, r.within(name, func() any { return r.property(a.Value, in, depth+1) }))
		}
	}
	return out
}

// property reads one of them; one without type is open, and no shape.
func (r *reader) property(x *ir.Expr, c callgraph.Context, depth int) any {
	if d, in := r.written(x, c); d.Kind == ir.Object || d.Kind == ir.New {
		return r.jsonSchema(d, in, depth)
	}
	if s := r.schema(x, c, depth); s != nil {
		return s
	}
	return object{}
}

// shape reads an object whose members are schemas: { path: z.string() }.
func (r *reader) shape(d *ir.Expr, c callgraph.Context, depth int) any {
	properties, required := r.members(d, c, depth)
	return shaped(properties, required)
}

func (r *reader) members(d *ir.Expr, c callgraph.Context, depth int) (properties object, required []string) {
	properties = object{}
	for _, a := range d.Args {
		switch {
		case a.Value == nil || !r.spend(depth):
		case a.Spread:
			if o, ok := r.schema(a.Value, c, depth+1).(object); ok {
				more, _ := o.get("properties").(object)
				for _, m := range more {
					properties = properties.with(m.name, m.value)
				}
				names, _ := o.get("required").([]string)
				required = append(required, names...)
			}
		case a.Name == "":
			r.unread()
		default:
			r.within("properties/"+a.Name, func() any {
				s := r.field(a.Value, c, depth+1)
				properties = properties.with(a.Name, s.schema)
				if !s.optional && !slices.Contains(required, a.Name) {
					required = append(required, a.Name)
				}
				return nil
			})
		}
	}
	return properties, required
}

// field reads a member of a shape.
func (r *reader) field(x *ir.Expr, c callgraph.Context, depth int) zodSchema {
	d, in := x, c
	if !isSchemaMaker(d) {
		d, in = r.written(x, c)
	}
	if isSchemaMaker(d) {
		return r.zod(d, in, depth)
	}
	if d.Kind == ir.Object && isJSONSchema(d) {
		s, _ := r.jsonSchema(d, in, depth).(object)
		return zodSchema{schema: s}
	}
	r.unread()
	return zodSchema{schema: object{}, optional: true}
}
