package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A registrar finds which function answers which tool, in every form in which servers tie them:
// decorators, calls, objects, classes and dispatchers.
type registrar struct {
	*evaluator
	visited      int                   // calls of functions that register what they are given
	elementsRead int                   // of lists of tools, one by one
	looped       map[*ir.Func]*ir.Expr // callbacks by the list whose elements they are called for
	declared     map[string][]*ir.Expr // see declarationsByName; nil until it is asked for
	sdk          *bool                 // see usesSDK; nil until it is asked for
	decorations  map[*ir.Func][]decoration
	prefixes     map[*ir.Expr]string // under which servers are mounted, by what makes the server
	keys         map[*ir.Expr]string // see keyOf; nil until it is asked for
	named        map[*ir.Expr]bool   // calls that register tools whose names are known
}

// isServerReceiver reports whether a decorator or method belongs to an MCP server as far as can be
// told: only what is known to come from another package alone does not.
func (rg *registrar) isServerReceiver(receiver *ir.Expr) bool {
	names := rg.outsides(receiver, nil)
	return slices.ContainsFunc(names, rg.conv.isServers) || !slices.ContainsFunc(names, rg.fromPackage)
}

// fromPackage reports whether a name is that of a package that the program imports, or of
// something in it.
func (rg *registrar) fromPackage(name string) bool {
	for i := range name {
		if strings.ContainsRune(".([", rune(name[i])) && rg.packages[name[:i]] {
			return true
		}
	}
	return rg.packages[name]
}

// tieDecorators ties @mcp.tool(), with the name in the call or else the function's own.
func (rg *registrar) tieDecorators(fn *ir.Func) (out []tie) {
	for _, d := range fn.Decorators {
		target := d.Target()
		bare := target.Kind == ir.Name && (rg.conv.BareDecorators[target.Text] || rg.isOwnDecorator(target, d.Args))
		method := target.Kind == ir.Attr && rg.conv.Decorators[target.Text] && rg.isServerReceiver(target.X)
		if !bare && !method {
			continue
		}
		out = append(out, rg.decoratorTie(d, value{kind: function, fn: fn, class: fn.Class}, PlaceOfFunc(fn), nil))
	}
	return out
}

// decoratorTie ties a function to the tool that a decorator makes of it, by the name in the decorator's call or else its own.
func (rg *registrar) decoratorTie(d *ir.Expr, fn value, at sink.Place, in *frame) tie {
	name := cmp.Or(rg.nameGiven(d.Args, in), fn.fn.Name)
	if target := d.Target(); target.Kind == ir.Attr {
		name = rg.mounted(target.X, name)
	}
	return tie{tool: name, via: sink.ByRegistration, fn: fn, at: at, decl: d, in: in}
}

// isOwnDecorator reports whether a decorator that the program itself defines describes a tool, for a list that is registered elsewhere:
// @acme_tool(description="…") of a program that uses an SDK.
func (rg *registrar) isOwnDecorator(target *ir.Expr, args []ir.Arg) bool {
	name := strings.ToLower(target.Text)
	if name != "tool" && !strings.HasSuffix(name, "_tool") || !slices.ContainsFunc(args, func(a ir.Arg) bool { return a.Name == "description" }) || !rg.usesSDK() {
		return false
	}
	for _, v := range rg.evaluate(target, nil) {
		if v.kind == function || v.kind == class || v.kind == outside && strings.HasSuffix(v.text, "()") { // partial(…)
			return true
		}
	}
	return false
}

// usesSDK reports whether a module of the program imports what servers are made with.
func (rg *registrar) usesSDK() bool {
	if rg.sdk == nil {
		rg.sdk = new(bool)
		for _, m := range rg.prog.Modules {
			for _, bindings := range m.Scope.Names {
				*rg.sdk = *rg.sdk || slices.ContainsFunc(bindings, func(b *ir.Binding) bool { return b.Import != nil && rg.isSDK(b.Import.Module) })
			}
		}
	}
	return *rg.sdk
}

func (rg *registrar) isSDK(module string) bool { return rg.conv.isServers(module + ".") }

// registrationFrames returns frames in which code inside a function can run: that of no call, and, where
// that says too little, those of the calls of the function around it. A helper that registers what
// it is given is read once for each time it is called.
func (rg *registrar) registrationFrames(scope *ir.Scope) []*frame {
	fn := scope.Owner()
	for fn != nil && fn.Name == "" && fn.Scope.Up != nil {
		if fs := rg.framesPerElement(fn); fs != nil {
			return fs
		}
		fn = fn.Scope.Up.Owner()
	}
	const enough, inAll = 300, 20_000
	if fn == nil || len(rg.CallsOf(fn.Name)) > enough || rg.visited > inAll {
		return nil
	}
	rg.visited += len(rg.CallsOf(fn.Name))
	var out []*frame
	for _, c := range rg.CallsOf(fn.Name) {
		for _, v := range rg.evaluate(c.X, nil) {
			if v.kind == function && v.fn == fn {
				// Contexts are not counted here: each registration is wanted.
				out = append(out, &frame{fn: fn, args: rg.bindWithBudget(fn, c.Args, nil)})
			}
		}
	}
	return out
}

