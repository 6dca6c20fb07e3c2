package reach

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// A tie is a function that answers a tool, as it was found.
type tie struct {
	tool string
	via  sink.Via
	fn   value
	at   sink.Place
	// given are the arguments that a dispatcher gets: the name of the tool.
	given [][]value
	alone bool // it is the only tool of the dispatcher, which has nothing to branch on
}

func (en *engine) sources(tools []string) *sink.Sources {
	out := &sink.Sources{Files: len(en.prog.Files)}
	listed := map[string]bool{}
	for _, name := range tools {
		listed[name] = true
	}
	ties := en.ties(listed)
	seen := map[string]int{}
	for _, t := range ties {
		h := en.handler(t)
		if i, ok := seen[t.tool]; ok {
			merge(&out.Handlers[i], h)
			continue
		}
		seen[t.tool] = len(out.Handlers)
		out.Handlers = append(out.Handlers, h)
		listed[t.tool] = true
	}
	slices.SortFunc(out.Handlers, func(a, b sink.Handler) int { return strings.Compare(a.Tool, b.Tool) })
	for name := range listed {
		out.Listed = append(out.Listed, name)
	}
	slices.Sort(out.Listed)
	return out
}

// merge joins a second registration of the same name: which of them the server uses is not
// known, so what either does counts, and what neither could be read.
func merge(h *sink.Handler, more sink.Handler) {
	type key struct {
		tag  capability.Tag
		name string
		at   sink.Place
	}
	have := map[key]bool{}
	for _, c := range h.Calls {
		have[key{c.Tag, c.Name, c.At}] = true
	}
	for _, c := range more.Calls {
		if !have[key{c.Tag, c.Name, c.At}] {
			h.Calls = append(h.Calls, c)
		}
	}
	h.Gaps = append(h.Gaps, more.Gaps...)
}

// handler reads what one tie leads to.
func (en *engine) handler(t tie) sink.Handler {
	late := en.work > maxApart
	if !late {
		clear(en.contexts) // so that a tool is read alike however many came before it
	}
	en.merged = false
	h := sink.Handler{Tool: t.tool, Language: en.conv.Language, Via: t.via, Func: t.fn.fn.Name, At: t.at}
	f := en.enter(t.fn.fn, t.given, receiver(t.fn), t.fn.frame)
	from := []*frame{f}
	for _, d := range t.fn.fn.Decorators { // what wraps the handler runs with it
		if d.Kind == program.Call {
			d = d.X
		}
		for _, v := range en.values(d, nil) {
			if v.kind == function {
				from = append(from, en.enter(v.fn, nil, nil, nil))
			}
		}
	}
	named := en.trace(&h, from...)
	if fn := t.fn.fn; en.conv.Language != "python" && answersElsewhere(fn) { // Python's parameters are the tool's own
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.Elsewhere, Detail: fn.Name, At: placeAt(fn.Scope.File, fn.Start, fn.End)})
	}
	if t.via == sink.ByDispatch && !t.alone && (!named || late && en.merged) {
		h.Via = sink.ByFallback
		for i := range h.Calls { // of all tools together; which of them does it is not known
			h.Calls[i].Strength = sink.Weak
		}
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.NoBranch, Detail: t.tool, At: t.at})
	}
	return h
}

// answersElsewhere reports whether a handler returns nothing and was given more than its
// arguments: what it leaves there, who called it may act on.
func answersElsewhere(fn *program.Func) bool {
	given := 0
	for _, p := range fn.Params {
		if p.Index >= 0 {
			given++
		}
	}
	return given > 1 && !fn.Lambda && !returns(fn.Body)
}

func returns(body []program.Stmt) bool {
	for i := range body {
		s := &body[i]
		if s.Step == program.Return && s.X != nil || returns(s.Rest) {
			return true
		}
		for _, arm := range s.Arms {
			if returns(arm.Body) {
				return true
			}
		}
	}
	return false
}

