package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// A server's configuration can turn a guard off: if (!roots) return. Nothing that a caller sends decides about that. Such
// a guard counts, unless the environment has to turn it on before it does anything.

func (r *reader) end() {
	when := always
	if r.option == 0 && r.absent != nil {
		when = without(r.absent)
	}
	r.sum.returns = true
	r.noteOutcome(when, r.st)
}

// noteOutcome adds an end of the function, or what it returns there.
func (r *reader) noteOutcome(when string, st *state) {
	if r.option > 0 {
		when, r.sum.off = configured+when, r.sum.off || r.off
	}
	o := r.sum.when[when]
	o.meet(st)
	r.sum.when[when] = o
}

// always, configured and without say when a function returns: whatever holds, because of the configuration alone, because a parameter
// holds nothing. Of what it returns, configured stands in front.
const always, configured = "", "configured"

func without(p *ir.Param) string { return "?" + itoa(p.Index) }

// returned is what holds of the parameters when a function returns, or returns such a thing: what its ends have in common, but for those
// that depend on the configuration alone, unless all of them do.
func (s *summary) returned(when string) outcome {
	ends, off := s.when[when], s.when[configured+when]
	switch {
	case !ends.any:
		return off
	case !off.any || !s.off:
		return ends
	}
	return ends.offAs(off)
}

// holdsWhereSet reports whether a condition asks for a value that has to be set: ALLOW_ALL == "1", but neither !ROOT nor MODE != "open".
func (r *reader) holdsWhereSet(e *ir.Expr) bool {
	e = r.a.g.Definition(e)
	if x, there := ir.Presence(e); x != nil {
		return there && (x == e || r.holdsWhereSet(x))
	}
	isText := func(a ir.Arg) bool { return a.Value.Is(ir.String) && a.Value.Text != "" }
	return e.Kind == ir.Call || e.Text == "in" || e.Kind == ir.Other && strings.Trim(e.Text, "=") == "" && slices.ContainsFunc(e.Args, isText)
}

// chosen returns the marks that are a caller's; the rest are of the object that a method belongs to.
func chosen(marks []mark) []mark {
	return slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.src.param < 0 })
}

// asksFlag reports whether a condition asks for a variable in which the program remembers what it found out.
func (r *reader) asksFlag(e *ir.Expr) bool {
	return e.Search(maxPartsDeep, func(x *ir.Expr) (found, into bool) {
		if x.Kind == ir.Name {
			_, found = r.st.flags[variableOf(x)]
		}
		return found, x.Kind != ir.Name
	})
}

func variableOf(name *ir.Expr) variable {
	_, at := name.Scope.Find(name.Text)
	return variable{at, name.Text}
}

// asksEnvironment reports whether an expression holds what a variable of the environment or an option has, with nothing in
// its place where that is not set.
func (r *reader) asksEnvironment(e *ir.Expr) bool {
	return r.a.g.Looks(e, func(x *ir.Expr) (found, into bool) {
		_, reads := r.a.g.Variable(x, r.ctx)
		if !r.spend() || x.Kind == ir.Either && (x.Text == "??" || x.Text == "||") || reads && x.Kind == ir.Call && len(x.Args) > 1 { // a default
			return false, false
		}
		return reads || r.isLeftOut(x), true
	})
}
