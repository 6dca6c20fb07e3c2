package taint

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A reader reads one function in one context, statement by statement.
type reader struct {
	a       *analyzer
	fn      *ir.Func
	ctx     callgraph.Context
	st      *state
	sum     *summary
	result  *value
	depth   int       // expressions inside each other
	inline  int       // functions that are read in the place where they are called
	quiet   bool      // sinks were seen before
	flagged *ir.Expr  // what is being assigned, as it is written
	jumps   *state    // where rounds of the loop end early, joined; nil for nowhere
	option  int       // conditions around that ask for the server's configuration alone
	off     bool      // one of them asks the environment
	absent  *ir.Param // a condition around says that this parameter holds nothing; nil for none
	each    element   // the function at hand asks this of each element of a list; the zero value for none

	sinkAt sink.Place // where sinks are said to be; the zero value for where the call at hand is
	argv   bool       // the sink at hand may be a list: a program with its arguments, or these

	last      *ir.Expr // the expression of the statement before, and its value
	lastValue *value
}

// An element is the parameter of a function that is called with each element of a list.
type element struct {
	param *ir.Param
	list  *ir.Expr
}

// spend counts a piece of work, and reports whether it may be done.
func (r *reader) spend() bool {
	r.a.work++
	r.a.left--
	if r.a.left <= 0 {
		r.a.cut = true
		return false
	}
	return true
}

func (r *reader) exec(body []ir.Stmt) {
	for i := 0; i < len(body) && !r.st.dead && r.spend(); i++ {
		s := &body[i]
		switch s.Step {
		case ir.Do:
			r.compute(s.X)
		case ir.Set:
			v := r.compute(s.X)
			r.flagged = s.X
			r.assign(s.Target, v)
			r.flagged = nil
		case ir.Return:
			r.leave(s)
		case ir.Yield:
			r.result = join(r.result, listOf(r.st.noted(r.eval(s.X).elements())))
		case ir.Jump:
			r.jumps = joinEnds(r.jumps, r.st.clone())
			r.st.dead = true
		case ir.Branch:
			i = r.branch(body, i)
		}
	}
}

// compute evaluates the expression of a statement, once where two statements in a row share it.
func (r *reader) compute(e *ir.Expr) *value {
	if e != nil && e == r.last {
		return r.lastValue
	}
	v := r.eval(e)
	r.last, r.lastValue = e, v
	return v
}

func (r *reader) leave(s *ir.Stmt) {
	v := r.eval(s.X)
	if !s.Throws {
		r.result = join(r.result, v)
		r.sum.answers &= r.calledParam(s.X)
		r.end()
		r.classify(s.X)
	}
	r.st.dead = true
}

// classify notes what holds when a function returns something true or something false.
func (r *reader) classify(x *ir.Expr) {
	switch {
	case x == nil:
		r.noteOutcome("-", r.st)
	case x.Kind == ir.Object || x.Kind == ir.Call && len(x.Args) > 0 && x.Args[0].Name != "": // { ok: true }, Checked(ok=True)
		for _, m := range x.Args {
			if b, ok := truth(m.Value); ok {
				r.noteOutcome(map[bool]string{true: "+", false: "-"}[b]+m.Name, r.st)
			} else if m.Value != nil && m.Name != "" && isCondition(m.Value) {
				r.noteCondition(m.Value, m.Name)
			}
		}
		r.noteOutcome("+", r.st)
	case x.Kind == ir.Literal:
		if b, ok := truth(x); ok {
			r.noteOutcome(map[bool]string{true: "+", false: "-"}[b], r.st)
		} else {
			r.noteOutcome("-", r.st)
		}
	case isCondition(x):
		r.noteCondition(x, "")
	default:
		r.noteOutcome("+", r.st)
		if d := r.a.g.Definition(x); d.Kind != ir.String && d.Kind != ir.Template && d.Kind != ir.List { // a message is true, whether it has a name or not
			r.noteOutcome("-", r.st)
		}
	}
}

func (r *reader) noteCondition(x *ir.Expr, name string) {
	yes, no := r.st.clone(), r.st.clone()
	r.assume(x, true, yes)
	r.assume(x, false, no)
	if m := r.hostMarks(x); len(m) > 0 {
		r.learnHostCheck(x, m, yes)
	}
	r.noteOutcome("+"+name, yes)
	r.noteOutcome("-"+name, no)
}

func truth(x *ir.Expr) (value, ok bool) {
	if x == nil || x.Kind != ir.Literal && x.Kind != ir.Name {
		return false, false
	}
	switch x.Text {
	case "true", "True":
		return true, true
	case "false", "False", "null", "undefined", "None", "nil":
		return false, true
	}
	return false, false
}

