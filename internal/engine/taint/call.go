package taint

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

const maxInline = 8

// A call is one call as it is read.
type call struct {
	expr     *ir.Expr
	receiver *value // what a method belongs to
	args     []*value
	literals []*ir.Expr // functions that are handed over as they are written
	followed bool       // it may enter a function of the program
	spreads  []*value   // by argument: the list or the table that it is spread from, nil where it is not
}

// spread returns the list or the table that an argument is spread from, or nil.
func (c call) spread(i int) *value {
	if i < len(c.spreads) {
		return c.spreads[i]
	}
	return nil
}

// evalCall reads a call: its arguments, what it enters, and what it gives back.
func (r *reader) evalCall(e *ir.Expr) *value {
	c := r.callOf(e)
	r.mutate(c)
	r.bindArguments(c)
	return r.enter(c)
}

func (r *reader) callOf(e *ir.Expr) call {
	c := call{expr: e, receiver: nothing, spreads: make([]*value, len(e.Args))}
	if e.X.Is(ir.Attr) {
		c.receiver = r.eval(e.X.X)
	} else if !e.X.Is(ir.Name, ir.Function) {
		r.eval(e.X)
	}
	for i, a := range e.Args {
		v := nothing
		if a.Value.Is(ir.Function) {
			c.literals = append(c.literals, a.Value)
		} else {
			v = r.eval(a.Value)
		}
		if a.Spread {
			c.spreads[i] = v
			v = v.elements()
		}
		c.args = append(c.args, v)
	}
	return c
}

// enter reads what a call enters, and returns what it gives back.
func (r *reader) enter(c call) *value {
	e := c.expr
	r.st.called |= r.calledParam(e)
	if e.X != nil && e.X.Kind == ir.Attr && (e.X.Text == "addIssue" || e.X.Text == "add_issue") {
		r.st.dead = true // of zod's refinements: the value is refused
		return nothing
	}
	var out *value
	ran := false // what the call is handed to run
	callees := r.a.g.Callees(e, r.ctx)
	c.followed = slices.ContainsFunc(callees, func(callee callgraph.Callee) bool { return callee.Func != nil })
	for _, callee := range callees {
		switch {
		case callee.Func != nil && r.runsHere(callee.Func):
			out = join(out, r.runInline(callee.Func, r.a.g.Inside(callee.Func, r.ctx), func(p *ir.Param) *value { return c.argument(p) }, false))
		case callee.Func != nil:
			out = join(out, r.apply(c, callee))
		case callee.Class != nil:
			out = join(out, r.made(c, callee.Class))
		case ran:
			out = join(out, r.leaves(c, callee))
		default:
			ran = true
			if v, ok := r.runCallbacks(c, callee); ok {
				out = join(out, v)
			} else {
				out = join(out, r.leaves(c, callee))
			}
		}
	}
	if !ran && len(callees) == 0 {
		r.runCallbacks(c, callgraph.Callee{})
	}
	if len(callees) == 1 && callees[0].Func != nil && !callees[0].Guess {
		if sum := r.a.known[key{callees[0].Func, callees[0].Context}]; sum != nil && sum.raises {
			r.st.dead = true // of what only makes an error and throws it: nothing runs behind it
		}
	}
	if out == nil {
		return nothing
	}
	return out
}

// noteLeaving notes whose parameters a value holds something of.
func (r *reader) noteLeaving(v *value) {
	if v.isEmpty() {
		return
	}
	for _, m := range v.all() {
		r.sum.leaves |= bit(m.src.param)
	}
}

// bit is a set of one parameter, by its index; of a receiver, and of one too far behind, the empty set.
func bit(index int) uint64 {
	if index < 0 {
		return 0
	}
	return 1 << index
}

// made is an object of a class without a constructor of its own, as dataclasses and models are: Arguments(**arguments) has the members
// of what it is made of, Arguments(path=p) the one that is named, Arguments(p) the first that the class declares.
func (r *reader) made(c call, class *ir.Class) *value {
	out := &value{length: -1}
	position := 0
	for i, a := range c.expr.Args {
		switch {
		case a.Spread && a.Value != nil && c.spread(i) != nil && isTable(a.Value):
			out = join(out, c.spread(i))
		case a.Spread:
			out = join(out, c.args[i])
		case a.Name != "":
			out = out.with(a.Name, c.args[i])
		default:
			if position < len(class.Noted) && class.Noted[position].Name != "" {
				out = out.with(class.Noted[position].Name, c.args[i])
			} else {
				out = join(out, c.args[i].derived(0))
			}
			position++
		}
	}
	return r.a.modelled(out, class)
}

