package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A decoration is one use of a decorator that the program itself defines: audited(server, "x")(f), or @audited(server, "x") before f.
type decoration struct {
	made *ir.Expr // the call that returns the decorator, or nil where the decorator is used as it is
	fn   value    // what is decorated
	at   sink.Place
}

// maxDecorations bounds how many uses of decorators are looked at, so that hostile sources end.
const maxDecorations = 20_000

// decorationsOf returns the uses of a decorator, or of the function that makes it.
func (rg *registrar) decorationsOf(fn *ir.Func) []decoration {
	if rg.decorations != nil {
		return rg.decorations[fn]
	}
	rg.decorations = map[*ir.Func][]decoration{}
	left := maxDecorations
	note := func(decorator *ir.Expr, of value, at sink.Place) {
		made := decorator
		if decorator.Kind != ir.Call {
			made = nil
		}
		if left--; left >= 0 {
			for _, v := range rg.functions(decorator.Target(), nil) {
				rg.decorations[v.fn] = append(rg.decorations[v.fn], decoration{made, of, at})
			}
		}
	}
	for _, f := range rg.prog.Funcs {
		for _, d := range f.Decorators {
			note(d, value{kind: function, fn: f, class: f.Class}, PlaceOfFunc(f))
		}
	}
	for _, c := range rg.CallsOf("") {
		if c.X.Kind == ir.Call && len(c.Args) == 1 && c.Args[0].Value != nil {
			for _, of := range rg.functionsIn(c.Args[0].Value, nil, 0) {
				note(c.X, of, PlaceOf(c))
			}
		}
	}
	return rg.decorations[fn]
}

// A decorated is a frame inside a decorator that registers what it is put on.
type decorated struct {
	in *frame
	decoration
}

// insideDecorator returns a frame for each use of the decorator that code is in; nothing where it is in none.
func (rg *registrar) insideDecorator(scope *ir.Scope) (out []decorated) {
	inner := scope.Owner()
	if inner == nil || inner.Name == "" || rg.conv.Language != "python" {
		return nil
	}
	outer := (*ir.Func)(nil)
	uses := rg.decorationsOf(inner)
	if len(uses) == 0 && inner.Scope.Up != nil {
		if outer = inner.Scope.Up.Owner(); outer == nil || !returnsFunction(outer, inner.Name) {
			return nil
		}
		uses = rg.decorationsOf(outer)
	}
	for _, d := range uses {
		if rg.visited++; rg.visited > maxDecorations {
			break
		}
		var up *frame
		if outer != nil {
			if d.made == nil {
				continue
			}
			up = &frame{fn: outer, args: rg.bindWithBudget(outer, d.made.Args, nil)}
		}
		out = append(out, decorated{&frame{fn: inner, args: [][]value{{d.fn}}, up: up}, d})
	}
	return out
}

// returnsFunction reports whether a function ends by returning one that it defines.
func returnsFunction(fn *ir.Func, name string) bool {
	return slices.ContainsFunc(fn.Body, func(s ir.Stmt) bool { return s.Step == ir.Return && s.X.Is(ir.Name) && s.X.Text == name })
}