func isCondition(x *ir.Expr) bool {
	switch x.Kind {
	case ir.Either:
		return x.Text == "&&" || x.Text == "||"
	case ir.Other:
		return x.Text != "" && !strings.ContainsAny(x.Text, "+*/%")
	case ir.Call:
		return true
	}
	return false
}

// variablesAStep is how many variables cost as much to copy as one expression costs to read.
const variablesAStep = 16

// run reads a body from a state, and returns the state behind it.
func (r *reader) run(body []ir.Stmt, from *state) *state {
	r.a.left -= len(from.vars) / variablesAStep // a state was copied
	outer := r.st
	r.st = from
	r.last = nil
	r.exec(body)
	after := r.st
	r.st, r.last = outer, nil
	return after
}

// branch reads a Branch, and returns the index of the last statement that was read with it.
func (r *reader) branch(body []ir.Stmt, i int) int {
	if bodies, next, known := r.a.g.Taken(body, i, r.ctx); known {
		var after *state
		for _, b := range bodies {
			after = joinEnds(after, r.run(b, r.st.clone()))
		}
		if after != nil {
			r.st.become(after)
		}
		return next - 1
	}
	switch s := &body[i]; {
	case s.Block == ir.Try:
		return r.try(body, i)
	case s.Block == ir.Loop:
		r.loop(s)
	case s.Cond != nil:
		r.choose(s)
	default:
		r.cases(s)
	}
	return i
}

func joinEnds(a, b *state) *state {
	if a == nil {
		return b
	}
	return joinStates(a, b)
}

func (r *reader) choose(s *ir.Stmt) {
	then, rest := s.Ways()
	yes, no := r.st.clone(), r.st.clone()
	r.assume(s.Cond, true, yes)
	r.assume(s.Cond, false, no)
	asked := chosen(r.marksIn(s.Cond))
	option := len(asked) == 0 && !r.asksFlag(s.Cond)
	outer := r.off
	set := false // the way that is gone where the variable of the environment is set
	if option {
		r.option++
		r.off = r.off || r.asksEnvironment(s.Cond)
		set = r.holdsWhereSet(s.Cond)
	}
	off := r.off
	x, there := ir.Presence(s.Cond)
	p := r.wholeParam(x)
	r.off = off && !set || outer
	if len(rest) == 0 {
		yes.refusesNothing(r.st)
	}
	yes = r.runWithout(p, !there, then, yes)
	r.off = off
	if !yes.dead {
		no.refusesNothing(r.st)
	}
	no = r.runWithout(p, there, rest, no)
	r.off = outer
	if option {
		r.option--
	}
	if yes.dead != no.dead {
		alive := yes
		if yes.dead {
			alive = no
		}
		if m := r.hostMarks(s.Cond); len(m) > 0 {
			r.learnHostCheck(s.Cond, m, alive)
		}
		for _, m := range asked {
			if !asksPresence(s.Cond, 0) {
				alive.facts[m.src] |= validated
			}
		}
	}
	r.st.become(joinStates(yes, no))
}

// asksPresence reports whether a condition asks no more than whether something is there, and of which type: that validates nothing.
func asksPresence(e *ir.Expr, depth int) bool {
	switch {
	case e == nil || depth > 8:
		return false
	case e.Kind == ir.Name || e.Kind == ir.Attr || e.Kind == ir.Index:
		return true
	case e.Kind != ir.Other && e.Kind != ir.Either || len(e.Args) == 0:
		return false
	case len(e.Args) > 1 && e.Kind == ir.Other && e.Text != "&&" && e.Text != "||": // a comparison
		return slices.ContainsFunc(e.Args, func(a ir.Arg) bool { return a.Value != nil && (a.Value.IsNothing() || a.Value.Text == "typeof") })
	}
	return !slices.ContainsFunc(e.Args, func(a ir.Arg) bool { return !asksPresence(a.Value, depth+1) })
}

// cases reads a switch on something that is not known before it runs.
func (r *reader) cases(s *ir.Stmt) {
	var subject *value
	if s.X != nil {
		subject = r.silently(s.X)
	}
	after := r.run(s.Rest, r.st.clone())
	for _, arm := range s.Arms {
		st := r.st.clone()
		constant := len(arm.Values) > 0
		for _, v := range arm.Values {
			if s.X == nil {
				r.assume(v, true, st)
			}
			constant = constant && r.isConstant(v)
		}
		if subject != nil && constant {
			st.bounded(subject.wholeOnly())
		}
		after = joinStates(after, r.run(arm.Body, st))
	}
	r.st.become(after)
}

