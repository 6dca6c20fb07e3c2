// Package taint follows what a tool's caller sends to the calls with consequences: from a
// parameter through assignments, members, strings, helpers and modules to the argument of a
// shell, a path, an address, a query. What stands on the way is kept: the steps, and what the
// code did to the value or asked of it, so that a guard counts by what it does and not by its name.
//
// Each function is read once for each context and summed up in terms of its parameters: what it
// returns, which of them reach a sink, and what holds of them when it returns, or returns true.
// The caller puts its own values in place of the parameters, so that cost grows with the program
// and not with the number of ways through it. Order, early returns, errors and conditions count.
package taint

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/engine/declared"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

const (
	maxWork     = 1_500_000 // expressions and statements of one program
	maxToolWork = 60_000    // of these for one tool
	maxDepth    = 24        // functions inside each other
	maxFlows    = 100       // of one function
	mostWrapped = 3         // functions of one wrapper inside each other
)

// An analyzer reads one program.
type analyzer struct {
	g        *callgraph.Graph
	schemas  *declared.Reader
	known    map[key]*summary
	busy     map[*ir.Func]int
	work     int
	left     int // for the tool at hand
	depth    int
	cut      bool // a bound was reached for the tool at hand
	factsOf  map[string]charFacts
	reads    map[*ir.Func][]*ir.Expr // calls that read an answer whole, by the function that holds them
	inner    map[*ir.Func][]*ir.Func // functions by the one that they are written in
	readOnly *bool                   // see makesReadOnly; nil until it is asked for
	leftOut  map[*ir.Param]bool      // see mayBeLeftOut
}

type key struct {
	fn  *ir.Func
	ctx callgraph.Context
}

// Follow adds to what was found in a program the definitions of its tools, and which of their parameters arrive at a sink.
func Follow(g *callgraph.Graph, out *sink.Sources) {
	schemas := declared.New(g)
	out.Definitions = schemas.Read()
	a := &analyzer{g: g, schemas: schemas, known: map[key]*summary{}, busy: map[*ir.Func]int{}, factsOf: map[string]charFacts{}, leftOut: map[*ir.Param]bool{}}
	handlers := out.ByTool()
	for _, root := range g.Roots() {
		h := handlers[root.Tool]
		if h == nil || root.Via == sink.ByFallback {
			continue
		}
		flows, cut := a.flowsOf(root)
		h.Arrives = h.Arrives || a.summarize(root.Func, root.Context).leaves != 0
		h.Flows = append(h.Flows, flows...)
		if cut {
			h.FlowsCut = true
		}
	}
	for i := range out.Handlers {
		sortFlows(&out.Handlers[i])
	}
	out.Resources = a.readOthers()
}

func sortFlows(h *sink.Handler) {
	slices.SortStableFunc(h.Flows, func(a, b sink.Flow) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Start, b.At.Start),
			strings.Compare(a.Param, b.Param), cmp.Compare(len(a.Steps), len(b.Steps)))
	})
	h.Flows = slices.CompactFunc(h.Flows, func(a, b sink.Flow) bool { return a.Kind == b.Kind && a.At == b.At && a.Param == b.Param })
	all := slices.Clone(h.Flows)
	h.Flows = slices.DeleteFunc(h.Flows, func(f sink.Flow) bool {
		return slices.ContainsFunc(all, func(g sink.Flow) bool {
			return f.Kind == g.Kind && (f.At == g.At && f.Param == "*" && g.Param != "*" || // any member of the arguments says less than those that have names
				f.Param == g.Param && f.Name == g.Name && sink.IsOtherBuild(f.At.File, g.At.File))
		})
	})
}

