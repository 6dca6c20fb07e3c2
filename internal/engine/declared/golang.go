package declared

import (
	"reflect"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// goParameters reads the struct that a handler of the official SDK takes: its last parameter.
func (r *Reader) goParameters(fn *ir.Func) {
	var last *ir.Param
	for _, p := range fn.Params {
		if p.Index >= 0 {
			last = p
		}
	}
	if last == nil || last.Type == nil || last.Index < 2 {
		return
	}
	if class := r.g.ClassOf(last.Type, nowhere); class != nil {
		r.setSchema(schema{json: r.goStruct(class, 0)})
	}
}

// goStruct reads a struct as encoding/json and the SDK's tag "jsonschema" do.
func (r *Reader) goStruct(c *ir.Class, depth int) object {
	if !r.spend(depth) {
		r.unread()
		return nil
	}
	properties, required := object{}, []string(nil)
	for _, f := range c.Noted {
		tag := reflect.StructTag(f.Tag)
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		switch {
		case name == "-" || f.Name != "" && !isExported(f.Name):
			continue
		case f.Name == "" && name == "":
			o := r.goType(f.Type, depth+1)
			properties, required = append(properties, o.properties()...), append(required, o.required()...)
			continue
		case name == "":
			name = f.Name
		}
		within(r, "properties/"+name, func() any {
			s := r.goType(f.Type, depth+1)
			needed := !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
			s, needed = tagged(s, tag.Get("jsonschema"), needed)
			if text := tag.Get("jsonschema_description"); text != "" {
				s = s.with("description", text)
			}
			properties = properties.with(name, s)
			if needed {
				required = append(required, name)
			}
			return nil
		})
	}
	return shaped(properties, required)
}

func isExported(name string) bool { return strings.ToUpper(name[:1]) == name[:1] }

// tagged adds what the tag "jsonschema" says: of the official SDK the description itself, of others a list of settings.
func tagged(s object, tag string, needed bool) (object, bool) {
	if tag == "" {
		return s, needed
	}
	if !strings.Contains(tag, "description=") && tag != "required" && !strings.HasPrefix(tag, "required,") {
		return s.with("description", tag), needed
	}
	for _, part := range strings.Split(tag, ",") {
		if part == "required" {
			needed = true
		}
		if text, ok := strings.CutPrefix(part, "description="); ok {
			s = s.with("description", text)
		}
	}
	return s, needed
}

// goTypes are types that JSON has.
var goTypes = map[string]string{"string": "string", "bool": "boolean", "float64": "number", "float32": "number", "int": "integer", "int8": "integer", "int16": "integer",
	"int32": "integer", "int64": "integer", "uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer"}

func (r *Reader) goType(x *ir.Expr, depth int) object {
	if x == nil || !r.spend(depth) {
		return object{}
	}
	switch {
	case x.Kind == ir.List && x.Text == "map":
		return typed("object")
	case x.Kind == ir.List && len(x.Args) == 1:
		return typed("array").with("items", within(r, "items", func() object { return r.goType(x.Args[0].Value, depth+1) }))
	case x.Kind == ir.Type && x.X != nil && x.X.Kind == ir.Name && goTypes[x.X.Text] != "":
		return typed(goTypes[x.X.Text])
	}
	switch class := r.g.ClassOf(x, nowhere); {
	case class == nil:
		return object{}
	case len(class.Noted) == 0 && len(class.Bases) == 1: // type Color string
		return r.goType(class.Bases[0], depth+1)
	default:
		return r.goStruct(class, depth+1)
	}
}

// optionTypes are the options of mcp-go that add a parameter.
var optionTypes = map[string]string{"WithString": "string", "WithNumber": "number", "WithBoolean": "boolean", "WithArray": "array", "WithObject": "object", "WithInteger": "integer"}

// goOptions reads mcp.NewTool("x", mcp.WithDescription("…"), mcp.WithString("path", mcp.Required())).
func (r *Reader) goOptions(x *ir.Expr, c callgraph.Context) {
	properties, required := object{}, []string(nil)
	var annotations object
	for _, a := range x.Args[min(1, len(x.Args)):] {
		if a.Spread || a.Value == nil || a.Value.Kind != ir.Call || len(a.Value.Args) == 0 {
			r.unread()
			continue
		}
		option, first := a.Value, a.Value.Args[0].Value
		name := option.Calls()
		switch kind := optionTypes[name]; {
		case name == "WithDescription":
			r.setDescription(first, c)
		case name == "WithTitleAnnotation":
			r.out.Title, _ = r.text(first, c)
		case name == "WithToolAnnotation":
			r.setAnnotations(first, c)
		case strings.HasPrefix(name, "With") && strings.HasSuffix(name, "HintAnnotation"):
			if v, ok := r.plain(first, c, 0); ok {
				annotations = annotations.with(lowerFirstLetter(strings.TrimSuffix(strings.TrimPrefix(name, "With"), "Annotation")), v)
			}
		case kind != "":
			parameter, ok := r.text(first, c)
			if !ok {
				r.unread()
				continue
			}
			within(r, "properties/"+parameter, func() any {
				s, needed := r.goProperty(typed(kind), option.Args[1:], c)
				properties = properties.with(parameter, s)
				if needed {
					required = append(required, parameter)
				}
				return nil
			})
		case slices.Contains([]string{"WithOutputSchema", "WithRawOutputSchema", "WithSchemaAdditionalProperties", "WithIcons", "WithDeferLoading"}, name):
		default: // WithInputSchema[T]() and options of the program
			r.unread()
		}
	}
	if annotations != nil {
		r.out.Annotations = encode(annotations)
	}
	r.setSchema(schema{json: shaped(properties, required)})
}

// propertyWords are options of a parameter that JSON Schema has a word for.
var propertyWords = map[string]string{"DefaultString": "default", "DefaultNumber": "default", "DefaultBool": "default", "Min": "minimum", "Max": "maximum", "Pattern": "pattern",
	"MaxLength": "maxLength", "MinLength": "minLength", "Title": "title", "Items": "items", "WithStringItems": "items"}

func (r *Reader) goProperty(s object, options []ir.Arg, c callgraph.Context) (_ object, needed bool) {
	for _, o := range options {
		if o.Value == nil || o.Value.Kind != ir.Call {
			r.unread()
			continue
		}
		var first *ir.Expr
		if len(o.Value.Args) > 0 {
			first = o.Value.Args[0].Value
		}
		switch name := o.Value.Calls(); {
		case name == "Required":
			needed = true
		case name == "Description":
			s = r.described(s, first, c)
		case name == "Enum":
			list, _ := r.plainList(o.Value, c, 1)
			s = s.with("enum", list)
		case propertyWords[name] != "":
			if v, ok := r.plain(first, c, 0); ok {
				s = s.with(propertyWords[name], v)
			}
		}
	}
	return s, needed
}
