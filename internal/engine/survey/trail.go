package survey

import (
	"bytes"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// maxTrail is how many expressions are looked at for one question.
const maxTrail = 400

// A verdict is what a search says of one expression.
type verdict uint8

const (
	goOn verdict = iota // look at its parts
	yes
	leave // its parts are not of interest
)

// finds reports whether an expression, what its names were given included, holds one of which judge says yes.
func (s *surveyor) finds(e *ir.Expr, judge func(*ir.Expr) verdict) bool {
	left := maxTrail
	var walk func(e *ir.Expr, depth int) bool
	walk = func(e *ir.Expr, depth int) bool {
		if left--; e == nil || left < 0 || depth > 40 {
			return false
		}
		switch judge(e) {
		case yes:
			return true
		case leave:
			return false
		}
		switch e.Kind {
		case ir.Function:
			return false
		case ir.Name:
			if d := s.g.Definition(e); d != e && walk(d, depth+1) {
				return true
			}
		}
		if walk(e.X, depth+1) {
			return true
		}
		for _, a := range e.Args {
			if walk(a.Value, depth+1) {
				return true
			}
		}
		return false
	}
	return walk(e, 0)
}

// holds reports whether an expression as it is written, without what its names were given, holds one of which is says yes.
func holds(e *ir.Expr, depth int, is func(*ir.Expr) bool) bool {
	if e == nil || depth > 40 || e.Kind == ir.Function {
		return false
	}
	if is(e) || holds(e.X, depth+1, is) {
		return true
	}
	for _, a := range e.Args {
		if holds(a.Value, depth+1, is) {
			return true
		}
	}
	return false
}

// callsIn returns the calls of files whose text holds one of some words.
func (s *surveyor) callsIn(words ...string) (out []*ir.Expr) {
	fits := s.filesWith(words...)
	for _, c := range s.g.Program().Calls {
		if fits[c.Scope.File] {
			out = append(out, c)
		}
	}
	return out
}

// filesWith returns the files whose text holds one of some words.
func (s *surveyor) filesWith(words ...string) map[*ir.File]bool {
	out := map[*ir.File]bool{}
	for _, f := range s.g.Program().Files {
		for _, w := range words {
			if bytes.Contains(f.Source, []byte(w)) {
				out[f] = true
				break
			}
		}
	}
	return out
}

// rowOf returns what the table of sinks says of a call, and the name by which it knows it; nil for nothing.
func (s *surveyor) rowOf(c *ir.Expr) (*callgraph.Row, string) {
	if c.Kind != ir.Call && c.Kind != ir.New || c.X == nil {
		return nil, ""
	}
	for _, name := range s.g.NamesOf(c) {
		if row := s.g.Row(name); row != nil {
			return row, name
		}
	}
	return nil, ""
}

// isRequest reports whether a call sends a request.
func (s *surveyor) isRequest(c *ir.Expr) bool {
	row, _ := s.rowOf(c)
	return row != nil && row.Has(capability.NetEgress)
}

// hasConsequences reports whether a call writes, sends or runs something.
func (s *surveyor) hasConsequences(c *ir.Expr) bool {
	row, _ := s.rowOf(c)
	if row == nil || row.Weak() {
		return false
	}
	return row.Kind() == "spawn" || row.Argument("code", c) != nil ||
		row.Has(capability.Exec) || row.Has(capability.FSWrite) || row.Has(capability.NetEgress)
}

// eachStatement calls f for each statement of a body, those inside others included.
func eachStatement(body []ir.Stmt, depth int, f func(*ir.Stmt)) {
	if depth > 60 {
		return
	}
	for i := range body {
		f(&body[i])
		for _, a := range body[i].Arms {
			eachStatement(a.Body, depth+1, f)
		}
		eachStatement(body[i].Rest, depth+1, f)
	}
}

// bodies returns everything that runs: functions and modules.
func (s *surveyor) bodies() (out [][]ir.Stmt) {
	for _, fn := range s.g.Program().Funcs {
		out = append(out, fn.Body)
	}
	for _, m := range s.g.Program().Modules {
		out = append(out, m.Body)
	}
	return out
}
