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

func (rg *registrar) branchLabels(body []ir.Stmt) []string {
	l := &labels{rg: rg, seen: map[seenArms]bool{}, bodies: map[*ir.Func]bool{}}
	l.collectLabels(body, 0)
	return l.out
}

// holdsName reports whether an expression is called as the name of a tool is.
func holdsName(e *ir.Expr) bool {
	return e != nil && (e.Kind == ir.Name || e.Kind == ir.Attr) && (e.Text == "name" || e.Text == "tool_name" || e.Text == "toolName")
}

// maxLabelCalls is how many functions that are given the name are looked at for one dispatcher.
const maxLabelCalls = 50

// readExpr looks for a table that is asked for the name, handlers[name] or handlers.get(name), and for a function that is given it.
func (l *labels) readExpr(e *ir.Expr, depth int) {
	if e == nil || depth > maxLabelDepth*2 || e.Kind == ir.Function {
		return
	}
	switch {
	case e.Kind == ir.Index && len(e.Args) == 1 && holdsName(e.Args[0].Value):
		l.addTable(e.X)
	case e.Kind == ir.Call && e.X != nil && e.X.Kind == ir.Attr && e.X.Text == "get" && len(e.Args) > 0 && holdsName(e.Args[0].Value):
		l.addTable(e.X.X)
	case e.Kind == ir.Call && slices.ContainsFunc(e.Args, func(a ir.Arg) bool { return holdsName(a.Value) }):
		for _, v := range l.rg.evaluate(e.X, nil) {
			if v.kind == function && !l.bodies[v.fn] && len(l.bodies) < maxLabelCalls {
				l.bodies[v.fn] = true
				l.collectLabels(v.fn.Body, 0)
			}
		}
	}
	l.readExpr(e.X, depth+1)
	for _, a := range e.Args {
		l.readExpr(a.Value, depth+1)
	}
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
		l.readExpr(s.X, 0)
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
			if isName {
				l.addLabels(arm.Values)
			}
			l.collectLabels(arm.Body, depth+1)
		}
		l.collectLabels(s.Rest, depth) // else-if is no deeper, however long the row
	}
}

func (l *labels) addLabels(xs []*ir.Expr) {
	for _, x := range xs {
		l.out = append(l.out, slices.DeleteFunc(l.rg.constants(x, nil), func(text string) bool { return !isToolName(text) })...)
	}
}
