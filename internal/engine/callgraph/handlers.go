package callgraph

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A tie is a function that answers a tool, as it was found.
type tie struct {
	tool string
	via  sink.Via
	fn   value
	at   sink.Place
	// given are the arguments that a dispatcher gets: the name of the tool, or, behind a context, the parameters of the request that hold it.
	given         [][]value
	behindContext bool
	alone         bool // it is the only tool of the dispatcher, which has nothing to branch on
	// decl declares the tool: a call, an object, a decorator; nil where a class or nothing does. in is its frame.
	decl *ir.Expr
	in   *frame
	of   *ir.Class // that declares the tool, or nil
}

func (g *Graph) readTies(tools []string) (*sink.Sources, []tie) {
	out := &sink.Sources{Files: len(g.prog.Files)}
	listed := map[string]bool{}
	for _, name := range tools {
		listed[name] = true
	}
	ties := g.findTies(listed)
	seen := map[string]int{}
	for _, t := range ties {
		h := g.readHandler(t)
		if i, ok := seen[t.tool]; ok {
			out.Handlers[i].Join(h)
			continue
		}
		seen[t.tool] = len(out.Handlers)
		out.Handlers = append(out.Handlers, h)
		listed[t.tool] = true
	}
	slices.SortFunc(out.Handlers, func(a, b sink.Handler) int { return strings.Compare(a.Tool, b.Tool) })
	out.Listed = slices.Sorted(maps.Keys(listed))
	out.ToolClasses = g.registrar.countToolClasses()
	out.Unrecognised = g.registrar.unrecognised(ties)
	return out, ties
}

// findTies finds all handlers: those registered with their tool first, then those of tools that
// are only dispatched. It adds the tools that the sources declare to listed.
func (g *Graph) findTies(listed map[string]bool) []tie {
	out := g.registrar.registeredTies()
	registered := map[string]bool{}
	for _, t := range out {
		registered[t.tool] = true
	}
	declared := maps.Clone(listed)
	for name := range g.registrar.declarationsByName() {
		declared[name] = true
		listed[name] = true
	}
	out = append(out, g.keepBestDispatch(g.tieDispatched(declared, registered))...)
	slices.SortStableFunc(out, compareTies)
	return slices.CompactFunc(out, func(a, b tie) bool { return a.tool == b.tool && a.fn.fn == b.fn.fn })
}

func (g *Graph) readHandler(t tie) sink.Handler {
	g.Begin()
	h := sink.Handler{Tool: t.tool, Language: g.conv.Language, Via: t.via, Func: t.fn.fn.Name, At: t.at}
	from := []*frame{g.frameOf(t)}
	for _, d := range t.fn.fn.Decorators { // what wraps the handler runs with it
		for _, v := range g.functions(d.Target(), nil) {
			from = append(from, g.enterFrame(v.fn, nil, nil, nil))
		}
	}
	named := g.sinkReader.traceHandler(&h, from...)
	if fn := t.fn.fn; g.conv.Language != "python" && answersElsewhere(fn) { // Python's parameters are the tool's own
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.Elsewhere, Detail: fn.Name, At: PlaceOfFunc(fn)})
	}
	if t.via == sink.ByDispatch && !t.alone && !named {
		h.Via = sink.ByFallback
		for i := range h.Calls { // of all tools together; which of them does it is not known
			h.Calls[i].Strength = sink.Weak
		}
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.NoBranch, Detail: t.tool, At: t.at})
	}
	return h
}

func (g *Graph) frameOf(t tie) *frame {
	return g.enterFrame(t.fn.fn, t.given, receiver(t.fn), t.fn.frame)
}

// answersElsewhere reports whether a handler returns nothing and was given more than its
// arguments: what it leaves there, who called it may act on.
func answersElsewhere(fn *ir.Func) bool {
	given, returns := 0, fn.Lambda
	for _, p := range fn.Params {
		if p.Index >= 0 {
			given++
		}
	}
	if given < 2 || returns { // before the walk: a dispatcher is asked for each of its tools
		return false
	}
	ir.EachStmt(fn.Body, func(s *ir.Stmt) { returns = returns || s.Step == ir.Return && s.X != nil })
	return !returns
}

// keepBestDispatch keeps, of several dispatchers, the one that knows the tool by name.
func (g *Graph) keepBestDispatch(ties []tie) []tie {
	knows := func(t tie) bool { return g.readHandler(t).Via == sink.ByDispatch }
	best := map[string]tie{}
	for _, t := range ties {
		if have, seen := best[t.tool]; !seen || !knows(have) && knows(t) {
			best[t.tool] = t
		}
	}
	return slices.Collect(maps.Values(best))
}
