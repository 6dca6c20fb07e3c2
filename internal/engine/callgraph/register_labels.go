package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

const (
	// maxLabels is how many names are taken from the branches of one dispatcher. Those that the
	// server lists, or the source declares, are read whatever their number.
	maxLabels = 20_000
	// maxLabelDepth is how many branches may stand around one that compares the name.
	maxLabelDepth = 4
)

// labels collects the constants that a dispatcher itself compares the name with.
type labels struct {
	rg     *registrar
	seen   map[seenArms]bool
	bodies map[*ir.Func]bool // of functions that were given the name
	out    []string
}

// seenArms are the arms of a branch, which may stand in several bodies, at a depth.
type seenArms struct {
	first *ir.Arm
	depth int
}

// holdsName reports whether an expression is called as the name of a tool is.
func holdsName(e *ir.Expr) bool {
	return e.Is(ir.Name, ir.Attr) && (e.Text == "name" || e.Text == "tool_name" || e.Text == "toolName")
}

// maxLabelCalls is how many functions that are given the name are looked at for one dispatcher.
const maxLabelCalls = 50

// readExpr looks for a table that is asked for the name, handlers[name] or handlers.get(name), and for a function that is given it.
func (l *labels) readExpr(e *ir.Expr) {
	e.Search(maxLabelDepth*2, func(e *ir.Expr) (found, into bool) {
		switch {
		case e.Kind == ir.Index && len(e.Args) == 1 && holdsName(e.Args[0].Value):
			l.addTable(e.X)
		case e.Calls() == "get" && e.X.Kind == ir.Attr && holdsName(e.Arg(0)):
			l.addTable(e.X.X)
		case e.Kind == ir.Call && slices.ContainsFunc(e.Args, func(a ir.Arg) bool { return holdsName(a.Value) }):
			for _, v := range l.rg.functions(e.X, nil) {
				if !l.bodies[v.fn] && len(l.bodies) < maxLabelCalls {
					l.bodies[v.fn] = true
					l.collectLabels(v.fn.Body, 0)
				}
			}
		}
		return false, e.Kind != ir.Function
	})
}

// addTable adds the names under which a table holds functions, or objects of classes that answer calls.
func (l *labels) addTable(x *ir.Expr) {
	for _, v := range l.rg.evaluate(x, nil) {
		if v.kind != composite || v.expr.Kind != ir.Object {
			continue
		}
		for _, a := range v.expr.Args {
			if isToolName(a.Name) && len(l.out) < maxLabels && a.Value != nil &&
				(len(l.rg.functionsIn(a.Value, v.frame, 1)) > 0 || l.rg.answersCalls(a.Value, v.frame)) {
				l.out = append(l.out, a.Name)
			}
		}
	}
}

// answersCalls reports whether an expression is an object of a class that answers calls.
func (rg *registrar) answersCalls(x *ir.Expr, f *frame) bool {
	return slices.ContainsFunc(rg.evaluate(x, f), func(v value) bool { return v.kind == instance && v.class != nil && rg.handlerOf(v.class) != nil })
}

func (l *labels) collectLabels(body []ir.Stmt, depth int) {
	for i := range body {
		s := &body[i]
		if depth > maxLabelDepth || len(l.out) >= maxLabels {
			continue
		}
		l.readExpr(s.X)
		if s.Step != ir.Branch {
			continue
		}
		if len(s.Arms) > 0 {
			k := seenArms{&s.Arms[0], depth}
			if l.seen[k] {
				continue
			}
			l.seen[k] = true
		}
		isName := holdsName(s.X)
		for _, arm := range s.Arms {
			for i := 0; isName && i < len(arm.Values); i++ {
				l.out = append(l.out, slices.DeleteFunc(l.rg.constants(arm.Values[i], nil), func(text string) bool { return !isToolName(text) })...)
			}
			l.collectLabels(arm.Body, depth+1)
		}
		l.collectLabels(s.Rest, depth) // else-if is no deeper, however long the row
	}
}
