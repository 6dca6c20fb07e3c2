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

// A knowledge is what holds of the sources.
type knowledge struct{ facts map[source]fact }

func newKnowledge() knowledge { return knowledge{map[source]fact{}} }

func (k knowledge) clone() knowledge { return knowledge{maps.Clone(k.facts)} }

// gone reports whether nothing of a source is the caller's.
func (k knowledge) gone(s source) bool { return k.facts[s]&few != 0 }

func (k knowledge) add(more knowledge) {
	for s, f := range more.facts {
		k.facts[s] |= f
	}
}

// joinKnowledge returns what holds where two ways meet. Where a source is not the caller's on one of them, as in the else of
// "if (path) check(path)", what holds on the other is all that counts.
func joinKnowledge(a, b knowledge) knowledge {
	out := newKnowledge()
	for _, side := range [][2]knowledge{{a, b}, {b, a}} {
		for s, f := range side[0].facts {
			switch other := side[1].facts[s]; {
			case f&few != 0 && other&few == 0:
				f = other
			case f&few != 0 || other&few == 0:
				f = joinFacts(f, other)
			}
			if f != 0 {
				out.facts[s] = f
			}
		}
	}
	return out
}

// A state is what is known at one point of a function: what variables hold, and what holds of the sources
// because of the conditions on the way.
type state struct {
	knowledge
	vars map[variable]*value
	dead bool // nothing runs here
	// readOnly says that a transaction was begun that reads only.
	readOnly bool
	called   uint64 // the parameters that were called, by their index
	// flags are variables that a program sets to remember what it found out: let allowed = false.
	flags map[variable]flag
}

// A flag is what follows from the value of a variable that holds one of two constants. A nil outcome says that the
// variable cannot have that value.
type flag struct{ yes, no *outcome }

// maxFlags is how many flags are known at one point of a function.
const maxFlags = 32

func (st *state) noteFlag(v variable, value bool) {
	if _, known := st.flags[v]; !known && len(st.flags) >= maxFlags {
		return
	}
	o := &outcome{}
	o.meet(st)
	flags := maps.Clone(st.flags)
	if flags == nil {
		flags = map[variable]flag{}
	}
	flags[v] = flag{no: o}
	if value {
		flags[v] = flag{yes: o}
	}
	st.flags = flags
}

// joinFlags keeps the flags that both ways know: what one value implies is what holds at all places that set it.
func joinFlags(a, b *state) (out map[variable]flag) {
	for v, x := range a.flags {
		y, ok := b.flags[v]
		if !ok {
			continue
		}
		if out == nil {
			out = map[variable]flag{}
		}
		out[v] = flag{yes: joinOutcomes(x.yes, a, y.yes, b), no: joinOutcomes(x.no, a, y.no, b)}
	}
	return out
}

// joinOutcomes joins what two ways say of one value of a flag. What a way has learned beside that holds as well.
func joinOutcomes(a *outcome, sa *state, b *outcome, sb *state) *outcome {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return b.with(sb)
	case b == nil:
		return a.with(sa)
	}
	return &outcome{any: true, knowledge: joinKnowledge(a.with(sa).knowledge, b.with(sb).knowledge)}
}

func (o *outcome) with(st *state) *outcome {
	out := &outcome{any: true, knowledge: o.knowledge.clone()}
	out.add(st.knowledge)
	return out
}

// learnFlag adds what follows from the value of a flag; ok is false for a variable that is none.
func (st *state) learnFlag(v variable, value bool) (ok bool) {
	f, ok := st.flags[v]
	o := f.no
	if value {
		o = f.yes
	}
	if ok && o != nil {
		st.add(o.knowledge)
	}
	return ok
}

func newState() *state { return &state{vars: map[variable]*value{}, knowledge: newKnowledge()} }

func (st *state) clone() *state {
	out := *st
	out.vars, out.knowledge = maps.Clone(st.vars), st.knowledge.clone()
	return &out
}

func (st *state) become(other *state) { *st = *other }

// joinStates returns what is known where two ways meet.
func joinStates(a, b *state) *state {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	out := &state{vars: maps.Clone(a.vars), knowledge: joinKnowledge(a.knowledge, b.knowledge), readOnly: a.readOnly && b.readOnly, called: a.called & b.called, flags: joinFlags(a, b)}
	for v, x := range b.vars {
		out.vars[v] = join(out.vars[v], x)
	}
	return out
}

func (st *state) learn(v *value, f fact) {
	for _, m := range v.all() {
		st.facts[m.src] |= settle(f, m)
	}
}

// refusesNothing takes back that a comparison refuses what it was true of, where that goes on as well: if (kind == "") kind = "all".
func (st *state) refusesNothing(before *state) {
	for src := range st.facts {
		st.facts[src] &^= denylisted &^ before.facts[src]
	}
}

// settle decides what a comparison with a directory proves: that a path lies in it where it was resolved before, and
// little where it was not. Of a parameter, the caller knows.
func settle(f fact, m mark) fact {
	if f&few != 0 && m.facts&hostOf != 0 && !m.whole { // the host alone is one of a few
		f = f&^few | hostAllowed
	}
	switch {
	case f&contained != 0: // by the way from a directory to it, of which links may be resolved
		return f | m.facts&real
	case f&fenced == 0:
		return f
	case m.facts&resolved != 0:
		return f&^fenced | contained | m.facts&real
	case m.whole:
		return f
	}
	return f&^fenced | prefixed
}

// bounded notes that a value is one of a few, so that nothing of it is the caller's.
func (st *state) bounded(v *value) { st.learn(v, few) }

// noted returns a value with what is known of its sources at this point, for a list that outlives the conditions on the way.
func (st *state) noted(v *value) *value {
	return v.marked(func(m *mark) { m.facts |= st.facts[m.src] & refusals })
}
