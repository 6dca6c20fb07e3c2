package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// What a server's SDK refuses before a handler runs bounds the handler's parameters: numbers, words of a list, texts that
// match a pattern. That holds for schemas that the SDK enforces, such as those of zod; a JSON Schema that a low-level server
// merely lists bounds nothing.

// A bound is what a schema says of a value.
type bound struct {
	gone    bool // nothing of it is the caller's choice: a number, one of a few words
	open    bool // it may be an object
	facts   fact
	members map[string]*bound // of an object; "*" for the elements of a list
}

const maxSchemaDepth = 12

// schemaKeys are members of a tool's declaration that hold the schema which is enforced.
var schemaKeys = []string{"inputSchema", "parameters", "schema", "paramsSchema", "argsShape", "inputs", "input", "paramsShape", "args"}

// at returns what is known at a path below: ".a.b"; nil for nothing.
func (b *bound) at(path string) *bound {
	for b != nil && path != "" {
		if b.gone {
			return b
		}
		var name string
		name, path, _ = strings.Cut(path[1:], ".")
		if path != "" {
			path = "." + path
		}
		b = b.members[name]
	}
	return b
}

// A schemaReader reads schemas as they are written.
type schemaReader struct{ a *analyzer }

// registered returns what the registration of a tool says of the handler's arguments, or nil.
func (s schemaReader) registered(at sink.Place) *bound {
	x := s.a.registration(at)
	if x == nil {
		return nil
	}
	if x.Kind == ir.Object {
		return s.declared(x)
	}
	for _, arg := range x.Args {
		if arg.Value == nil {
			continue
		}
		d := s.a.g.Written(arg.Value)
		if d.Kind == ir.Object {
			if b := s.declared(d); b != nil {
				return b
			}
			if b := s.shape(d, 0); b != nil && len(b.members) > 0 {
				return b
			}
		} else if b := s.read(d, 0); b != nil && len(b.members) > 0 {
			return b
		}
	}
	return nil
}

// ofClass returns what a tool that is a class says of the handler's arguments: in a field, or in what its constructor
// hands to the class that it extends.
func (s schemaReader) ofClass(c *ir.Class) *bound {
	for _, key := range schemaKeys {
		for _, v := range c.Fields[key] {
			if b := s.read(v, 0); b != nil && len(b.members) > 0 {
				return b
			}
		}
	}
	maker := c.Methods["constructor"]
	if maker == nil {
		return nil
	}
	for i := range maker.Body {
		x := maker.Body[i].X
		if x == nil || x.Kind != ir.Call || x.X == nil || x.X.Text != "super" {
			continue
		}
		for _, arg := range x.Args {
			if arg.Value != nil && arg.Value.Kind == ir.Object {
				if b := s.declared(arg.Value); b != nil {
					return b
				}
			}
		}
	}
	return nil
}

// registration returns the call or object at a place.
func (a *analyzer) registration(at sink.Place) *ir.Expr {
	if a.placed == nil {
		a.placed = map[sink.Place]*ir.Expr{}
		for _, list := range [][]*ir.Expr{a.g.Program().Calls, a.g.Program().Objects} {
			for _, e := range list {
				p := callgraph.PlaceOf(e)
				p.Line = 0
				a.placed[p] = e
			}
		}
	}
	at.Line = 0
	return a.placed[at]
}

// declared reads the schema in a tool's declaration.
func (s schemaReader) declared(o *ir.Expr) *bound {
	for _, key := range schemaKeys {
		for _, m := range o.Args {
			if m.Name != key || m.Value == nil {
				continue
			}
			if b := s.read(m.Value, 0); b != nil && len(b.members) > 0 {
				return b
			}
		}
	}
	return nil
}

// read reads a schema: a shape or a chain of calls that begins with z.
func (s schemaReader) read(x *ir.Expr, depth int) *bound {
	if x == nil || depth > maxSchemaDepth {
		return nil
	}
	x = s.a.g.Written(x)
	switch {
	case x.Kind == ir.Object:
		return s.shape(x, depth+1)
	case x.Kind == ir.Attr && x.Text == "shape":
		return s.read(x.X, depth+1)
	case x.Kind == ir.Call && x.X != nil:
		return s.call(x, depth)
	}
	return nil
}

// shape reads an object whose members are schemas.
func (s schemaReader) shape(o *ir.Expr, depth int) *bound {
	out := &bound{members: map[string]*bound{}}
	for _, m := range o.Args {
		switch {
		case m.Spread:
			if b := s.read(m.Value, depth+1); b != nil {
				for name, inner := range b.members {
					out.members[name] = inner
				}
			}
		case m.Name != "":
			if b := s.read(m.Value, depth+1); b != nil {
				out.members[m.Name] = b
			}
		}
	}
	return out
}

// boundedMakers are zod's makers of values that hold no text of the caller's choosing.
var boundedMakers = names("number int int32 uint32 float32 float64 bigint boolean stringbool enum nativeEnum literal date null undefined void nan symbol")

// openMakers are zod's makers of values of any kind, objects among them.
var openMakers = names("any unknown record json looseRecord partialRecord")

// plainTexts are checks of texts whose form leaves nothing to choose but letters, digits and "-".
var plainTexts = names("uuid uuidv4 guid cuid cuid2 ulid nanoid datetime date time duration base64url xid ksuid hex")