// ties finds all handlers: those registered with their tool first, then those of tools that
// are only dispatched.
func (en *engine) ties(listed map[string]bool) []tie {
	var out []tie
	type pair struct {
		tool string
		fn   *program.Func
	}
	seen := map[pair]int{}
	once := func(ts []tie) { // hostile sources register the same again and again; the first place counts
		for _, t := range ts {
			k := pair{t.tool, t.fn.fn}
			i, ok := seen[k]
			switch {
			case !ok:
				seen[k] = len(out)
				out = append(out, t)
			case compareTies(t, out[i]) < 0:
				out[i] = t
			}
		}
	}
	for _, fn := range en.prog.Funcs {
		once(en.decorated(fn))
	}
	for _, c := range en.prog.Calls {
		once(en.registered(c))
	}
	for _, o := range en.prog.Objects {
		once(en.object(o))
	}
	for _, c := range en.prog.Classes {
		once(en.classTool(c))
	}
	have := map[string]bool{}
	for _, t := range out {
		have[t.tool] = true
	}
	declared := map[string]bool{}
	for name := range listed {
		declared[name] = true
	}
	for _, name := range en.declared() {
		declared[name] = true
		listed[name] = true
	}
	out = append(out, en.dispatched(declared, have)...)
	slices.SortStableFunc(out, compareTies)
	return slices.CompactFunc(out, func(a, b tie) bool { return a.tool == b.tool && a.fn.fn == b.fn.fn })
}

func compareTies(a, b tie) int {
	return cmp.Or(strings.Compare(a.tool, b.tool), strings.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Start, b.at.Start))
}

// ofServer reports whether a decorator or method belongs to an MCP server as far as can be
// told: only what is known to come from another package alone does not.
func (en *engine) ofServer(receiver *program.Expr) bool {
	foreign := false
	for _, v := range en.values(receiver, nil) {
		if v.kind != outside {
			continue
		}
		for _, s := range en.conv.Servers {
			if strings.HasPrefix(v.text, s) {
				return true
			}
		}
		foreign = foreign || en.fromPackage(v.text)
	}
	return !foreign
}

// fromPackage reports whether a name is that of a package that the program imports, or of
// something in it.
func (en *engine) fromPackage(name string) bool {
	for i := range name {
		if strings.ContainsRune(".([", rune(name[i])) && en.packages[name[:i]] {
			return true
		}
	}
	return en.packages[name]
}

// decorated ties @mcp.tool(), with the name in the call or else the function's own.
func (en *engine) decorated(fn *program.Func) []tie {
	var out []tie
	for _, d := range fn.Decorators {
		target, args := d, []program.Arg(nil)
		if d.Kind == program.Call {
			target, args = d.X, d.Args
		}
		switch target.Kind {
		case program.Attr:
			if !en.conv.Decorators[target.Text] || !en.ofServer(target.X) {
				continue
			}
		case program.Name:
			if !en.conv.BareDecorators[target.Text] {
				continue
			}
		default:
			continue
		}
		name := fn.Name
		for i, a := range args {
			if a.Name != "name" && (a.Name != "" || i > 0) {
				continue
			}
			v := only(en.values(a.Value, nil))
			if v.kind == composite { // @Tool({ name: "x" })
				v = only(en.entry(v, "name"))
			}
			if v.kind == constant {
				name = v.text
			}
		}
		out = append(out, tie{tool: name, via: sink.ByRegistration, fn: value{kind: function, fn: fn, class: fn.Class}, at: placeAt(fn.Scope.File, fn.Start, fn.End)})
	}
	return out
}