// wholeOnly returns the marks that are a source as it came.
func (v *value) wholeOnly() *value {
	return newValue(slices.DeleteFunc(slices.Clone(v.marks), func(m mark) bool { return !m.whole })...)
}

// loop reads a body that runs any number of times. What it learned of each element of a list holds of all of
// them behind it.
func (r *reader) loop(s *ir.Stmt) {
	before := r.st.clone()
	jumps := r.jumps
	r.jumps = nil
	after := r.run(s.Arms[0].Body, r.st.clone())
	if r.jumps != nil {
		after = joinStates(after, r.jumps)
	}
	r.jumps = jumps
	out := joinStates(before, after)
	if !after.dead {
		if out == before || out == after {
			out = out.clone()
		}
		for src, f := range after.facts {
			if !strings.Contains(src.path, ".*") { // a host without an address is not asked either
				f &= hostResolved | hostLiteral | dottedOnly | wordsAsked | oneStatement
			}
			out.facts[src] |= f
		}
	}
	r.st.become(out)
}

// refusals are facts that hold because other values are refused.
const refusals = contained | noSlash | noDotDot | noShellMeta | noQuote | noDash | hostAllowed | hostResolved | hostLiteral | prefixed | fenced

// try reads a body that may end anywhere, and the handlers behind it. Where a handler goes on, nothing that the
// body asked holds behind it.
func (r *reader) try(body []ir.Stmt, i int) int {
	before := r.st.clone()
	after := r.run(body[i].Arms[0].Body, r.st.clone())
	for i+1 < len(body) && body[i+1].Block == ir.Catch || i+2 < len(body) && body[i+1].Step == ir.Set && body[i+2].Block == ir.Catch {
		i++
		if body[i].Step == ir.Set {
			continue
		}
		from := before.clone()
		for v, x := range after.vars {
			from.vars[v] = join(from.vars[v], x)
		}
		caught := r.run(body[i].Arms[0].Body, from)
		if !caught.dead && !after.dead {
			for src, f := range after.facts {
				if before.facts[src]&f&refusals != f&refusals {
					caught.facts[src] |= swallowed
				}
			}
		}
		after = joinStates(after, caught)
	}
	r.st.become(after)
	return i
}

// assign gives a variable or a member a value.
func (r *reader) assign(target *ir.Expr, v *value) {
	switch target.Kind {
	case ir.Name:
		at := variableOf(target)
		if at.scope == nil {
			return
		}
		r.noteFlag(at, v)
		if len(v.marks) > 0 && v.length < 0 {
			v = r.st.noted(v.without(r.st))
		}
		if len(v.marks) > 0 && !strings.HasPrefix(target.Text, "\x00") {
			v = v.marked(func(m *mark) { m.step = m.step.add(callgraph.PlaceOf(target), target.Text) })
		}
		r.st.vars[at] = v
	case ir.Attr:
		if target.Text == "Stdin" && target.X != nil && !r.quiet { // of Go's exec.Cmd
			if prog := r.silently(target.X).fields[startedProgram]; prog != nil {
				r.readCode(call{expr: target}, "Stdin", prog.fixed, v)
			}
		}
		if target.X != nil && (target.X.Kind == ir.Name || target.X.Kind == ir.Attr) {
			r.assign(target.X, r.silently(target.X).with(target.Text, v))
		}
	case ir.Index:
		r.writeMember(target)
		if target.X != nil && target.X.Kind == ir.Name && !v.isEmpty() {
			of := r.silently(target.X)
			r.assign(target.X, of.with("*", join(of.fields["*"], v)))
		}
	}
}

// noteFlag remembers that a variable is given one of two constants, such as true and false, or something and nothing.
func (r *reader) noteFlag(at variable, v *value) {
	x := r.flagged
	r.flagged = nil
	if r.quiet {
		return
	}
	if t, ok := truth(x); ok {
		r.st.noteFlag(at, t)
	} else if f, ok := r.st.flags[at]; ok && v.isClean() && x != nil && (f.yes == nil) != (f.no == nil) && !isCondition(x) {
		r.st.noteFlag(at, true) // found = root, which was null before
	} else if ok {
		r.st.flags = maps.Clone(r.st.flags)
		delete(r.st.flags, at)
	}
}

// silently evaluates an expression whose calls were looked at already.
func (r *reader) silently(e *ir.Expr) *value {
	outer := r.quiet
	r.quiet = true
	v := r.eval(e)
	r.quiet = outer
	return v
}

func (r *reader) isConstant(e *ir.Expr) bool {
	return e != nil && (e.Kind == ir.String || e.Kind == ir.Literal || r.a.g.AreConstants(e, r.ctx))
}