// call reads one call of a chain: the maker at its start, and what follows it.
func (s schemaReader) call(x *ir.Expr, depth int) *bound {
	if x.X.Kind == ir.Attr && s.isMaker(x.X.X) {
		return s.maker(x, depth)
	}
	if x.X.Kind != ir.Attr {
		return nil
	}
	b := s.read(x.X.X, depth+1)
	if b == nil {
		return nil
	}
	out := *b
	arg := func() *ir.Expr {
		if len(x.Args) > 0 {
			return x.Args[0].Value
		}
		return nil
	}
	switch x.X.Text {
	case "regex":
		if text, _, ok := (&reader{a: s.a}).patternText(arg()); ok {
			out.facts |= s.a.patternFacts(text, false).match
		}
	case "refine", "superRefine", "check":
		out.facts |= s.refined(arg(), x.X.Text != "refine")
	case "extend", "merge", "safeExtend", "augment", "and":
		if more := s.read(arg(), depth+1); more != nil {
			out.members = mergeMembers(b.members, more.members)
		}
	case "array":
		return &bound{members: map[string]*bound{"*": b}}
	case "or":
		if more := s.read(arg(), depth+1); more == nil || !more.gone {
			return &bound{}
		}
	case "pipe": // what comes out fits the other schema
		if more := s.read(arg(), depth+1); more != nil {
			return more
		}
		return &bound{members: b.members}
	case "transform", "preprocess", "catchall":
		return &bound{members: b.members}
	default:
		if plainTexts[x.X.Text] {
			out.facts |= noShellMeta | noQuote | noSlash | noDotDot | noDash
		}
	}
	return &out
}

func mergeMembers(a, b map[string]*bound) map[string]*bound {
	out := map[string]*bound{}
	for _, m := range []map[string]*bound{a, b} {
		for name, x := range m {
			out[name] = x
		}
	}
	return out
}

// isMaker reports whether an expression is zod itself, or z.coerce.
func (s schemaReader) isMaker(x *ir.Expr) bool {
	if x != nil && x.Kind == ir.Attr && (x.Text == "coerce" || x.Text == "z" || x.Text == "iso") {
		return true
	}
	return x != nil && x.Kind == ir.Name && (x.Text == "z" || x.Text == "zod" || strings.HasPrefix(x.Text, "zod") || strings.HasPrefix(x.Text, "z3") || strings.HasPrefix(x.Text, "z4") ||
		len(x.Text) < 4 && strings.HasPrefix(s.a.g.Outside(x, callgraph.Context{}), "zod")) // minified
}

func (s schemaReader) maker(x *ir.Expr, depth int) *bound {
	name := x.X.Text
	var first *ir.Expr
	if len(x.Args) > 0 {
		first = x.Args[0].Value
	}
	switch {
	case name == "string":
		return &bound{facts: isText}
	case openMakers[name]:
		return &bound{open: true}
	case boundedMakers[name] && !(x.X.X.Kind == ir.Attr && x.X.X.Text == "iso"):
		return &bound{gone: true}
	case plainTexts[name]:
		return &bound{facts: isText | noShellMeta | noQuote | noSlash | noDotDot | noDash}
	case name == "object" || name == "strictObject" || name == "looseObject":
		b := s.read(first, depth+1)
		if b == nil {
			return &bound{open: true}
		}
		out := *b
		out.open = true
		return &out
	case name == "array":
		if b := s.read(first, depth+1); b != nil {
			return &bound{members: map[string]*bound{"*": b}}
		}
	case name == "optional" || name == "nullable" || name == "nullish" || name == "lazy":
		return s.read(first, depth+1)
	case name == "pipe" || name == "preprocess": // what comes out fits the last schema
		if len(x.Args) > 1 {
			return s.read(x.Args[1].Value, depth+1)
		}
	case name == "union":
		return s.union(first, depth)
	}
	return &bound{}
}

// union reads z.union([…]): bounded where each part is.
func (s schemaReader) union(list *ir.Expr, depth int) *bound {
	if list == nil || list.Kind != ir.List || len(list.Args) == 0 {
		return &bound{}
	}
	out := &bound{gone: true}
	for _, a := range list.Args {
		b := s.read(a.Value, depth+1)
		out.gone = out.gone && b != nil && b.gone
		out.open = out.open || b != nil && b.open
	}
	return out
}

// refined is what holds of a value for which a function comes to true or, of one that is told of what is wrong, for which it names nothing.
func (s schemaReader) refined(f *ir.Expr, told bool) (out fact) {
	if f == nil {
		return 0
	}
	for _, callee := range s.a.g.Functions(f, callgraph.Context{}) {
		sum := s.a.summarize(callee.Func, callee.Context)
		facts := sum.when["+"].facts
		if told {
			facts = sum.returned().facts
		}
		for src, f := range facts {
			if src.param == 0 && src.path == "" {
				out |= f
			}
		}
	}
	return out
}

// parsed is a value that a schema has accepted.
func (v *value) parsed(b *bound) *value {
	if b == nil || v.length >= 0 {
		return v
	}
	names := make([]string, 0, len(b.members))
	for name := range b.members {
		names = append(names, name)
	}
	slices.Sort(names)
	out := v
	for _, name := range names {
		m := b.members[name]
		switch {
		case name == "*":
		case m.gone:
			out = out.with(name, nothing)
		case m.facts != 0:
			out = out.with(name, v.member(name).adding(m.facts))
		}
	}
	return out
}

// adding returns a value with facts added that leave it what it is.
func (v *value) adding(f fact) *value {
	out := *v
	out.marks = nil
	for _, m := range v.marks {
		m.facts |= f
		out.marks = append(out.marks, m)
	}
	return &out
}
