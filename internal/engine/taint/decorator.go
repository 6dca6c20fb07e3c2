package taint

import (
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// checkedBefore returns what the decorators of a function make sure of a parameter before it runs: each is a function of the
// program that returns one of its own, which has a parameter of the same name.
func (a *analyzer) checkedBefore(fn *ir.Func, src source) outcome {
	out := outcome{knowledge: newKnowledge()}
	p := paramOf(fn, src.param)
	for _, d := range fn.Decorators {
		for _, callee := range a.g.Functions(d.Target(), callgraph.Context{}) {
			if p != nil {
				a.addChecks(callee.Func, p.Name, src, &out)
			}
		}
	}
	return out
}

func (a *analyzer) addChecks(decorator *ir.Func, param string, src source, out *outcome) {
	for _, inner := range a.functionsIn(decorator) {
		for _, q := range inner.Params {
			if q.Name == param {
				own := source{param: q.Index, path: src.path}
				returned := a.summarize(inner, callgraph.Context{}).returned()
				out.facts[src] |= returned.facts[own]
				out.gone[src] = out.gone[src] || returned.gone[own]
			}
		}
	}
}

// functionsIn returns the functions that are written in another one.
func (a *analyzer) functionsIn(outer *ir.Func) []*ir.Func {
	if a.inner == nil {
		a.inner = map[*ir.Func][]*ir.Func{}
		for _, fn := range a.g.Program().Funcs {
			if fn.Scope.Up != nil && fn.Scope.Up.Owner() != nil {
				owner := fn.Scope.Up.Owner()
				a.inner[owner] = append(a.inner[owner], fn)
			}
		}
	}
	return a.inner[outer]
}
