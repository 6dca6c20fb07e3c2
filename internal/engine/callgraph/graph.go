package callgraph

import (
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A Graph is a program whose handlers were found. What follows values through the program asks it
// which functions a call enters, which branches can run, and what is known of an expression.
//
// Its registrar finds which function answers which tool, its sink reader what such a function reaches, and all ask the evaluator what a
// name stands for.
type Graph struct {
	*evaluator
	registrar  *registrar
	sinkReader *sinkReader
	roots      []Root
}

func newGraph(prog *ir.Program, conv *Convention) *Graph {
	ev := newEvaluator(prog, conv)
	rg := &registrar{evaluator: ev, named: map[*ir.Expr]bool{}}
	ev.around = func(scope *ir.Scope) []*frame {
		out := rg.registrationFrames(scope)
		for _, d := range rg.insideDecorator(scope) {
			out = append(out, d.in)
		}
		return out
	}
	return &Graph{evaluator: ev, registrar: rg, sinkReader: &sinkReader{ev, map[*frame]*summary{}, map[*frame]traced{}}}
}

// A Root is a function that answers a tool.
type Root struct {
	Tool    string
	Func    *ir.Func
	Context Context
	Via     sink.Via
	At      sink.Place
	// Decl is what declares the tool: a call, an object, a decorator. Class does it instead where Decl is nil; where both
	// are nil, see [Graph.Declarations].
	Decl   *ir.Expr
	DeclIn Context
	Class  *ir.Class
	// Resource says that the function answers a resource.
	Resource bool
}

// A Context is what is known of the arguments of the function that is read; it can be compared. The zero
// value knows nothing.
type Context = *frame

// Open finds the handlers of a program, as Analyse does, and keeps what it learned for questions.
func Open(prog *ir.Program, conv *Convention, tools []string) (*Graph, *sink.Sources) {
	g := newGraph(prog, conv)
	out, ties := g.readTies(tools)
	for _, t := range ties {
		root := Root{Tool: t.tool, Func: t.fn.fn, Via: t.via, At: t.at, Decl: t.decl, DeclIn: t.in, Class: t.of}
		clear(g.contexts)
		root.Context = g.frameOf(t)
		g.roots = append(g.roots, root)
	}
	return g, out
}

// Roots returns the functions that answer tools, sorted by tool.
func (g *Graph) Roots() []Root { return g.roots }

// Fixes reports whether a parameter of a handler, or what lies at a path below it, is fixed by the server: the name of the tool in a request.
func (g *Graph) Fixes(root Root, param int, path string) bool {
	if root.Context == nil || param >= len(root.Context.args) {
		return false
	}
	vs := root.Context.args[param]
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		vs = g.membersOf(vs, name)
	}
	return onlyValue(vs).kind == constant
}

// Program returns the program.
func (g *Graph) Program() *ir.Program { return g.prog }

// Convention returns the conventions of the language.
func (g *Graph) Convention() *Convention { return g.conv }

// Begin starts to read a tool: contexts of functions are counted anew, so that each tool is read alike
// however many came before it.
func (g *Graph) Begin() { clear(g.contexts) }

// A Callee is what a call may enter.
type Callee struct {
	Func    *ir.Func // of the program
	Context Context
	Guess   bool      // tied by the name of a method alone: what it belongs to is not known
	Made    bool      // Func is the constructor of what the call makes
	Class   *ir.Class // of what the call makes, where it has no constructor
	Name    string    // of something outside, or ".method" of something unknown
	Type    *ir.Func  // of a value whose type is a function, or of a method of an interface: what is declared of it, or nil
	Row     *Row      // what the table says of Name, or nil
}

// Callees returns what a call may enter.
func (g *Graph) Callees(call *ir.Expr, c Context) (out []Callee) {
	for _, t := range g.targets(call, c) {
		switch t.kind {
		case enters, guesses, constructs:
			out = append(out, Callee{Func: t.fn.fn, Context: g.enterTarget(t, call, c), Guess: t.kind == guesses, Made: t.kind == constructs})
		case makes:
			out = append(out, Callee{Made: true, Name: t.class.Name, Class: t.class})
		case leaves, callsMethod, callsAbstract:
			out = append(out, Callee{Name: t.name, Type: t.fn.fn, Row: g.Row(t.name)})
		case ofText:
			out = append(out, Callee{Name: t.name})
		}
	}
	return out
}

// NamesOf returns the names of what a call enters outside of the program, as Callees does, without its arguments.
func (g *Graph) NamesOf(call *ir.Expr) (out []string) {
	for _, t := range g.targets(call, nil) {
		switch t.kind {
		case leaves, callsMethod, callsAbstract, ofText:
			out = append(out, t.name)
		case makes:
			out = append(out, t.class.Name)
		}
	}
	return out
}

// Runs reports whether something with this last word in its name is known to start programs or to run code.
func (g *Graph) Runs(word string) bool { return g.conv.Table.runs[word] }

// Functions returns the functions that an expression may stand for, each in the context in which it was made.
func (g *Graph) Functions(e *ir.Expr, c Context) (out []Callee) {
	for _, v := range g.functions(e, c) {
		out = append(out, Callee{Func: v.fn, Context: g.enterFrame(v.fn, nil, receiver(v), v.frame)})
	}
	return out
}

// Inside returns the context of a function literal that runs where it is written.
func (g *Graph) Inside(fn *ir.Func, c Context) Context {
	return g.enterFrame(fn, nil, nil, c)
}

