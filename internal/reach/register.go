package reach

import (
	"slices"
	"strings"

	"gauntlet/internal/program"
	"gauntlet/sink"
)

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
