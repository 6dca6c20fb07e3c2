package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// maxLabels is how many names are taken from the branches of one dispatcher. Those that the server lists, or the source declares, are read
// whatever their number.
const maxLabels = 20_000

// anyTool is the name with which a dispatcher is read to see what it compares its tool's name with.
const anyTool = "\x00tool"

// labelsOf returns what a dispatcher compares the name with, and the names under which the tables that it asks for it hold functions, or objects of
// classes that answer calls.
func (g *Graph) labelsOf(dispatcher tie) (out []string) {
	g.Begin()
	dispatcher.given = g.registrar.callArguments(dispatcher, anyTool)
	found := g.sinkReader.traceFrames([]*frame{g.frameOf(dispatcher)})
	out = found.labels
	for _, v := range found.tables {
		if v.kind != composite || v.expr.Kind != ir.Object {
			continue
		}
		for _, a := range v.expr.Args {
			if a.Name != "" && a.Value != nil && len(out) < maxLabels && (len(g.registrar.functionsIn(a.Value, v.frame, 1)) > 0 || g.registrar.answersCalls(a.Value, v.frame)) {
				out = append(out, a.Name)
			}
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return !isToolName(name) })
}

// answersCalls reports whether an expression is an object of a class that answers calls.
func (rg *registrar) answersCalls(x *ir.Expr, f *frame) bool {
	return slices.ContainsFunc(rg.evaluate(x, f), func(v value) bool { return v.kind == instance && v.class != nil && rg.handlerOf(v.class) != nil })
}
