package taint

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// fileArguments returns which arguments of a program are files, in order, as far as each place in the list is known.
func fileArguments(prog string, args []*value) (files []*value) {
	use := callgraph.ProgramOf(prog)
	before, position, ended := "", 0, false
	for _, a := range args {
		word := a.fixed
		switch {
		case !ended && isFileOption(use, prog, before):
			files = append(files, a)
		case !ended && (use.Valued[before] || use.Valued == nil && use.TakesValue(before)):
		case !ended && word == "--":
			ended = true
		case !ended && strings.HasPrefix(word, "-"):
		case !ended && startsWithOption(use, a):
			files = append(files, a)
		case use.Names:
			if position++; position > use.Behind && (use.Most == 0 || position <= use.Behind+use.Most) {
				files = append(files, a)
			}
		}
		before = word
	}
	return files
}

// isFileOption reports whether the value of an option is a file, also of one among others of one letter: tar -xzf, or xzf in front.
func isFileOption(u *callgraph.Program, prog, word string) bool {
	if u.Files[word] {
		return true
	}
	short := strings.TrimPrefix(word, "-")
	return prog == "tar" && u.Files["-f"] && len(short) > 1 && len(short) < 6 && strings.HasSuffix(short, "f") && strings.Trim(short, "xctvzjJapPkf") == ""
}

// startsWithOption reports whether a value stands behind an option and "=" in one argument, as in --git-dir=….
func startsWithOption(u *callgraph.Program, a *value) bool {
	return slices.ContainsFunc(a.marks, func(m mark) bool {
		option, _, ok := strings.Cut(m.head, "=")
		return ok && u.Files[option]
	})
}

// fileSinks are the files that a program is given by its arguments.
func (r *reader) fileSinks(c call, name, prog string, args []*value) {
	if use := callgraph.ProgramOf(prog); !use.Names && use.Files == nil {
		return
	}
	for _, a := range fileArguments(prog, args) {
		for _, m := range a.marks {
			if _, behind, ok := strings.Cut(m.head, "="); ok && strings.HasPrefix(m.head, "-") {
				m.head = behind
			}
			r.sinkMarksBehind(fileFront, c, sink.PathFlow, name, prog, []mark{m})
		}
	}
}

// handedList returns the list of which nothing is known here that a program gets among its arguments, nil for none, and whether it holds
// all of them.
func (r *reader) handedList(c call, argv *ir.Expr, v *value) (list *value, alone bool) {
	script := r.a.g.Convention().Language == "typescript"
	behind, n := false, 0
	for i, a := range c.expr.Args {
		given := c.spread(i)
		if given == nil && script { // execFile(program, list, options)
			given = c.args[i]
		}
		switch {
		case a.Value == argv:
			behind = true
		case behind && v.length <= 0 && a.Name == "" && a.Value != nil && !a.Value.Is(ir.Object, ir.Function) && (n == 0 || !script):
			if n++; list == nil && given != nil && given.length < 0 {
				list = given
			}
		}
	}
	return list, list != nil && n == 1 && len(list.fields) == 0
}

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
	inner.argumentSinks(call{}, name, prog, args)
	if list.fields["*"] == nil && !behind {
		inner.fileSinks(call{}, name, prog, args)
	}
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