// sites returns frames in which code inside a function can run: that of no call, and, where
// that says too little, those of the calls of the function around it. A helper that registers what
// it is given is read once for each time it is called.
func (en *engine) sites(scope *program.Scope) []*frame {
	fn := scope.Owner()
	for fn != nil && fn.Name == "" && fn.Scope.Up != nil {
		if fs := en.each(fn); fs != nil {
			return fs
		}
		fn = fn.Scope.Up.Owner()
	}
	const enough, inAll = 300, 20_000
	if fn == nil || len(en.callsOf(fn.Name)) > enough || en.visited > inAll {
		return nil
	}
	en.visited += len(en.callsOf(fn.Name))
	var out []*frame
	for _, c := range en.callsOf(fn.Name) {
		for _, v := range en.values(c.X, nil) {
			if v.kind == function && v.fn == fn {
				// Contexts are not counted here: each registration is wanted.
				en.loose++
				out = append(out, &frame{id: -en.loose, fn: fn, args: en.bindFresh(fn, c.Args, nil)})
			}
		}
	}
	return out
}

// registered ties a call that takes a tool and a function: server.tool("x", …, f),
// mcp.AddTool(s, &mcp.Tool{Name: "x"}, f), NewTool(…, mcp.Tool{…}, f), mcp.tool(…)(f).
func (en *engine) registered(c *program.Expr) []tie {
	if c.X == nil {
		return nil
	}
	if c.X.Kind == program.Call && c.X.X != nil && en.conv.Decorators[c.X.X.Text] && c.X.X.Kind == program.Attr && len(c.Args) == 1 {
		return en.decoratedByHand(c)
	}
	register := en.conv.Registers[c.X.Text]
	if en.conv.Describes[c.X.Text] {
		if out := en.declaredWith(c); out != nil {
			return out
		}
	}
	if !register && !slices.ContainsFunc(c.Args, func(a program.Arg) bool { return a.Value != nil && en.describing(a.Value) }) {
		return nil
	}
	if register && c.X.Kind == program.Attr && !en.ofServer(c.X.X) {
		return nil
	}
	out, named := en.registeredIn(c, register, nil)
	if named {
		return out
	}
	for _, f := range en.sites(c.Scope) {
		more, _ := en.registeredIn(c, register, f)
		out = append(out, more...)
	}
	return out
}

// declaredWith ties Tool(name="x", handler=f).
func (en *engine) declaredWith(c *program.Expr) []tie {
	var out []tie
	for _, a := range c.Args {
		if !en.conv.Handlers[a.Name] || a.Value == nil {
			continue
		}
		for _, fn := range en.functions(a.Value, nil, 0) {
			for _, name := range en.declaredName(c, nil) {
				out = append(out, tie{tool: name, via: sink.ByRegistration, fn: fn, at: place(c.Scope.File, c)})
			}
		}
	}
	return out
}

func (en *engine) registeredIn(c *program.Expr, register bool, f *frame) (out []tie, named bool) {
	var names []string
	var fns []value
	for i, a := range c.Args {
		if a.Value == nil {
			continue
		}
		if fs := en.functions(a.Value, f, 0); len(fs) > 0 && (register || i > 0) {
			fns = fs
			continue
		}
		if len(names) == 0 && (register && (i == 0 || a.Name == "name") || en.describing(a.Value)) {
			names = en.toolNames(a.Value, f)
		}
	}
	if register && len(names) == 0 && len(fns) > 0 && en.conv.Language == "python" {
		for _, fn := range fns { // add_tool(f)
			out = append(out, tie{tool: fn.fn.Name, via: sink.ByRegistration, fn: fn, at: place(c.Scope.File, c)})
		}
		return out, true
	}
	if len(names) > 1 && len(fns) > 1 && en.perElement(c.Args, f, func(one *frame) {
		more, _ := en.registeredIn(c, register, one)
		out = append(out, more...)
	}) {
		return out, true
	}
	via := sink.ByRegistration
	if len(names) > 1 && len(fns) > 1 {
		via = sink.ByDispatch // which function answers which tool is not known
	}
	for _, name := range names {
		for _, fn := range fns {
			out = append(out, tie{tool: name, via: via, fn: fn, at: place(c.Scope.File, c)})
		}
	}
	return out, len(names) > 0
}

