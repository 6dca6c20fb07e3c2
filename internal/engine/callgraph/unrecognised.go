package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

var (
	toolLike = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_./:-]{1,63}$`)
	prose    = lazyregexp.New(`\S\s+\S+\s+\S`)
	// toolWord is in the names of functions and decorators that register tools, whichever framework they are of.
	toolWord = lazyregexp.New(`Tools?([A-Z_]|$)|(^|_)tools?([A-Z_]|$)`)
)

// fewUnnamed is how many registrations of one form make it one where its name does not speak of tools.
const fewUnnamed = 3

// A lookalike is a call or a decorator that looks like the registration of a tool.
type lookalike struct {
	form string // the function or the decorator
	own  bool   // which the program itself defines, as far as is known
	sink.Registration
}

// unrecognised returns what looks like the registration of a tool, by a name, a description and something that may run, but led to no handler: in a
// program that uses an SDK, a function or a decorator whose name speaks of tools, or one of the program's own that is used so at least three times.
func (rg *registrar) unrecognised(ties []tie) []sink.Registration {
	if !rg.usesSDK() {
		return nil
	}
	tools, tied, fns := map[string]bool{}, map[*ir.Expr]bool{}, map[*ir.Func]bool{}
	for _, t := range ties {
		tools[t.tool], tied[t.decl], fns[t.fn.fn] = true, true, true
		tools[t.tool[strings.LastIndexAny(t.tool, "./")+1:]] = true // behind the prefix of its server
	}
	var all []lookalike
	for _, c := range rg.prog.Calls {
		if l, ok := rg.lookAt(c, ""); ok && !rg.conv.Describes[c.X.Text] && slices.ContainsFunc(c.Args, rg.mayRun) && !tied[c] && !tools[l.Name] {
			all = append(all, l)
		}
	}
	for _, fn := range rg.prog.Funcs {
		for _, d := range fn.Decorators {
			if l, ok := rg.lookAt(d, fn.Name); ok && !tied[d] && !fns[fn] && !tools[l.Name] {
				all = append(all, l)
			}
		}
	}
	return append(seriesOf(all, len(fns)), rg.unnamed()...)
}

// unnamed returns registrations at a server of tools whose names the source does not fix, as in a loop over what was read from a file.
func (rg *registrar) unnamed() (out []sink.Registration) {
	for _, c := range rg.prog.Calls {
		if rg.named[c] || !c.X.Is(ir.Attr) || !rg.conv.Registers[c.X.Text] || len(c.Args) < 2 || !c.Args[0].Value.Is(ir.Name, ir.Attr, ir.Index, ir.Template) {
			continue
		}
		if rg.mayRun(c.Args[len(c.Args)-1]) && slices.ContainsFunc(rg.outsides(c.X.X, nil), rg.conv.isServers) {
			out = append(out, sink.Registration{At: PlaceOf(c)})
		}
	}
	return out
}

// seriesOf keeps what speaks of tools, and forms of the program's own that are used several times, more often than there are handlers.
func seriesOf(all []lookalike, handlers int) (out []sink.Registration) {
	named := map[string]map[string]bool{}
	for _, l := range all {
		if named[l.form] == nil {
			named[l.form] = map[string]bool{}
		}
		named[l.form][l.Name] = true
	}
	for _, l := range all {
		if toolWord.MatchString(l.form) || l.own && len(named[l.form]) >= max(fewUnnamed, handlers+1) {
			out = append(out, l.Registration)
		}
	}
	slices.SortFunc(out, func(a, b sink.Registration) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Start, b.At.Start))
	})
	return slices.CompactFunc(out, func(a, b sink.Registration) bool { return a.Name == b.Name })
}

// mayRun reports whether an argument is a function, or an object that holds one.
func (rg *registrar) mayRun(a ir.Arg) bool {
	switch x := a.Value; {
	case x.Is(ir.Object):
		return slices.ContainsFunc(x.Args, func(m ir.Arg) bool { return rg.conv.Handlers[m.Name] || m.Value.Is(ir.Function) })
	case x.Is(ir.Name, ir.Attr):
		return slices.ContainsFunc(rg.evaluate(x, nil), func(v value) bool { return v.kind == function })
	default:
		return x.Is(ir.Function)
	}
}

// lookAt reads the name and the description that a call is given, as itself or by an object; name is that of what it decorates:
// define("x", "What it does.", …, f), define({ name: "x", description: "…", … }), @capability("x", description="What it does.").
func (rg *registrar) lookAt(c *ir.Expr, name string) (l lookalike, ok bool) {
	if !c.Is(ir.Call, ir.New) || !c.X.Is(ir.Name, ir.Attr) {
		return l, false
	}
	described := slices.ContainsFunc(c.Args, func(a ir.Arg) bool {
		return a.Value.Is(ir.Object) && prose.MatchString(rg.written(a.Value.Member("description"))) ||
			(a.Name == "description" || a.Name == "") && prose.MatchString(rg.written(a.Value))
	})
	if !described {
		return l, false
	}
	if l.Name = cmp.Or(rg.nameGiven(c.Args, nil), name); !toolLike.MatchString(l.Name) {
		return l, false
	}
	l.form, l.At = c.X.Text, PlaceOf(c)
	return l, rg.setOwner(&l, c.X)
}

// setOwner notes whether the program defines a function itself. It is not ok for one of another package whose name does not speak of tools.
func (rg *registrar) setOwner(l *lookalike, target *ir.Expr) bool {
	for _, v := range rg.evaluate(target, nil) {
		switch v.kind {
		case function, class:
			l.own = true
		case outside:
			if rg.fromPackage(v.text) && !rg.isSDK(v.text) && !strings.Contains(strings.ToLower(v.text), "mcp") {
				return false // of a package that has nothing to do with servers, as far as its name says
			}
		}
	}
	return l.own || toolWord.MatchString(l.form)
}

// written returns the text that is written in one place, as far as the source holds it; "" for anything else.
func (rg *registrar) written(x *ir.Expr) string {
	if !x.Is(ir.String, ir.Template) {
		return ""
	}
	return rg.Text(x, nil)
}
