package taint

import (
	"maps"

	"gauntlet/internal/leaf/ir"
)

// A variable is a name in the scope that binds it.
type variable struct {
	scope *ir.Scope
	name  string
}

// A state is what is known at one point of a function: what variables hold, and what holds of the sources
// because of the conditions on the way.
type state struct {
	vars  map[variable]*value
	facts map[source]fact
	// gone are sources that a condition has shown to be one of a few values.
	gone map[source]bool
	dead bool // nothing runs here
}

func newState() *state {
	return &state{vars: map[variable]*value{}, facts: map[source]fact{}, gone: map[source]bool{}}
}

func (st *state) clone() *state {
	return &state{vars: maps.Clone(st.vars), facts: maps.Clone(st.facts), gone: maps.Clone(st.gone), dead: st.dead}
}

// become makes a state another one.
func (st *state) become(other *state) { *st = *other }

// joinStates returns what is known where two ways meet.
func joinStates(a, b *state) *state {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	out := &state{vars: maps.Clone(a.vars), facts: map[source]fact{}, gone: map[source]bool{}}
	for v, x := range b.vars {
		out.vars[v] = join(out.vars[v], x)
	}
	for s, f := range a.facts {
		if both := joinFactsOf(s, f, b); both != 0 {
			out.facts[s] = both
		}
	}
	for s, f := range b.facts {
		if _, ok := a.facts[s]; !ok {
			if both := joinFactsOf(s, f, a); both != 0 {
				out.facts[s] = both
			}
		}
	}
	for s := range a.gone {
		if b.gone[s] {
			out.gone[s] = true
		}
	}
	return out
}

// joinFactsOf joins the facts of a source with those of another way. Where it is not the caller's on that way, as
// in the else of "if (path) check(path)", what holds on this one is all that counts.
func joinFactsOf(s source, f fact, other *state) fact {
	if other.gone[s] {
		return f
	}
	return joinFacts(f, other.facts[s])
}

// learn adds facts to the sources of a value.
func (st *state) learn(v *value, f fact) {
	for _, m := range v.all() {
		st.facts[m.src] |= f
	}
}

// bounded notes that a value is one of a few, so that nothing of it is the caller's.
func (st *state) bounded(v *value) {
	for _, m := range v.all() {
		if m.facts&hostOf == 0 {
			st.gone[m.src] = true
		}
	}
}