func (en *engine) decoratedByHand(c *program.Expr) []tie {
	if !en.ofServer(c.X.X.X) {
		return nil
	}
	var out []tie
	tied := func(f *frame) {
		for _, fn := range en.functions(c.Args[0].Value, f, 0) {
			name := fn.fn.Name
			for i, a := range c.X.Args {
				if v := only(en.values(a.Value, f)); v.kind == constant && (a.Name == "name" || a.Name == "" && i == 0) {
					name = v.text
				}
			}
			out = append(out, tie{tool: name, via: sink.ByRegistration, fn: fn, at: place(c.Scope.File, c)})
		}
	}
	if !en.perElement(c.Args, nil, tied) {
		tied(nil)
	}
	return out
}

// functions returns the functions that an argument is, or that a call wraps:
// withLogging("x", async (args) => …).
func (en *engine) functions(x *program.Expr, f *frame, depth int) []value {
	var out []value
	for _, v := range en.values(x, f) {
		if v.kind == function && !v.fn.Abstract {
			out = add(out, v)
		}
	}
	if x.Kind == program.Object && depth == 0 && len(out) == 0 { // { createTask: async () => … }
		for _, a := range x.Args {
			if a.Value != nil && a.Value.Kind == program.Function {
				out = add(out, value{kind: function, fn: a.Value.Func, frame: f})
			}
		}
	}
	if x.Kind == program.Call && depth < 3 {
		// The wrapper's function and what it wraps both run.
		for _, a := range x.Args {
			if a.Value != nil && a.Value.Kind != program.String {
				out = add(out, en.functions(a.Value, f, depth+1)...)
			}
		}
	}
	return out
}

// written returns what a name was given, as it is written there, where that is one thing.
func (en *engine) written(x *program.Expr) *program.Expr {
	for range 5 {
		var bindings []*program.Binding
		switch x.Kind {
		case program.Name:
			bindings, _ = x.Scope.Find(x.Text)
		case program.Attr:
			if m := only(en.values(x.X, nil)); m.kind == module {
				bindings = m.mod.Scope.Names[x.Text]
			}
		}
		if len(bindings) != 1 || bindings[0].Value == nil {
			return x
		}
		x = bindings[0].Value
	}
	return x
}

// describing reports whether an expression is, or was given, the declaration of a tool.
func (en *engine) describing(x *program.Expr) bool {
	x = en.written(x)
	switch x.Kind {
	case program.New, program.Call, program.Type:
		return x.X != nil && en.conv.Describes[x.X.Text]
	}
	return false
}

// toolNames returns the names in an argument: a constant, or the declaration of a tool.
func (en *engine) toolNames(x *program.Expr, f *frame) []string {
	var out []string
	for _, v := range en.values(x, f) {
		switch v.kind {
		case constant:
			out = append(out, v.text)
		case composite:
			out = append(out, en.constants(v, "name")...)
		case instance, outside:
			if en.describing(x) {
				return en.declaredName(x, f)
			}
			if v.expr != nil && en.describing(v.expr) {
				out = append(out, en.declaredName(v.expr, v.frame)...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// declaredName returns the name in Tool(name="x"), mcp.Tool{Name: "x"} or NewTool("x", …).
func (en *engine) declaredName(x *program.Expr, f *frame) []string {
	x = en.written(x)
	for i, a := range x.Args {
		if a.Name == "name" || a.Name == "Name" || a.Name == "" && i == 0 {
			if v := only(en.values(a.Value, f)); v.kind == constant {
				return []string{v.text}
			}
		}
	}
	return nil
}

func (en *engine) constants(v value, name string) []string {
	var out []string
	for _, m := range en.entry(v, name) {
		if m.kind == constant {
			out = append(out, m.text)
		}
	}
	return out
}
