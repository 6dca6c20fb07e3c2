package declared

import (
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A Bound is what a schema leaves to a caller to choose of a value that it has accepted; nil says nothing. Schemas that an SDK enforces
// bound a value; a JSON Schema that a low-level server merely lists bounds none.
type Bound struct {
	Gone     bool              // nothing: it is a number, or one of a few words
	Open     bool              // it may be an object
	Free     bool              // its members may have names of the caller's choosing
	Text     bool              // it is a text
	Plain    bool              // letters, digits and "-"
	Address  bool              // an address, which begins with a scheme
	Patterns []*ir.Expr        // that it matches
	Checks   []Check           // that it has passed
	Members  map[string]*Bound // of an object; "*" for the elements of a list
}

// Anything is the bound of a value that a caller chooses whatever it is.
var Anything = &Bound{Open: true, Free: true}

// A Check is a function that refuses values: by what it answers or, where it is told to, by saying what is wrong.
type Check struct {
	Func *ir.Expr
	Told bool
}

// At returns what is known at a path below: ".a.b"; nil for nothing.
func (b *Bound) At(path string) *Bound {
	for b != nil && path != "" && !b.Gone {
		if b.Text {
			return &Bound{Gone: true} // it has no members
		}
		var name string
		name, path, _ = strings.Cut(path[1:], ".")
		if path != "" {
			path = "." + path
		}
		b = b.Members[name]
	}
	return b
}

func anyOf(all []schema) schema {
	list, bound := []any{}, Bound{Gone: len(all) > 0}
	for _, s := range all {
		list = append(list, s.json)
		bound.Gone, bound.Open, bound.Free = bound.Gone && s.Gone, bound.Open || s.Open, bound.Free || s.Free
	}
	return schema{json: object{{"anyOf", list}}, Bound: bound}
}

// ask answers one question about a schema that is no tool's, each question once.
func (r *Reader) ask(of any, read func() schema) *Bound {
	b, known := r.asked[of]
	if !known {
		r.left, r.out, r.pointer = min(maxNodes, maxAll-r.spent), &sink.Definition{}, nil
		before := r.left
		s := read()
		b = &s.Bound
		r.spent += before - r.left
		r.asked[of] = b
	}
	return b
}

// Tool returns what the schema of a tool says of its arguments, nil where none was read.
func (r *Reader) Tool(name string) *Bound { return r.tools[name] }

// Schema returns what is known of what the schema that an expression stands for has accepted.
func (r *Reader) Schema(x *ir.Expr) *Bound {
	return r.ask(x, func() schema { return r.schema(x, nowhere, 0) })
}

// Model returns what is known of the members of an object of a class that checks them.
func (r *Reader) Model(c *ir.Class) *Bound { return r.ask(c, func() schema { return r.model(c, 0) }) }

// Parameter returns what the type or the annotation of a parameter and its default say of it.
func (r *Reader) Parameter(p *ir.Param) *Bound {
	return r.ask(p, func() schema {
		if r.g.Convention().Language == "go" {
			return r.goType(p.Type, 0)
		}
		return r.declaredField(p.Noted, p.Value, 0)
	})
}
