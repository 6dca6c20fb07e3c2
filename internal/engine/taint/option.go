package taint

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// A server's configuration can turn a guard off: if (!roots) return. Nothing that a caller sends decides about that. Such
// a guard counts, unless the environment has to turn it on before it does anything.

// end notes that the function returns here.
func (r *reader) end() {
	when := always
	switch {
	case r.option > 0:
		when, r.sum.off = configured, r.sum.off || r.off
	case r.absent != nil:
		when = without(r.absent)
	}
	r.sum.returns = true
	r.noteOutcome(when, r.st)
}

// always, configured and without say when a function returns: whatever holds, because of the configuration alone, because a parameter
// holds nothing.
const always, configured = "", "configured"

func without(p *ir.Param) string { return "?" + itoa(p.Index) }

// returned is what holds of the parameters when a function returns: what its ends have in common, but for those that
// depend on the configuration alone, unless all of them do.
func (s *summary) returned() outcome {
	ends, off := s.when[always], s.when[configured]
	switch {
	case !ends.any:
		return off
	case !off.any || !s.off:
		return ends
	}
	return ends.offAs(off)
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

// variableOf returns the variable that a name stands for.
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
