package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// A run is chains one behind the other that ask for the same thing and do nothing when none of their arms
// fits, with nothing of interest between them.
type run struct {
	at  map[string][]int // by constant: the statements of the body that have an arm for it
	end int              // the first statement behind
}

// skipBranches returns the last statement behind body[i] that can be passed over, i itself if there is none.
func (ix *branchIndex) skipBranches(body []ir.Stmt, i int, f *frame) int {
	if len(body)-i <= ix.few || body[i].X == nil {
		return i
	}
	subject := onlyValue(ix.ev.evaluate(body[i].X, f))
	if subject.kind != constant {
		return i
	}
	r, ok := ix.runs[&body[i]]
	if !ok {
		r = ix.indexRun(body, i)
	}
	if r == nil {
		return i
	}
	stmts := r.at[subject.text]
	if n, _ := slices.BinarySearch(stmts, i+1); n < len(stmts) {
		return stmts[n] - 1
	}
	return r.end - 1
}

// indexRun files the branches of a body from one on.
func (ix *branchIndex) indexRun(body []ir.Stmt, from int) *run {
	r := &run{at: map[string][]int{}, end: from}
	branches := 0
	for i := from; i < len(body); i++ {
		s := &body[i]
		if ix.isInertStmt(s) {
			continue
		}
		if s.Step != ir.Branch || len(s.Arms) == 0 || !ir.Same(s.X, body[from].X) {
			break
		}
		levels, tail := ix.chainLevels(s)
		if !ix.areInert(tail) { // also where not even the first branch can be indexed
			break
		}
		for _, l := range levels {
			for text := range l.hits {
				if at := r.at[text]; len(at) == 0 || at[len(at)-1] != i {
					r.at[text] = append(at, i)
				}
			}
		}
		branches++
		r.end = i + 1
	}
	if branches == 0 || branches < ix.few {
		r = nil
	}
	ix.runs[&body[from]] = r
	for i := from; r != nil && i < r.end; i++ {
		if body[i].Step == ir.Branch {
			ix.runs[&body[i]] = r
		}
	}
	return r
}

// isInert reports whether reading an expression finds nothing: names and constants, and what is
// computed of them without a call.
func (ix *branchIndex) isInert(e *ir.Expr) bool {
	if e == nil {
		return true
	}
	switch e.Kind {
	case ir.Name, ir.String, ir.Literal:
		return true
	case ir.Attr:
		isGetter := func(c *ir.Class) bool { return c.Methods[e.Text].Getter }
		return ix.isInert(e.X) && !slices.ContainsFunc(ix.ev.methodsNamed(e.Text), isGetter)
	case ir.Other, ir.List, ir.Template, ir.Either:
	default:
		return false
	}
	for _, a := range e.Args {
		if !ix.isInert(a.Key) || !ix.isInert(a.Value) {
			return false
		}
	}
	return ix.isInert(e.X)
}

// isInertStmt reports whether reading a statement finds nothing. The evaluator knows what a name
// stands for from its bindings, so that a Set has nothing to add.
func (ix *branchIndex) isInertStmt(s *ir.Stmt) bool {
	return s.Step == ir.Set || s.Step == ir.Do && ix.isInert(s.X)
}

func (ix *branchIndex) areInert(body []ir.Stmt) bool {
	return !slices.ContainsFunc(body, func(s ir.Stmt) bool { return !ix.isInertStmt(&s) })
}
