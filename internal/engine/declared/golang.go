package declared

import (
	"go/token"
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
		r.setSchema(r.model(class, 0))
	}
}

// goStruct reads a struct as encoding/json and the SDK's tag "jsonschema" do.
func (r *Reader) goStruct(c *ir.Class, depth int) schema {
	out := noMembers()
	for _, f := range c.Noted {
		tag := reflect.StructTag(f.Tag)
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		switch {
		case name == "-" || f.Name != "" && !token.IsExported(f.Name):
			continue
		case f.Name == "" && name == "":
			out.addMembers(r.goType(f.Type, depth+1))
			continue
		case name == "":
			name = f.Name
		}
		out.addMember(name, within(r, "properties/"+name, func() schema {
			s := r.goType(f.Type, depth+1)
			s.optional = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
			s.setTag(tag.Get("jsonschema"))
			if text := tag.Get("jsonschema_description"); text != "" {
				s.json = s.json.with("description", text)
			}
			return s
		}))
		if f.Name != "" { // as the program has it
			out.Members[f.Name] = out.Members[name]
		}
	}
	return out
}

// setTag adds what the tag "jsonschema" says: of the official SDK the description itself, of others a list of settings.
func (s *schema) setTag(tag string) {
	if tag != "" && !strings.Contains(tag, "description=") && tag != "required" && !strings.HasPrefix(tag, "required,") {
		s.json = s.json.with("description", tag)
		return
	}
	for _, part := range strings.Split(tag, ",") {
		s.optional = s.optional && part != "required"
		if text, ok := strings.CutPrefix(part, "description="); ok {
			s.json = s.json.with("description", text)
		}
	}
}

// goTypes are types that JSON has.
var goTypes = map[string]string{"string": "string", "bool": "boolean", "float64": "number", "float32": "number", "int": "integer", "int8": "integer", "int16": "integer",
	"int32": "integer", "int64": "integer", "uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer"}

func (r *Reader) goType(x *ir.Expr, depth int) schema {
	anything := schema{json: object{}, Bound: *Anything}
	switch {
	case x == nil || !r.spend(depth):
		return anything
	case x.Kind == ir.List && x.Text == "map":
		return schema{json: typed("object"), Bound: *Anything}
	case x.Kind == ir.List && len(x.Args) == 1:
		return listOf(within(r, "items", func() schema { return r.goType(x.Args[0].Value, depth+1) }))
	case x.Kind == ir.Type && x.X != nil && x.X.Kind == ir.Name && goTypes[x.X.Text] != "":
		return schema{json: typed(goTypes[x.X.Text]), Bound: Bound{Gone: x.X.Text != "string", Text: x.X.Text == "string"}}
	case x.X.Is(ir.Name) && x.X.Text == "any":
		return anything
	}
	switch class := r.g.ClassOf(x, nowhere); {
	case class == nil:
		return schema{json: object{}}
	case len(class.Noted) == 0 && len(class.Bases) == 1: // type Color string
		return r.goType(class.Bases[0], depth+1)
	default:
		return r.model(class, depth+1)
	}
}

// optionTypes are the options of mcp-go that add a parameter.
var optionTypes = map[string]string{"WithString": "string", "WithNumber": "number", "WithBoolean": "boolean", "WithArray": "array", "WithObject": "object", "WithInteger": "integer"}

// goOptions reads mcp.NewTool("x", mcp.WithDescription("…"), mcp.WithString("path", mcp.Required())).
func (r *Reader) goOptions(x *ir.Expr, c callgraph.Context) {
	out := noMembers()
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
			annotations = r.worded(annotations, lowerFirstLetter(strings.TrimSuffix(strings.TrimPrefix(name, "With"), "Annotation")), first, c)
		case kind != "":
			parameter, ok := r.text(first, c)
			if !ok {
				r.unread()
				continue
			}
			out.addMember(parameter, within(r, "properties/"+parameter, func() schema { return r.goProperty(typed(kind), option.Args[1:], c) }))
		case slices.Contains([]string{"WithOutputSchema", "WithRawOutputSchema", "WithSchemaAdditionalProperties", "WithIcons", "WithDeferLoading"}, name):
		default: // WithInputSchema[T]() and options of the program
			r.unread()
		}
	}
	if annotations != nil {
		r.out.Annotations = encode(annotations)
	}
	r.setSchema(out)
}

// propertyWords are options of a parameter that JSON Schema has a word for.
var propertyWords = map[string]string{"DefaultString": "default", "DefaultNumber": "default", "DefaultBool": "default", "Min": "minimum", "Max": "maximum", "Pattern": "pattern",
	"MaxLength": "maxLength", "MinLength": "minLength", "Title": "title", "Items": "items", "WithStringItems": "items"}

func (r *Reader) goProperty(json object, options []ir.Arg, c callgraph.Context) schema {
	s := schema{json: json, optional: true}
	for _, o := range options {
		if o.Value == nil || o.Value.Kind != ir.Call {
			r.unread()
			continue
		}
		first := o.Value.Arg(0)
		switch name := o.Value.Calls(); {
		case name == "Required":
			s.optional = false
		case name == "Description":
			s.json = r.described(s.json, first, c)
		case name == "Enum":
			list, _ := r.plainList(o.Value, c, 1)
			s.json = s.json.with("enum", list)
		case propertyWords[name] != "":
			s.json = r.worded(s.json, propertyWords[name], first, c)
		}
	}
	return s
}