// tieCall ties a call that takes a tool and a function: server.tool("x", …, f),
// mcp.AddTool(s, &mcp.Tool{Name: "x"}, f), NewTool(…, mcp.Tool{…}, f), mcp.tool(…)(f).
func (rg *registrar) tieCall(c *ir.Expr) []tie {
	if c.X == nil {
		return nil
	}
	if c.X.Kind == ir.Call && c.X.X != nil && rg.conv.Decorators[c.X.X.Text] && c.X.X.Kind == ir.Attr && len(c.Args) == 1 {
		return rg.tieAppliedDecorator(c)
	}
	register := rg.conv.Registers[c.X.Text]
	if rg.conv.Describes[c.X.Text] {
		if out := rg.tieDeclaration(c); out != nil {
			return out
		}
	}
	if !register && !slices.ContainsFunc(c.Args, func(a ir.Arg) bool { return a.Value != nil && rg.declaresTool(a.Value) }) {
		return nil
	}
	if register && c.X.Kind == ir.Attr && !rg.isServerReceiver(c.X.X) {
		return nil
	}
	return rg.inFrames(c.Scope, func(f *frame) ([]tie, bool) { return rg.tieCallIn(c, register, f) })
}

// inFrames reads a registration as it stands and, where that does not name its tool, in the frames of the calls of the function around it.
func (rg *registrar) inFrames(scope *ir.Scope, read func(*frame) (ties []tie, named bool)) []tie {
	out, named := read(nil)
	if named {
		return out
	}
	for _, f := range rg.registrationFrames(scope) {
		more, _ := read(f)
		out = append(out, more...)
	}
	return out
}

// tieDeclaration ties Tool(name="x", handler=f), and Tool(name=name) in a decorator of the program's own.
func (rg *registrar) tieDeclaration(c *ir.Expr) (out []tie) {
	for _, d := range rg.insideDecorator(c.Scope) { // def register(fn): TOOLS[name] = (Tool(name=name), fn)
		out = append(out, tie{at: d.at, decl: c, in: d.in}.each(rg.declaredName(c, d.in), []value{d.fn})...)
	}
	for _, a := range c.Args {
		if rg.conv.Handlers[a.Name] && a.Value != nil {
			out = append(out, tie{at: PlaceOf(c), decl: c}.each(rg.declaredName(c, nil), rg.functionsIn(a.Value, nil, 0))...)
		}
	}
	return out
}

// each returns a tie of each function to each tool, for what is the same for all of them.
func (t tie) each(tools []string, fns []value) (out []tie) {
	t.via = cmp.Or(t.via, sink.ByRegistration)
	for _, t.tool = range tools {
		for _, t.fn = range fns {
			out = append(out, t)
		}
	}
	return out
}

func (rg *registrar) tieCallIn(c *ir.Expr, register bool, f *frame) (out []tie, named bool) {
	var names []string
	var fns []value
	args := c.Args
	if len(args) > 0 && args[0].Value.Is(ir.Name) && args[0].Value.Text == "ctx" { // of Go, in front of everything
		args = args[1:]
	}
	for i, a := range args {
		if a.Value == nil {
			continue
		}
		if fs := rg.functionsIn(a.Value, f, 0); len(fs) > 0 && (register || i > 0) {
			fns = fs
			continue
		}
		if len(names) == 0 && (register && (i == 0 || a.Name == "name") || rg.declaresTool(a.Value)) {
			names = rg.toolNamesIn(a.Value, f)
		}
	}
	rg.named[c] = rg.named[c] || len(names) > 0
	if register && len(names) == 0 && len(fns) > 0 && rg.conv.Language == "python" {
		rg.named[c] = true
		for _, fn := range fns { // add_tool(f)
			out = append(out, tie{tool: fn.fn.Name, via: sink.ByRegistration, fn: fn, at: PlaceOf(c), decl: c, in: f})
		}
		return out, true
	}
	if len(names) > 1 && len(fns) > 1 && rg.readPerElement(c.Args, f, func(one *frame) {
		more, _ := rg.tieCallIn(c, register, one)
		out = append(out, more...)
	}) {
		return out, true
	}
	var via sink.Via
	if len(names) > 1 && len(fns) > 1 {
		via = sink.ByDispatch // which function answers which tool is not known
	}
	return tie{via: via, at: PlaceOf(c), decl: c, in: f}.each(names, fns), len(names) > 0
}

func (rg *registrar) tieAppliedDecorator(c *ir.Expr) (out []tie) {
	if !rg.isServerReceiver(c.X.X.X) {
		return nil
	}
	for _, d := range rg.insideDecorator(c.Scope) { // what that is put on are the tools; the wrapper only hands the arguments on
		out = append(out, rg.decoratorTie(c.X, d.fn, d.at, d.in))
	}
	if len(out) > 0 {
		return out
	}
	tied := func(f *frame) {
		for _, fn := range rg.functionsIn(c.Args[0].Value, f, 0) {
			out = append(out, rg.decoratorTie(c.X, fn, PlaceOf(c), f))
		}
	}
	if !rg.readPerElement(c.Args, nil, tied) {
		tied(nil)
	}
	return out
}

// registeredTies finds the functions that are registered together with the name of their tool.
func (rg *registrar) registeredTies() (out []tie) {
	type pair struct {
		tool string
		fn   *ir.Func
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
	for _, fn := range rg.prog.Funcs {
		once(rg.tieDecorators(fn))
	}
	for _, c := range rg.prog.Calls {
		once(rg.tieCall(c))
	}
	for _, o := range rg.prog.Objects {
		once(rg.tieObject(o))
	}
	for _, c := range rg.prog.Classes {
		once(rg.tieClass(c))
	}
	return out
}

func compareTies(a, b tie) int {
	return cmp.Or(strings.Compare(a.tool, b.tool), strings.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Start, b.at.Start))
}
