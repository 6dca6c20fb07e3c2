package survey

import (
	"bytes"
	"slices"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// maxParts is how deep the parts of an expression are looked at inside each other.
const maxParts = 60

// eachPart calls f for each part of what a body computes and asks, without the functions inside it.
func eachPart(body []ir.Stmt, f func(*ir.Expr)) {
	ir.EachExpr(body, func(e *ir.Expr) {
		e.Search(maxParts, func(x *ir.Expr) (bool, bool) { f(x); return false, true })
	})
}

func (s *surveyor) calleesIn(body []ir.Stmt) (out []callgraph.Callee) {
	eachPart(body, func(x *ir.Expr) {
		if x.Kind == ir.Call {
			out = append(out, s.g.Callees(x, nil)...)
		}
	})
	return out
}

// callsIn returns the calls of files whose text holds one of some words.
func (s *surveyor) callsIn(words ...string) []*ir.Expr {
	fits := s.filesWith(words...)
	if len(fits) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.g.Program().Calls), func(c *ir.Expr) bool { return !fits[c.Scope.File] })
}

// filesWith returns the files whose text holds one of some words.
func (s *surveyor) filesWith(words ...string) map[*ir.File]bool {
	out := map[*ir.File]bool{}
	for _, f := range s.g.Program().Files {
		if slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(f.Source, []byte(w)) }) {
			out[f] = true
		}
	}
	return out
}

// rowOf returns what the table of sinks says of a call, and the name by which it knows it; nil for nothing.
func (s *surveyor) rowOf(c *ir.Expr) (*callgraph.Row, string) {
	if !c.Is(ir.Call, ir.New) || c.X == nil {
		return nil, ""
	}
	for _, name := range s.g.NamesOf(c) {
		if row := s.g.Row(name); row != nil {
			return row, name
		}
	}
	return nil, ""
}

func (s *surveyor) isRequest(c *ir.Expr) bool {
	row, _ := s.rowOf(c)
	return row != nil && row.Has(capability.NetEgress)
}

// hasConsequences reports whether a call writes, sends or runs something.
func (s *surveyor) hasConsequences(c *ir.Expr) bool {
	row, _ := s.rowOf(c)
	return row != nil && !row.Weak() && (row.Kind() == "spawn" || row.Argument("code", c) != nil ||
		row.Has(capability.Exec) || row.Has(capability.FSWrite) || row.Has(capability.NetEgress))
}
