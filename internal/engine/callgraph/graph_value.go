package callgraph

import "gauntlet/internal/leaf/ir"

// A Value is one thing that an expression can stand for, as far as it is known.
type Value struct {
	Text     *string  // a constant text
	Expr     *ir.Expr // an object, a list or a template, to be read in Context
	Class    *ir.Class
	Instance *ir.Expr // an object of a class, or of something outside: where it is made
	Outside  string   // the name of something of another package
	Context  Context
}

// Values returns what an expression can stand for; what is not known is not among it.
func (g *Graph) Values(e *ir.Expr, c Context) (out []Value) {
	for _, v := range g.evaluate(e, c.f) {
		w := Value{Context: Context{v.frame}}
		switch v.kind {
		case constant:
			w.Text = &v.text
		case composite:
			w.Expr = v.expr
		case class:
			w.Class = v.class
		case instance:
			w.Class, w.Instance = v.class, v.expr
		case outside:
			w.Outside = v.text
		}
		out = append(out, w)
	}
	return out
}

// Declarations returns where a tool is declared apart from its handler: Tool(name="x", …), { name: "x", inputSchema: … }.
func (g *Graph) Declarations(tool string) []*ir.Expr { return g.registrar.declarationsByName()[tool] }