func (r *reader) leaves(c call, callee callgraph.Callee) *value {
	r.noteLeaving(c.receiver)
	for _, a := range c.args {
		r.noteLeaving(a)
	}
	if !r.quiet {
		r.findSinks(c, callee)
	}
	return r.transfer(c, callee)
}

// direct returns the call of a function as if it were called by itself, and not by its method call or apply.
func (c call) direct(fn *ir.Func) call {
	e := callgraph.DirectCall(fn, c.expr)
	if e == c.expr {
		return c
	}
	self := c.args[0]
	c.expr, c.receiver, c.args = e, self, slices.Clone(c.args[1:])
	c.spreads = slices.Clone(c.spreads[1:])
	for i, a := range e.Args {
		if a.Spread && c.spreads[i] == nil { // f.apply(self, list)
			c.spreads[i], c.args[i] = c.args[i], c.args[i].elements()
		}
	}
	return c
}

// inOrder returns the arguments of a call that come by their place, those of lists that are spread one by one, up to a list of unknown
// length; rest is that list, with whatever stands behind it, or nil.
func (c call) inOrder() (known []*value, rest *value) {
	for i, a := range c.expr.Args {
		list := c.spread(i)
		switch {
		case a.Name != "" || list != nil && isTable(a.Value):
		case rest != nil:
			rest = listOf(join(rest.elements(), c.args[i]))
		case list == nil && a.Spread || list != nil && list.length < 0:
			rest = cmp.Or(list, listOf(c.args[i]))
		case list != nil:
			known = append(known, list.known()...)
		default:
			known = append(known, c.args[i])
		}
	}
	return known, rest
}

func (c call) argument(p *ir.Param) *value {
	if p.Index < 0 {
		return c.receiver
	}
	known, rest := c.inOrder()
	all := &value{length: 0} // of a parameter that takes all that are left
	for i := p.Index; i < len(known); i++ {
		all = all.push(known[i])
	}
	if rest != nil {
		all = all.push(rest.elements())
	}
	for i, a := range c.expr.Args {
		list := c.spread(i)
		switch {
		case a.Name != "" && a.Name == p.Name && !p.Rest:
			return c.args[i]
		case a.Name != "":
			all = all.with(a.Name, c.args[i])
		case list == nil || !isTable(a.Value):
		case !p.Rest && p.Index >= len(known) && !list.member(p.Name).isEmpty():
			return list.member(p.Name)
		default:
			for name, v := range list.fields {
				all = all.with(name, v)
			}
		}
	}
	switch {
	case p.Rest:
		return all
	case p.Index < len(known):
		return known[p.Index]
	case rest != nil && len(rest.fields) == 0: // f(...args) hands them over in their order
		return rest.member(itoa(p.Index - len(known)))
	case rest != nil:
		return rest.elements()
	}
	return nothing
}

// valuesAStep is how many members of a value cost as much to look through as one expression costs to read.
const valuesAStep = 4

// mutators are methods that put their arguments into what they belong to.
var mutators = names("push unshift append add insert extend set update")

// write reads a call that adds a text to what a builder holds: b.WriteString(s), fmt.Fprintf(&b, format, values…).
func (r *reader) write(c call) {
	var to *ir.Expr
	var parts []*value
	switch {
	case !c.expr.X.Is(ir.Attr):
		return
	case c.expr.X.Text == "WriteString" && len(c.args) == 1:
		to, parts = c.expr.X.X, []*value{c.receiver, c.args[0]}
	case c.expr.X.Text == "Fprintf" && len(c.args) > 1:
		for to = c.expr.Args[0].Value; to.Is(ir.Other) && len(to.Args) == 1; {
			to = to.Args[0].Value // &b
		}
		parts = []*value{c.args[0], call{expr: &ir.Expr{Kind: ir.Call, Args: c.expr.Args[1:]}, args: c.args[1:]}.sprintf()}
	}
	if to.Is(ir.Name, ir.Attr) {
		if parts[0].isEmpty() && parts[0].fixed == "" {
			parts = parts[1:] // the first text
		}
		r.assign(to, r.st.noted(joinTexts(parts, "")))
	}
}

