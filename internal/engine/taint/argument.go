package taint

import (
	"cmp"
	"strings"

	"gauntlet/sink"
)

// argvFlows is a helper that starts a program, which it may be given as well, with a list of arguments, where it is given that list. Behind
// arguments of the helper's own, which of the rest are files is not known.
func (r *reader) argvFlows(f flow, list *value, behind bool, place sink.Place, helper string) {
	inner := &reader{a: r.a, fn: r.fn, ctx: r.ctx, st: r.st, sum: newSummary(), sinkAt: f.at}
	name, prog, args := strings.TrimSuffix(f.name, "()"), f.about, list.listed()
	if f.kind == sink.ProgramFlow {
		program := args[0]
		inner.sinkMarksBehind(emptyFront, call{}, sink.ProgramFlow, name, "", program.marks)
		prog, args = lastPart(cmp.Or(program.fixed, firstWord(program))), args[1:]
	}
	inner.argumentSinks(call{}, name, prog, args, list.fields["*"] == nil && !behind)
	for _, g := range inner.sum.flows {
		g.facts, g.guesses = g.facts|f.facts, f.guesses
		g.step = f.step.behind(g.step.add(place, helper+"()"))
		r.sum.addFlow(g)
	}
}

// listed returns the elements of a list in order, and behind them any others that it may have.
func (v *value) listed() []*value {
	if more := v.fields["*"]; more != nil {
		return append(v.known(), more)
	}
	return v.known()
}

// known returns the elements of a list that are known one by one.
func (v *value) known() (out []*value) {
	for i := range v.length {
		out = append(out, v.member(itoa(i)))
	}
	return out
}
