package taint

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// Beside its tools a server answers resources and prompts, whose addresses and arguments a client chooses, and often routes of HTTP.

var (
	// otherDecorators are decorators of functions that answer resources and prompts.
	otherDecorators = names("read_resource resource get_prompt prompt")
	// otherRegisters are methods by which they are registered, other schemas those of requests for them.
	otherRegisters = names("resource registerResource addResource prompt registerPrompt addPrompt AddResource AddResourceTemplate AddPrompt")
	otherSchemas   = []string{"ReadResourceRequestSchema", "GetPromptRequestSchema"}
	// routers are methods that put a function behind a route.
	routers = names("get post put patch delete all use")
	// routeMakers are functions of Python that do.
	routeMakers = names("Route add_route add_api_route add_url_rule")
)

// routeFlows are those of routes that are reported: what a page that anybody opens does harm with.
var routeFlows = []sink.FlowKind{sink.ShellFlow, sink.ProgramFlow, sink.CodeFlow, sink.HostFlow, sink.PathFlow, sink.SQLFlow}

// maxOthers is how many of them are read.
const maxOthers = 300

// readOthers follows what a client chooses in a request for a resource or a prompt, and what anybody chooses in one for a route that
// starts programs or runs code.
func (a *analyzer) readOthers() (out []sink.Handler) {
	conv, prog := a.g.Convention(), a.g.Program()
	read := 0
	add := func(root callgraph.Root) {
		if read++; read > maxOthers {
			return
		}
		h := sink.Handler{Tool: root.Tool, Language: conv.Language, Via: root.Via, Func: root.Func.Name, At: callgraph.PlaceOfFunc(root.Func)}
		h.Flows, h.FlowsCut = a.flowsOf(root)
		if root.Via == sink.ByRoute {
			h.Flows = slices.DeleteFunc(h.Flows, func(f sink.Flow) bool {
				return !slices.Contains(routeFlows, f.Kind)
			})
		}
		if sortFlows(&h); len(h.Flows) > 0 || h.FlowsCut && root.Via != sink.ByRoute {
			out = append(out, h)
		}
	}
	for _, fn := range prog.Funcs {
		for _, d := range fn.Decorators {
			method := d.Target()
			if !method.Is(ir.Attr) || conv.Language != "python" {
				continue
			}
			if otherDecorators[method.Text] {
				add(callgraph.Root{Tool: fn.Name, Func: fn, Via: sink.ByRegistration})
			} else if at := d.Arg(0); at != nil && (routers[method.Text] || method.Text == "route" || method.Text == "custom_route") && strings.HasPrefix(at.Text, "/") { // @app.post("/run")
				add(callgraph.Root{Tool: strings.ToUpper(method.Text) + " " + at.Text, Func: fn, Via: sink.ByRoute})
			}
		}
	}
	for _, c := range prog.Calls {
		if len(c.Args) < 2 || !routeMakers[c.Calls()] && (!c.X.Is(ir.Attr) || conv.Language == "python") {
			continue
		}
		first, last := c.Args[0].Value, c.Args[len(c.Args)-1].Value
		root := callgraph.Root{Via: sink.ByRegistration, At: callgraph.PlaceOf(c)}
		switch {
		case routeMakers[c.Calls()]: // Route("/run", endpoint=run)
			if conv.Language != "python" || !first.Is(ir.String) || !strings.HasPrefix(first.Text, "/") {
				continue
			}
			root.Via, root.Tool = sink.ByRoute, "ROUTE "+first.Text
			if last = cmp.Or(c.Option("endpoint"), c.Option("view_func"), c.Args[1].Value); last == nil {
				continue
			}
		case otherRegisters[c.X.Text]:
			root.Resource = strings.Contains(strings.ToLower(c.X.Text), "resource")
			root.Tool, _ = a.g.Constant(first, nil)
		case c.X.Text == "setRequestHandler" && first != nil && slices.ContainsFunc(otherSchemas, func(s string) bool { return strings.HasSuffix(first.Text, s) }):
			root.Via, root.Tool = sink.ByDispatch, strings.TrimSuffix(first.Text, "RequestSchema")
		case routers[c.X.Text] && first != nil && first.Kind == ir.String && strings.HasPrefix(first.Text, "/"):
			root.Via, root.Tool = sink.ByRoute, strings.ToUpper(c.X.Text)+" "+first.Text
		default:
			continue
		}
		for _, f := range a.g.Functions(last, nil) {
			root.Func, root.Context = f.Func, f.Context
			add(root)
		}
	}
	return out
}

// globalRequest is the parameter that stands for a request which a framework keeps in a global, as Flask does.
const globalRequest = -5

// requestParameter names what of a request arrives: the part of it that a client chooses.
func (a *analyzer) requestParameter(fn *ir.Func, src source) (name string, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(src.path, "."), ".", 2)
	switch {
	case src.param == globalRequest:
		return strings.TrimPrefix(src.path, "."), src.path != ""
	case a.g.Convention().Language == "python":
		p := paramOf(fn, src.param)
		return strings.TrimSuffix(p.Name+src.path, ".*"), p.Name != "self" && !a.schemas.Parameter(p).Gone
	}
	switch parts[0] {
	case "query", "body", "params", "headers":
		return strings.Join(parts, "."), src.param == 0 && len(parts) == 2
	}
	return "", false
}