// flowsOf returns the flows from the parameters of the tool that a function answers.
func (a *analyzer) flowsOf(root callgraph.Root) (out []sink.Flow, cut bool) {
	a.g.Begin()
	a.left, a.cut = min(maxToolWork, maxWork-a.work), false
	sum := a.summarize(root.Func, root.Context)
	params := slices.ContainsFunc(sum.flows, func(p flow) bool {
		from, _ := a.throughRest(root.Func, p.src)
		return strings.HasPrefix(from.path, ".params")
	})
	for _, p := range promised(sum.flows) {
		if !p.fits() {
			continue
		}
		if strings.HasSuffix(p.src.path, moreMembers) {
			a.cut = a.cut || p.src.param >= 0
			continue
		}
		from, ok := a.throughRest(root.Func, p.src)
		if !ok {
			continue
		}
		bound := a.boundOf(root, from)
		p.facts |= a.factsOfBound(bound)
		if p.facts&few != 0 || p.kind == sink.QueryFlow && p.about == "" && !bound.Open || p.kind == sink.ProgramFlow && p.about == variables && !bound.Free {
			continue
		}
		if params && from.param == 0 && !strings.HasPrefix(from.path, ".params") {
			continue // beside the arguments, a request holds what the server itself puts there
		}
		if wrapped := a.checkedBefore(root.Func, p.src); wrapped.gone(p.src) {
			continue
		} else {
			p.facts |= wrapped.facts[p.src] & refusals
		}
		name, ok := a.toolParameter(root, from)
		if !ok {
			continue
		}
		if f, bad := judge(p, a.g.Convention().Language); bad {
			f.Param = name
			f.Steps = append([]sink.FlowStep{{At: callgraph.PlaceOfFunc(root.Func), What: "parameter " + name}}, f.Steps...)
			out = append(out, f)
		}
	}
	return out, a.cut
}

// boundOf returns what a caller can choose of a parameter of a handler, or of a member of it, as far as schemas and types say.
func (a *analyzer) boundOf(root callgraph.Root, src source) *declared.Bound {
	p, bound := paramOf(root.Func, src.param), (*declared.Bound)(nil)
	switch lang := a.g.Convention().Language; {
	case p == nil:
	case lang == "typescript" && root.Via == sink.ByDispatch, lang == "go" && p.Type.Is(ir.Type) && strings.HasSuffix(p.Type.X.Text, "Request"):
		return declared.Anything // a low-level server's schema is listed, and compared with nothing
	case lang == "typescript" && root.Via == sink.ByRegistration && src.param == 0:
		bound = a.schemas.Tool(root.Tool).At(src.path)
	case lang == "go", lang == "python" && root.Via == sink.ByRegistration:
		bound = a.schemas.Parameter(p).At(src.path)
	}
	return cmp.Or(bound, &declared.Bound{})
}

// argumentHolders are members that hold the arguments of a tool, or lead to them.
var argumentHolders = []string{"params", "arguments", "Params", "Arguments", "args", "input"}

