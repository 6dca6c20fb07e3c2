package declared

import (
	"encoding/json"
	"slices"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// What a program changes after it was declared is unknown: a loop over the list of tools that gives each another description, or
// a function put in the place of registerTool that translates what passes.

// rewritings are the parts of declarations that the program changes.
type rewritings struct {
	registered map[string]bool              // of whatever is registered by a call
	declared   map[*ir.Expr]map[string]bool // of one declaration
}

// rewritable are the parts that are looked for.
var rewritable = []string{"description", "title", "inputSchema", "annotations"}

const maxElements = 5_000 // declarations of one list

// findRewritings looks for them in all statements and objects of a program.
func findRewritings(g *callgraph.Graph) *rewritings {
	w := &rewritings{registered: map[string]bool{}, declared: map[*ir.Expr]map[string]bool{}}
	interceptors := map[*ir.Func]bool{}
	g.Program().EachSet(func(st *ir.Stmt) {
		if st.Target.Kind == ir.Attr && g.Convention().Registers[st.Target.Text] && st.X.Kind == ir.Function {
			interceptors[st.X.Func] = true
		}
	})
	g.Program().EachSet(func(st *ir.Stmt) {
		t := st.Target
		if t.Kind != ir.Attr || t.X == nil || !slices.Contains(rewritable, t.Text) {
			return
		}
		if interceptors[t.Scope.Owner()] {
			w.registered[t.Text] = true
		} else if _, ok := g.Constant(st.X, nowhere); !ok {
			w.note(g, g.ListOf(t.X), t.Text)
		}
	})
	for _, o := range g.Program().Objects {
		i := slices.IndexFunc(o.Args, func(a ir.Arg) bool { return a.Spread && a.Value.Is(ir.Name) })
		if i < 0 {
			continue
		}
		for _, part := range rewritable {
			x := o.Member(part)
			switch {
			case x == nil || x.Kind == ir.Attr && x.Text == part: // handed on as it is
			case interceptors[o.Scope.Owner()]:
				w.registered[part] = true
			default:
				w.note(g, g.ListOf(o.Args[i].Value), part)
			}
		}
	}
	return w
}

// note marks the declarations that stand in a list.
func (w *rewritings) note(g *callgraph.Graph, list *ir.Expr, part string) {
	left := maxElements
	var walk func(x *ir.Expr, depth int)
	walk = func(x *ir.Expr, depth int) {
		if left--; x == nil || left < 0 || depth > 6 {
			return
		}
		switch d := g.Definition(x); d.Kind {
		case ir.List:
			for _, a := range d.Args {
				walk(a.Value, depth+1)
			}
		case ir.Object:
			if w.declared[d] == nil {
				w.declared[d] = map[string]bool{}
			}
			w.declared[d][part] = true
		case ir.Call: // tools.filter(…).map(…)
			if d.X != nil && d.X.Kind == ir.Attr && (d.X.Text == "filter" || d.X.Text == "slice" || d.X.Text == "sort" || d.X.Text == "concat") {
				walk(d.X.X, depth+1)
			}
		}
	}
	walk(list, 0)
}

// forget takes back what was read of parts that the program changes later.
func (r *Reader) forget(parts map[string]bool) {
	if parts["title"] {
		r.out.Title = ""
	}
	if parts["description"] {
		r.out.Description = ""
		r.unknown("description")
	}
	if parts["annotations"] {
		r.out.Annotations = nil
		r.unknown("annotations")
	}
	if parts["inputSchema"] && r.out.InputSchema != nil {
		r.out.InputSchema = withoutNotes(r.out.InputSchema)
		r.unknown("inputSchema")
	}
}

// withoutNotes returns a schema without the texts that describe its parts: who changes a schema translates these, and leaves the
// names and types as they are.
func withoutNotes(schema []byte) []byte {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return nil
	}
	var strip func(v any, named bool)
	strip = func(v any, named bool) {
		switch v := v.(type) {
		case map[string]any:
			if _, text := v["description"].(string); text && !named {
				delete(v, "description")
			}
			for name, inner := range v {
				strip(inner, !named && (name == "properties" || name == "$defs"))
			}
		case []any:
			for _, inner := range v {
				strip(inner, false)
			}
		}
	}
	strip(v, false)
	return encode(v)
}
