package callgraph

import (
	"cmp"
	"slices"

	"gauntlet/internal/leaf/ir"
)

// A dispatcher of 10,000 tools is read 10,000 times, each time with another name in hand. That must
// not mean 10,000 branches each time. So branches that test one thing against constants are filed
// by the constants, a row of them at once: if, else-if and so on to else, or a switch, and others like it behind. A row is used only
// where passing over what does not fit gives the same as reading it.

// fewArms is how many are compared one by one: most code has no more.
const fewArms = 8

// A branchIndex chooses the bodies of a branch that run, and files long rows of branches.
type branchIndex struct {
	ev   *evaluator
	few  int               // arms that are compared one by one
	rows map[*ir.Stmt]*row // by each branch of them; nil for one that is not filed
}

// A row is branches one behind the other that ask for the same thing, with nothing of interest between them. All but the first do nothing when
// none of their arms fits.
type row struct {
	at         map[string][]taken // by constant, in the order of the body
	tail       []ir.Stmt          // of the first branch, when nothing fits
	first, end int                // its statements in the body: from the first branch to the one behind the last
}

// taken is what a branch does for a constant.
type taken struct {
	stmt   int // its index in the body
	bodies [][]ir.Stmt
}

// asked is what code asks of a constant that came with the call.
type asked struct {
	named  bool     // it branches on it, and one arm fits, or a table has it
	labels []string // what it compares anyTool with
	tables []value  // that it asks for anyTool
}

// take returns the bodies of the Branch body[i] that can run and the index of the next statement to read: where the subject is known, those of
// the arm that fits, or the rest when none does. Arms that cannot be read may run always.
func (ix *branchIndex) take(body []ir.Stmt, i int, f *frame, by *asked) (bodies [][]ir.Stmt, next int) {
	s := &body[i]
	subject := onlyValue(ix.ev.evaluate(s.X, f))
	if subject.kind != constant || subject.text == anyTool {
		for _, arm := range s.Arms {
			bodies = append(bodies, arm.Body)
			for i := 0; i < len(arm.Values) && subject.kind == constant && len(by.labels) < maxLabels; i++ {
				by.labels = append(by.labels, ix.ev.constants(arm.Values[i], f)...)
			}
		}
		return append(bodies, s.Rest), i + 1
	}
	r, filed := ix.rows[s]
	if !filed {
		r = ix.fileRow(body, i)
	}
	if r != nil {
		return r.take(subject.text, i, by)
	}
	hit, partly := false, false
	for _, arm := range s.Arms {
		if fits, sure := ix.armFits(subject.text, arm, f); fits {
			bodies = append(bodies, arm.Body)
			hit = hit || sure
			partly = partly || arm.Partly
		}
	}
	by.named = by.named || hit
	if !hit || partly {
		bodies = append(bodies, s.Rest)
	}
	return bodies, i + 1
}

func (r *row) take(text string, i int, by *asked) (bodies [][]ir.Stmt, next int) {
	all := r.at[text]
	n, here := slices.BinarySearchFunc(all, i, func(t taken, i int) int { return cmp.Compare(t.stmt, i) })
	switch {
	case here:
		by.named = true
		bodies = all[n].bodies
		n++
	case i == r.first:
		bodies = [][]ir.Stmt{r.tail}
	default:
		bodies = [][]ir.Stmt{nil}
	}
	if n < len(all) {
		return bodies, all[n].stmt
	}
	return bodies, r.end
}

func (ix *branchIndex) armFits(text string, arm ir.Arm, f *frame) (fits, sure bool) {
	for _, x := range arm.Values {
		vs := ix.ev.evaluate(x, f)
		if len(vs) == 0 {
			fits = true
		}
		for _, v := range vs {
			switch {
			case v.kind == composite && v.expr.Kind == ir.Object: // asks for a key, which may be added later and tells no tools apart
				fits = true
			case v.kind == composite:
				for _, e := range ix.ev.elementsOf([]value{v}, "") {
					if e.kind == constant && e.text == text {
						return true, true
					}
				}
			case v.kind != constant:
				fits = true
			case v.text == text:
				return true, true
			}
		}
	}
	return fits, false
}

// fileRow files the branches of a body from one on; nil where there is too little to file.
func (ix *branchIndex) fileRow(body []ir.Stmt, from int) *row {
	r := &row{at: map[string][]taken{}, first: from, end: from}
	arms := 0
	for i := from; i < len(body); i++ {
		s := &body[i]
		if i > from && ix.isInertStmt(s) {
			continue
		}
		if s.Step != ir.Branch || len(s.Arms) == 0 || !ir.Same(s.X, body[from].X) {
			break
		}
		hits, n, tail := ix.readChain(s)
		if n == 0 || i > from && !ix.areInert(tail) {
			break
		}
		if i == from {
			r.tail = tail
		}
		for text, bodies := range hits {
			r.at[text] = append(r.at[text], taken{i, bodies})
		}
		arms += n
		if r.end = i + 1; !ix.areInert(tail) {
			break
		}
	}
	if arms == 0 || arms < ix.few {
		r = nil
	}
	ix.rows[&body[from]] = r
	for i := from; r != nil && i < r.end; i++ {
		ix.rows[&body[i]] = r
	}
	return r
}

// readChain reads a branch and those that are all there is to do when none of its arms fits, as long as they ask for the same thing: what runs for
// each constant, how many arms there are, and what is done when nothing fits.
func (ix *branchIndex) readChain(s *ir.Stmt) (hits map[string][][]ir.Stmt, arms int, tail []ir.Stmt) {
	hits = map[string][][]ir.Stmt{}
	open := map[string]bool{} // constants for which the branches behind may run as well
	subject := s.X
	for ; s != nil && ix.ev.spendStatement() && ir.Same(s.X, subject) && ix.isInert(s.X); s = ix.onlyBranch(tail) {
		level, partly, ok := ix.readArms(s)
		if !ok {
			break
		}
		for text, bodies := range level {
			if _, before := hits[text]; !before || open[text] {
				hits[text], open[text] = append(hits[text], bodies...), partly[text]
			}
		}
		arms, tail = arms+len(s.Arms), s.Rest
	}
	for text, more := range open {
		if more {
			hits[text] = append(hits[text], tail)
		}
	}
	return hits, arms, tail
}

// readArms returns the bodies of a branch by the constants of their arms, and of which constants an arm asks for more; ok is false where an arm may
// fit others.
func (ix *branchIndex) readArms(s *ir.Stmt) (bodies map[string][][]ir.Stmt, partly map[string]bool, ok bool) {
	bodies, partly = map[string][][]ir.Stmt{}, map[string]bool{}
	for _, arm := range s.Arms {
		var texts []string
		for _, x := range arm.Values {
			vs, ok := ix.ev.evalModuleConstant(x, true)
			if !ok || !areAll(vs, constant) {
				return nil, nil, false
			}
			texts = append(texts, textsOf(vs, constant)...)
		}
		slices.Sort(texts)
		for _, text := range slices.Compact(texts) {
			bodies[text] = append(bodies[text], arm.Body)
			partly[text] = partly[text] || arm.Partly
		}
	}
	return bodies, partly, true
}

// onlyBranch returns the branch that is all a body does, or nil.
func (ix *branchIndex) onlyBranch(body []ir.Stmt) *ir.Stmt {
	n := len(body) - 1
	if n < 0 || body[n].Step != ir.Branch || len(body[n].Arms) == 0 || !ix.areInert(body[:n]) {
		return nil
	}
	return &body[n]
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