// mutate reads a call that puts something into a list.
func (r *reader) mutate(c call) {
	r.write(c)
	x, v, clean := c.expr.X, c.receiver, true
	if !x.Is(ir.Attr) || !mutators[x.Text] || !x.X.Is(ir.Name, ir.Attr) {
		return
	}
	if x.X.Text == "searchParams" || r.a.g.Definition(x.X).Calls() == "URLSearchParams" { // which encodes what is put into it
		return
	}
	for i, a := range c.args {
		clean = clean && a.isClean()
		a = r.st.noted(a)
		switch {
		case x.Text == "set" && i == 0, x.Text == "insert" && i == 0:
		case x.Text == "update" && len(c.args) == 1: // of a table, by the names of its members; not repository.update(id, values)
			v = join(v, a)
		case x.Text == "extend" || c.expr.Args[i].Spread:
			v = v.extend(a)
		default:
			v = v.push(a)
		}
	}
	if clean && v.length <= 0 && c.receiver.length < 0 {
		return // nothing of interest, and no list that is known
	}
	r.assign(x.X, v)
}

// bindArguments reads request.BindArguments(&args) and json.Unmarshal(data, &args), which fill what they are given.
func (r *reader) bindArguments(c call) {
	if c.expr.X == nil || len(c.args) == 0 || r.a.g.Convention().Language != "go" {
		return
	}
	from := c.receiver
	switch c.expr.X.Text {
	case "BindArguments":
		from = from.member("Params").member("Arguments")
	case "Unmarshal", "Decode":
		if len(c.args) > 1 {
			from = c.args[0]
		}
	default:
		return
	}
	target := c.expr.Args[len(c.args)-1].Value
	for target != nil && target.Kind == ir.Other && len(target.Args) == 1 {
		target = target.Args[0].Value // &args
	}
	if target != nil && target.Kind == ir.Name && !from.isClean() {
		r.assign(target, from)
	}
}

// runsHere reports whether a function sees the variables of the one that is read: it is written inside it.
func (r *reader) runsHere(fn *ir.Func) bool {
	owner := fn.Scope.Up.Owner()
	for owner != nil && owner != r.fn {
		owner = owner.Scope.Up.Owner()
	}
	return owner != nil && fn != r.fn && r.inline < maxInline
}

// runInline reads a function where it is called, over the same variables. Where it may run or not, both ways count.
func (r *reader) runInline(fn *ir.Func, ctx callgraph.Context, given func(*ir.Param) *value, maybe bool) *value {
	if r.a.busy[fn] > 0 || r.inline >= maxInline {
		return nothing
	}
	r.a.busy[fn]++
	inner := &reader{a: r.a, fn: r.fn, ctx: ctx, st: r.st.clone(), inline: r.inline + 1, quiet: r.quiet, depth: r.depth}
	inner.sum = newSummary()
	inner.sum.seen, inner.sum.flows = r.sum.seen, r.sum.flows
	for _, p := range fn.Params {
		if p.Index >= 0 {
			inner.st.vars[variable{fn.Scope, p.Name}] = given(p)
		}
	}
	inner.runBody(fn)
	r.sum.flows = inner.sum.flows
	r.sum.leaves |= inner.sum.leaves
	r.sum.others |= inner.sum.others
	r.sum.cut = r.sum.cut || inner.sum.cut
	r.a.busy[fn]--
	after := r.st.clone()
	if ends := inner.sum.returned(always); ends.any {
		after.vars, after.knowledge = inner.st.vars, ends.knowledge
	}
	if maybe {
		after = joinStates(r.st.clone(), after)
	}
	r.st.become(after)
	r.last = nil
	if inner.result == nil {
		return nothing
	}
	return inner.result
}

