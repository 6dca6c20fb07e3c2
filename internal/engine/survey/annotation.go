package survey

import (
	"fmt"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// writes are what a tool that is declared read-only does not do.
var writes = []capability.Tag{capability.FSWrite, capability.DBWrite}

// ReadOnlyLies returns tools that their registration declares read-only although their handlers write, by the calls that do.
func ReadOnlyLies(g *callgraph.Graph, found *sink.Sources) (out []sink.Site) {
	s := &surveyor{g: g, lang: g.Convention().Language}
	handlers := found.ByTool()
	declared := s.declaredReadOnly()
	shared := sharedCalls(found)
	for _, root := range g.Roots() {
		h := handlers[root.Tool]
		if h == nil || root.Via != sink.ByRegistration || !declared[root.At] {
			continue
		}
		for _, c := range h.Calls {
			if c.Strength != sink.Strong || len(c.Chain) > sink.Near || shared[c.At] || c.Tag != writes[0] && c.Tag != writes[1] {
				continue
			}
			out = append(out, sink.Site{Kind: sink.ReadOnlyLie, At: c.At, Tool: root.Tool, Name: root.Tool,
				Why: fmt.Sprintf("it is declared read-only at %s:%d, but its handler calls %s, which writes", root.At.File, root.At.Line, c.Name)})
			break
		}
	}
	return out
}

// sharedCalls returns the places that half of the tools reach, or more: the server's own log and cache.
func sharedCalls(found *sink.Sources) map[sink.Place]bool {
	tools := map[sink.Place]int{}
	for i := range found.Handlers {
		for _, c := range found.Handlers[i].Calls {
			tools[c.At]++
		}
	}
	out := map[sink.Place]bool{}
	const few = 4
	for at, n := range tools {
		out[at] = n >= few && 2*n >= len(found.Handlers)
	}
	return out
}

// declaredReadOnly returns the places of registrations that declare their tool read-only.
func (s *surveyor) declaredReadOnly() map[sink.Place]bool {
	out := map[sink.Place]bool{}
	fits := s.filesWith("readOnlyHint", "ReadOnlyHint", "read_only_hint")
	for _, list := range [][]*ir.Expr{s.g.Program().Calls, s.g.Program().Objects} {
		for _, e := range list {
			if fits[e.Scope.File] && s.saysReadOnly(e) {
				out[callgraph.PlaceOf(e)] = true
			}
		}
	}
	for _, fn := range s.g.Program().Funcs {
		for _, d := range fn.Decorators {
			if fits[fn.Scope.File] && s.saysReadOnly(d) {
				f := fn.Scope.File
				out[sink.Place{File: f.Path, Line: f.Line(fn.Start), Start: int(fn.Start), End: int(fn.End)}] = true
			}
		}
	}
	return out
}

// saysReadOnly reports whether an expression holds readOnlyHint: true, or calls what says so.
func (s *surveyor) saysReadOnly(e *ir.Expr) bool {
	return s.finds(e, func(x *ir.Expr) verdict {
		for _, a := range x.Args {
			if (a.Name == "readOnlyHint" || a.Name == "ReadOnlyHint" || a.Name == "read_only_hint") && a.Value != nil && s.isTrue(a.Value) {
				return yes
			}
		}
		if x.Kind == ir.Call && x.X != nil && x.X.Text == "WithReadOnlyHintAnnotation" && len(x.Args) == 1 && s.isTrue(x.Args[0].Value) {
			return yes
		}
		return goOn
	})
}
