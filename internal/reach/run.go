package reach

import (
	"slices"

	"gauntlet/internal/program"
)

// A run is chains one behind the other that ask for the same thing and do nothing when none of their arms
// fits, with nothing of interest between them.
type run struct {
	at  map[string][]int // by constant: the statements of the body that have an arm for it
	end int              // the first statement behind
}

// pass returns the last statement behind body[i] that can be passed over, i itself if there is none.
func (en *engine) pass(body []program.Stmt, i int, f *frame) int {
	if len(body)-i <= en.few || body[i].X == nil {
		return i
	}
	subject := only(en.values(body[i].X, f))
	if subject.kind != constant {
		return i
	}
	r, ok := en.runs[&body[i]]
	if !ok {
		r = en.runFrom(body, i)
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

// runFrom files the branches of a body from one on.
func (en *engine) runFrom(body []program.Stmt, from int) *run {
	r := &run{at: map[string][]int{}, end: from}
	branches := 0
	for i := from; i < len(body); i++ {
		s := &body[i]
		if s.Step == program.Do && en.still(s.X) {
			continue
		}
		if s.Step != program.Branch || len(s.Arms) == 0 || !sameSubject(s.X, body[from].X) {
			break
		}
		levels, tail := en.levels(s)
		if !en.allStill(tail) { // also where not even the first branch can be indexed
			break
		}
		for _, l := range levels {
			for _, tests := range l.tests {
				for _, text := range tests {
					if at := r.at[text]; len(at) == 0 || at[len(at)-1] != i {
						r.at[text] = append(at, i)
					}
				}
			}
		}
		branches++
		r.end = i + 1
	}
	if branches == 0 || branches < en.few {
		r = nil
	}
	en.runs[&body[from]] = r
	for i := from; r != nil && i < r.end; i++ {
		if body[i].Step == program.Branch {
			en.runs[&body[i]] = r
		}
	}
	return r
}

// still reports whether reading an expression finds nothing: names and constants, and what is
// computed of them without a call.
func (en *engine) still(e *program.Expr) bool {
	if e == nil {
		return true
	}
	switch e.Kind {
	case program.Name, program.String, program.Literal:
		return true
	case program.Attr:
		return en.still(e.X) && !en.hasGetter(e.Text)
	case program.Other, program.List, program.Template, program.Either:
	default:
		return false
	}
	for _, a := range e.Args {
		if !en.still(a.Key) || !en.still(a.Value) {
			return false
		}
	}
	return en.still(e.X)
}

func (en *engine) hasGetter(name string) bool {
	return slices.ContainsFunc(en.methodsNamed(name), func(c *program.Class) bool { return c.Methods[name].Getter })
}

func (en *engine) allStill(body []program.Stmt) bool {
	return !slices.ContainsFunc(body, func(s program.Stmt) bool { return s.Step != program.Do || !en.still(s.X) })
}