// toolParameter returns the name of the tool's parameter that a source is; ok is false for what the server
// itself hands to a handler: its context.
func (a *analyzer) toolParameter(root callgraph.Root, src source) (name string, ok bool) {
	if root.Via == sink.ByRoute {
		return a.requestParameter(root.Func, src)
	}
	p := paramOf(root.Func, src.param)
	if p == nil || src.param < 0 || isContext(p) {
		return "", false
	}
	path := strings.Split(strings.TrimPrefix(src.path, "."), ".")
	if src.path == "" {
		path = nil
	}
	class := a.g.ClassOf(p.Type, nil)
	switch lang := a.g.Convention().Language; {
	case lang == "python" && root.Via == sink.ByRegistration:
		if first := paramOf(root.Func, 0); src.param > 0 && first != nil && allArguments[first.Name] && first.Noted == nil {
			return "", false // handler(arguments, db): the rest is the server's
		}
		switch {
		case !p.Rest:
			path = append([]string{p.Name}, path...)
		case len(path) > 0 && isNumber(path[0]):
			return "", false // *args: a tool's arguments come by their names
		}
		if len(path) > 1 && !isNumber(path[1]) && slices.Contains([]string{"params", "args", "arguments", "input", "request", "req", "data"}, path[0]) {
			path = path[1:]
		}
	case lang == "go" && src.param == 0 && len(root.Func.Params) > 1 && class == nil:
		return "", false // a handler without a context takes a struct of the program first
	case lang == "go" && isBeforeRequest(root.Func, src.param):
		return "", false
	case lang == "go" && holdsContext(class) && (len(path) == 0 || !slices.Contains(argumentHolders, path[0])):
		return "", false // what the server keeps beside the arguments: its configuration, its clients
	case lang == "go" && len(path) > 0 && class != nil:
		path[0] = cmp.Or(class.JSONName(path[0]), path[0])
	case lang == "typescript" && src.param > 0 && root.Via == sink.ByRegistration && (!root.Resource || src.param > 1):
		return "", false
	case lang == "typescript" && root.Resource && src.param == 0:
		path = append([]string{"uri"}, path...)
	case lang == "python" && src.param == 0 && len(root.Func.Params) > 1:
		return "", false // the tool's name
	}
	for len(path) > 1 && slices.Contains(argumentHolders, path[0]) && !isNumber(path[1]) {
		path = path[1:]
	}
	if a.g.Convention().Language == "go" && len(path) > 0 && strings.HasPrefix(src.path, ".Params.Arguments.") {
		path[0] = strings.ToLower(path[0][:1]) + path[0][1:]
	}
	if len(path) == 0 {
		return "arguments", true
	}
	if path[0] == "_meta" || root.Via == sink.ByDispatch && a.g.Fixes(root, src.param, strings.TrimPrefix(src.path, ".")) {
		return "", false
	}
	for len(path) > 1 && (path[len(path)-1] == "*" || isNumber(path[len(path)-1])) {
		path = path[:len(path)-1] // an element is a part of its list
	}
	return strings.Join(path, "."), true
}

// allArguments are names of the parameter in which a handler gets all of a tool's arguments.
var allArguments = names("arguments args params")

// throughRest returns what the handler is called with where a wrapper takes all in one list, as (...args) => handler(...args) does: its
// first element holds the tool's arguments. It is not ok for the others, which hold what the server hands to its handlers.
func (a *analyzer) throughRest(fn *ir.Func, src source) (source, bool) {
	if p := paramOf(fn, src.param); p == nil || !p.Rest || src.param < 0 || a.g.Convention().Language == "python" {
		return src, true
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(src.path, "."), ".")
	if isNumber(first) || first == "*" {
		src.path = ""
		if rest != "" {
			src.path = "." + rest
		}
		return src, first == "*" || first == "0"
	}
	return src, true
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// isBeforeRequest reports whether a parameter of Go stands in front of the request, where the server hands its handlers what they need:
// func(ctx, deps Dependencies, request *mcp.CallToolRequest, args map[string]any).
func isBeforeRequest(fn *ir.Func, index int) bool {
	return slices.ContainsFunc(fn.Params, func(p *ir.Param) bool {
		return p.Index > index && p.Type != nil && p.Type.X != nil && strings.HasPrefix(p.Type.X.Text, "CallTool")
	})
}

// holdsContext reports whether a class of Go embeds the context of the call: such a struct holds what the server has for its handlers, the call's
// arguments among it.
func holdsContext(c *ir.Class) bool {
	return c != nil && slices.ContainsFunc(c.Noted, func(f ir.Field) bool { return f.Name == "" && f.Type.Is(ir.Type) && f.Type.X.Text == "Context" })
}

func isContext(p *ir.Param) bool {
	if p.Name == "ctx" || p.Name == "context" || p.Name == "self" {
		return true
	}
	return p.Type != nil && p.Type.X != nil && strings.Contains(p.Type.X.Text, "Context")
}

// paramOf returns the parameter of a function by its index, or nil.
func paramOf(fn *ir.Func, index int) *ir.Param {
	for _, p := range fn.Params {
		if p.Index == index {
			return p
		}
	}
	return nil
}
