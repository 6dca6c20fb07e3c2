package taint

import (
	"strings"

	"gauntlet/sink"
)

// argvFlows is a helper that starts the program which it is given, where it is given a list: the program and its arguments.
func (r *reader) argvFlows(f flow, list *value, place sink.Place, helper string) {
	inner := &reader{a: r.a, fn: r.fn, ctx: r.ctx, st: r.st, sum: newSummary(), sinkAt: f.at}
	sinkName := strings.TrimSuffix(f.name, "()")
	program := list.member("0")
	inner.sinkMarksBehind(emptyFront, call{}, sink.ProgramFlow, sinkName, "", program.marks)
	var args []*value
	for i := 1; i < list.length; i++ {
		args = append(args, list.member(itoa(i)))
	}
	if more := list.fields["*"]; more != nil {
		args = append(args, more)
	}
	prog := program.fixed
	if prog == "" {
		prog = firstWord(program)
	}
	inner.argumentSinks(call{}, sinkName, lastPart(prog), args)
	if list.fields["*"] == nil {
		inner.fileSinks(call{}, sinkName, lastPart(prog), args, false)
	}
	for _, g := range inner.sum.flows {
		g.facts, g.guesses = g.facts|f.facts, f.guesses
		g.step = f.step.behind(g.step.add(place, helper+"()"))
		r.sum.addFlow(g)
	}
}
