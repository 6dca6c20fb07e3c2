package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// A dispatcher of 10,000 tools is read 10,000 times, each time with another name in hand. That must
// not mean 10,000 branches each time. So branches that test one thing against constants are filed
// by the constants: as a chain (if, else-if and so on to else, or a switch), and chains one behind the
// other as a run. Both are used only where passing over what does not fit gives the same as reading it.

// fewArms is how many are compared one by one: most code has no more.
const fewArms = 8

// A branchIndex chooses the bodies of a branch that run, and files long rows of branches.
type branchIndex struct {
	ev     *evaluator
	few    int                // arms that are compared one by one
	chains map[*ir.Arm]*chain // by the first arm of its first branch
	runs   map[*ir.Stmt]*run
}

// takenBodies returns the bodies of a Branch that can run: where the subject is known, that of the arm
// that fits, or the rest when none does. Arms that cannot be read may run always.
func (ix *branchIndex) takenBodies(s *ir.Stmt, f *frame, named *bool) [][]ir.Stmt {
	subject := onlyValue(ix.ev.evaluate(s.X, f))
	if subject.kind != constant {
		var out [][]ir.Stmt
		for _, arm := range s.Arms {
			out = append(out, arm.Body)
		}
		return append(out, s.Rest)
	}
	if c := ix.chainAt(s); c != nil {
		return c.bodiesFor(subject.text, named)
	}
	var out [][]ir.Stmt
	hit, partly := false, false
	for _, arm := range s.Arms {
		fits, sure := ix.armFits(subject.text, arm, f)
		if fits {
			out = append(out, arm.Body)
			hit = hit || sure
			partly = partly || arm.Partly
		}
	}
	*named = *named || hit
	if hit && !partly {
		return out
	}
	return append(out, s.Rest)
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

// A chain is a Branch and those that are all there is to do when none of its arms fits, as long as
// they ask for the same thing.
type chain struct {
	hits map[string][]hit // by constant, in the order of the levels
	tail []ir.Stmt        // when nothing fits
}

// A hit is a branch of a chain that has arms for a constant.
type hit struct {
	bodies [][]ir.Stmt
	partly bool // and those behind it may run as well
}

// bodiesFor returns what takenBodies does.
func (c *chain) bodiesFor(text string, named *bool) (out [][]ir.Stmt) {
	for _, h := range c.hits[text] {
		*named = true
		out = append(out, h.bodies...)
		if !h.partly {
			return out
		}
	}
	return append(out, c.tail)
}

// chainAt returns the chain that begins with a branch, nil where there is too little to index.
func (ix *branchIndex) chainAt(s *ir.Stmt) *chain {
	if len(s.Arms) == 0 {
		return nil
	}
	c, ok := ix.chains[&s.Arms[0]]
	if !ok {
		c = ix.indexChain(s)
		ix.chains[&s.Arms[0]] = c
	}
	return c
}

// indexChain files a branch, and those behind it, as a chain.
func (ix *branchIndex) indexChain(s *ir.Stmt) *chain {
	levels, tail := ix.chainLevels(s)
	c := &chain{hits: map[string][]hit{}, tail: tail}
	arms := 0
	for _, l := range levels {
		arms += l.arms
		for text, h := range l.hits {
			c.hits[text] = append(c.hits[text], h)
		}
	}
	if len(levels) == 0 || arms < ix.few {
		return nil
	}
	return c
}

// A level is a branch of a chain: how many arms it has, and those that are for each constant.
type level struct {
	arms int
	hits map[string]hit
}

// chainLevels returns the branches of a chain, from one on, and what is done when none of them fits.
func (ix *branchIndex) chainLevels(s *ir.Stmt) (out []level, tail []ir.Stmt) {
	subject := s.X
	for tail = []ir.Stmt{*s}; s != nil; s = ix.onlyBranch(tail) {
		if !ix.ev.spendStatement() || !ir.Same(s.X, subject) || !ix.isInert(s.X) {
			return out, tail
		}
		l := level{len(s.Arms), map[string]hit{}}
		for _, arm := range s.Arms {
			texts, ok := ix.armConstants(arm)
			if !ok {
				return out, tail
			}
			for _, text := range slices.Compact(slices.Sorted(slices.Values(texts))) {
				h := l.hits[text]
				l.hits[text] = hit{append(h.bodies, arm.Body), h.partly || arm.Partly}
			}
		}
		out, tail = append(out, l), s.Rest
	}
	return out, tail
}

// onlyBranch returns the branch that is all a body does, or nil.
func (ix *branchIndex) onlyBranch(body []ir.Stmt) *ir.Stmt {
	n := len(body) - 1
	if n < 0 || body[n].Step != ir.Branch || len(body[n].Arms) == 0 || !ix.areInert(body[:n]) {
		return nil
	}
	return &body[n]
}

// armConstants returns the constants that an arm compares with; ok is false where it may fit others.
func (ix *branchIndex) armConstants(arm ir.Arm) (out []string, ok bool) {
	for _, x := range arm.Values {
		vs, ok := ix.ev.evalModuleConstant(x, true)
		if !ok || !areAll(vs, constant) {
			return nil, false
		}
		out = append(out, textsOf(vs, constant)...)
	}
	return out, true
}