// AreConstants reports whether everything that an expression can be is written in the source: strings,
// numbers, and lists of them.
func (g *Graph) AreConstants(e *ir.Expr, c Context) bool {
	return areAll(g.evaluate(e, c), constant, data)
}

// Outside returns the name of the thing of another package that an expression stands for, or "".
func (g *Graph) Outside(e *ir.Expr, c Context) string { return append(g.outsides(e, c), "")[0] }

// Taken returns those bodies of the Branch body[i] on a constant that can run, and the index of the next statement to read, behind those that can be
// passed over; known is false where the subject is not known, so that each may.
func (g *Graph) Taken(body []ir.Stmt, i int, c Context) (bodies [][]ir.Stmt, next int, known bool) {
	if x := body[i].X; x == nil || onlyValue(g.evaluate(x, c)).kind != constant {
		return nil, i + 1, false
	}
	bodies, next = g.take(body, i, c, &asked{})
	return bodies, next, true
}

// Row returns what the table of sinks says of a name, or nil.
func (g *Graph) Row(name string) *Row { return g.conv.Table.findRow(name) }

// Kind is the second column: "tag", "pure", "file", "sql", "spawn" and so on; "" of no row.
func (r *Row) Kind() string {
	if r == nil {
		return ""
	}
	return r.kind
}

// Weak reports whether such a call says little: it asks whether a file exists.
func (r *Row) Weak() bool { return r.weak }

// IsSafe reports whether a call has an argument that makes it harmless: yaml.load(text, Loader=SafeLoader), or a class derived from that.
func (g *Graph) IsSafe(r *Row, call *ir.Expr) bool {
	return slices.ContainsFunc(call.Args, func(a ir.Arg) bool {
		if a.Value == nil || len(r.safe) == 0 {
			return false
		}
		of := []*ir.Expr{a.Value}
		for _, v := range g.evaluate(a.Value, nil) {
			if v.kind == class {
				for _, c := range g.Lineage(v.class, 0) {
					of = append(of, c.Bases...)
				}
			}
		}
		return slices.ContainsFunc(of, func(e *ir.Expr) bool { return slices.Contains(r.safe, e.Text) })
	})
}

// Has reports whether the row has a tag.
func (r *Row) Has(tag capability.Tag) bool { return slices.Contains(r.tags, tag) }

// Argument returns the argument of a call that has a role in the row, or nil; of path=self that is what the method belongs to.
func (r *Row) Argument(role string, call *ir.Expr) *ir.Expr {
	a, ok := r.args[role]
	if a.name == "self" && call.X.Is(ir.Attr) {
		return call.X.X
	}
	if !ok {
		return nil
	}
	x := argumentAt(a.index, a.name, call.Args)
	if a.name == "" || x != nil && !(x.Is(ir.Object) && x.HasMember(a.name)) {
		return x
	}
	for _, g := range call.Args { // a member of an options object
		if g.Value.Is(ir.Object) && g.Value.HasMember(a.name) {
			return g.Value.Member(a.name)
		}
	}
	return nil
}

// Texts returns the texts that an expression can be, as far as the source holds them.
func (g *Graph) Texts(e *ir.Expr, c Context) []string { return g.constants(e, c) }

// ClassOf returns the class that an expression stands for, itself or by an object of it; nil for none.
func (g *Graph) ClassOf(e *ir.Expr, c Context) *ir.Class {
	vs := g.evaluate(e, c)
	if i := slices.IndexFunc(vs, func(v value) bool { return isObject(v) && v.class != nil }); i >= 0 {
		return vs[i].class
	}
	return nil
}

// Written returns the object, list or template that an expression stands for, or what makes the object, as it is written, and where it is
// read; nil for none.
func (g *Graph) Written(e *ir.Expr, c Context) (*ir.Expr, Context) {
	for _, v := range g.evaluate(e, c) {
		if v.kind == composite || v.kind == instance && v.expr != nil {
			return v.expr, v.frame
		}
	}
	return nil, c
}

// Declarations returns where a tool is declared apart from its handler: Tool(name="x", …), { name: "x", inputSchema: … }.
func (g *Graph) Declarations(tool string) []*ir.Expr { return g.registrar.declarationsByName()[tool] }

// Reaches reports whether a body, the functions that are written in it, or one of the program so many calls away, holds an expression that is
// what is says.
func (g *Graph) Reaches(body []ir.Stmt, calls int, is func(*ir.Expr) bool) bool {
	seen := map[*ir.Func]bool{}
	var reaches func(body []ir.Stmt, calls int) bool
	reaches = func(body []ir.Stmt, calls int) (found bool) {
		enters := func(fn *ir.Func, calls int) bool {
			if fn == nil || seen[fn] {
				return false
			}
			seen[fn] = true
			return reaches(fn.Body, calls)
		}
		look := func(x *ir.Expr) (bool, bool) {
			if x.Kind == ir.Function {
				return enters(x.Func, calls), false
			}
			return is(x) || calls > 0 && x.Is(ir.Call, ir.New) && slices.ContainsFunc(g.Callees(x, nil), func(c Callee) bool { return !c.Guess && enters(c.Func, calls-1) }), true
		}
		ir.EachExpr(body, func(e *ir.Expr) { found = found || e.Search(maxTrailDeep, look) })
		return found
	}
	return reaches(body, calls)
}