// apply puts the arguments of a call in place of the parameters in the summary of what it enters.
func (r *reader) apply(c call, callee callgraph.Callee) *value {
	sum := r.a.summarize(callee.Func, callee.Context)
	c = c.direct(callee.Func)
	given := map[int]*value{}
	for _, p := range callee.Func.Params {
		given[p.Index] = c.argument(p)
	}
	place := callgraph.PlaceOf(c.expr)
	name := callee.Func.Name
	reached := map[source]arrived{}
	arrivedAt := func(src source) arrived {
		v, ok := reached[src]
		if !ok {
			v.value = nothing
			if src.param == globalRequest {
				v.value = newValue(mark{src: src, whole: true})
			} else if g := given[src.param]; g != nil {
				v.value = g.at(src.path)
			}
			v.marks = v.value.all()
			v.holds = r.stillHolds(sum, callee.Func, c, v.value)
			reached[src] = v
			r.a.left -= v.value.size / valuesAStep
		}
		return v
	}
	at := func(src source) *value { return arrivedAt(src).value }
	for i, v := range given {
		if sum.leaves&bit(i) != 0 {
			r.noteLeaving(v)
		}
	}
	r.enterMembers(callee.Func, sum, given)
	if !r.quiet {
		for _, f := range sum.flows {
			if callee.Guess {
				f.guesses++
			}
			if f.guesses > maxGuesses {
				continue
			}
			arriving := at(f.src)
			part, behind := strings.CutSuffix(f.src.path, ".*")
			if behind = behind && f.kind == sink.ArgumentFlow && f.about != ""; behind || f.argv {
				if list := at(source{f.src.param, part}); list.length > 0 {
					r.argvFlows(f, list, behind, place, name)
					continue
				}
			}
			for _, m := range f.arrivingMarks(arriving) {
				if r.st.gone(m.src) {
					continue
				}
				g := f
				g.src, g.facts, g.head = m.src, f.facts&arrivedAt(f.src).holds|m.facts|r.st.facts[m.src], clipHead(f.head+m.head)
				g.step = f.step.behind(m.step.add(place, name+"()"))
				r.sum.addFlow(g)
			}
		}
	}
	returned := r.returnedTo(c, callee.Func, sum)
	for src, f := range returned.facts {
		r.st.learn(at(src), f&arrivedAt(src).holds)
	}
	result := sum.result
	if callee.Made {
		result = sum.self
	}
	if result == nil {
		result = nothing
	}
	r.a.left -= result.size
	out := r.st.noted(result.substituted(arrivedAt, place, name, 0))
	// Literals that are handed to a function of the program run as far as is known, and it may give back what they do.
	for _, p := range callee.Func.Params {
		if f := r.inner(callgraph.ArgumentOf(p, c.expr.Args)); f != nil {
			out = join(out, r.runInline(f, r.a.g.Inside(f, r.ctx), func(*ir.Param) *value { return nothing }, returned.called&bit(p.Index) == 0))
		}
	}
	return out
}

// inner returns the function that an expression is as it is written or by its name, and that sees the variables of the one that is read; nil for
// any other.
func (r *reader) inner(e *ir.Expr) *ir.Func {
	if e == nil {
		return nil
	}
	fn := r.a.g.Definition(e).Func
	if fn == nil {
		fn = e.Binding().Func
	}
	if fn == nil || fn.Scope.Up == nil || !r.runsHere(fn) {
		return nil
	}
	return fn
}

// calledParam returns the parameter of the function that is read which a call calls, or an expression that was given what the call
// gave back, as a set of one; 0 for any other.
func (r *reader) calledParam(e *ir.Expr) uint64 {
	if e.Is(ir.Name) {
		e = r.a.g.Definition(e)
	}
	if e.Is(ir.Call) {
		if p := e.X.Binding().Param; p != nil && p.Func == r.fn {
			return bit(p.Index)
		}
	}
	return 0
}

// arrived is what a caller puts in place of a source, with all marks in it.
type arrived struct {
	value *value
	marks []mark
	holds fact // which of the facts that the callee found out hold
}

func (s *step) behind(first *step) *step {
	var later []*step
	for ; s != nil; s = s.from {
		later = append(later, s)
	}
	for i := len(later) - 1; i >= 0; i-- {
		first = first.add(later[i].at, later[i].what)
	}
	return first
}

// substituted returns the result of a function with the caller's values in place of its parameters.
func (v *value) substituted(at func(source) arrived, place sink.Place, name string, depth int) *value {
	out := &value{length: v.length, fixed: v.fixed}
	var parts []mark
	for _, m := range v.marks {
		given := at(m.src)
		if m.whole && m.facts == 0 && m.head == "" {
			out = join(out, given.value)
			continue
		}
		for _, g := range given.marks {
			g.whole = g.whole && m.whole
			g.facts |= m.facts & given.holds
			g.head = clipHead(m.head + g.head)
			g.step = g.step.add(place, name+"()")
			parts = addMarks(parts, g)
		}
	}
	if len(parts) > 0 { // join may have answered with the caller's own value, which is not ours to change
		out = join(out, newValue(parts...))
	}
	if depth < 4 && len(v.fields) > 0 {
		fields := out.fields
		made := &value{marks: out.marks, length: out.length, fixed: out.fixed, fields: map[string]*value{}}
		for _, n := range slices.Sorted(maps.Keys(v.fields)) {
			made.put(n, join(fields[n], v.fields[n].substituted(at, place, name, depth+1)))
		}
		for _, n := range slices.Sorted(maps.Keys(fields)) {
			if v.fields[n] == nil {
				made.put(n, fields[n])
			}
		}
		out = made
	}
	return out
}

// isTable reports whether an argument that is spread is written as a table of Python: **arguments.
func isTable(e *ir.Expr) bool {
	source := e.Scope.File.Source
	return bytes.HasSuffix(source[:max(0, min(int(e.Start), len(source)))], []byte("**"))
}
