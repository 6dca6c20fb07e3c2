package taint

import (
	"regexp"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// assume adds to a state what holds because a condition does, or does not. A guard is told by what it
// does to the value: membership in a list, a prefix, a pattern, another function of the program that
// comes to a truth value by such means.
func (r *reader) assume(e *ir.Expr, holds bool, st *state) { r.assumeDeep(e, "", holds, st, 0) }

func (r *reader) assumeDeep(e *ir.Expr, member string, holds bool, st *state, depth int) {
	if e == nil || depth > 20 || !r.spend() {
		return
	}
	switch e.Kind {
	case ir.Either, ir.Other:
		r.assumeOperator(e, holds, st, depth)
	case ir.Call:
		r.assumeCall(e, member, holds, st, depth)
	case ir.List: // any(… for … in …) and its like
		if len(e.Args) > 0 {
			r.assumeDeep(e.Args[0].Value, "", holds, st, depth+1)
		}
	case ir.Name:
		if _, at := e.Scope.Find(e.Text); member == "" && st.learnFlag(variable{at, e.Text}, holds) {
			return
		}
		if d := r.a.g.Definition(e); d != e && (d.Kind == ir.Call || isCondition(d)) {
			r.assumeDeep(d, member, holds, st, depth+1)
		} else if !holds && member == "" { // nothing, or an empty text
			st.bounded(r.silently(e).wholeOnly())
		}
	case ir.Attr:
		r.assumeDeep(e.X, e.Text, holds, st, depth+1)
	}
}

func (r *reader) assumeOperator(e *ir.Expr, holds bool, st *state, depth int) {
	if len(e.Args) == 1 {
		if e.Text == "!" {
			r.assumeDeep(e.Args[0].Value, "", !holds, st, depth+1)
		} else if e.Text == "" {
			r.assumeDeep(e.Args[0].Value, "", holds, st, depth+1)
		}
		return
	}
	if len(e.Args) < 2 {
		return
	}
	a, b := e.Args[0].Value, e.Args[1].Value
	switch e.Text {
	case "&&", "||":
		r.assumeJunction(e, holds, st, depth)
	case "===", "==", "is":
		r.assumeEqual(a, b, holds, st, depth)
	case "!==", "!=", "is not":
		r.assumeEqual(a, b, !holds, st, depth)
	case "in":
		r.assumeMember(b, a, holds, st)
	case "not in":
		r.assumeMember(b, a, !holds, st)
	}
}

// assumeJunction reads a && b and a || b, of any number of parts.
func (r *reader) assumeJunction(e *ir.Expr, holds bool, st *state, depth int) {
	all := (e.Text == "&&") == holds // each part is as the whole is
	if all {
		for _, a := range e.Args {
			r.assumeDeep(a.Value, "", holds, st, depth+1)
		}
		return
	}
	var out *state
	before := st.clone()
	var options []*ir.Expr
	for _, a := range e.Args {
		if len(chosen(r.marksIn(a.Value, 0))) == 0 && !r.asksFlag(a.Value) {
			options = append(options, a.Value)
			continue
		}
		one := before.clone()
		r.assumeDeep(a.Value, "", holds, one, depth+1)
		out = joinEnds(out, one)
		r.assumeDeep(a.Value, "", !holds, before, depth+1)
	}
	if out == nil {
		return
	}
	for _, x := range options { // the configuration decides about the rest
		if r.asksEnvironment(x, 0) {
			switchable(st.clone(), out, true)
			for src, f := range out.facts {
				if f&refusals&^st.facts[src] != 0 {
					out.facts[src] |= switchedOff
				}
			}
		}
	}
	st.become(out)
}

func (r *reader) assumeEqual(a, b *ir.Expr, equal bool, st *state, depth int) {
	if a == nil || b == nil {
		return
	}
	if isNothing(a) {
		a, b = b, a
	}
	if isNothing(b) { // x === null
		r.assumeDeep(a, "", !equal, st, depth+1)
		return
	}
	if t, ok := truth(b); ok {
		r.assumeDeep(a, "", equal == t, st, depth+1)
		return
	}
	va, vb := r.silently(a), r.silently(b)
	if va.isClean() {
		va, vb = vb, va
	}
	if va.isClean() || !r.isApart(va, vb) {
		return
	}
	switch {
	case !equal && va.has(schemeOf):
	case !equal:
		st.learn(va.wholeOnly(), denylisted)
	case va.has(common):
		st.learn(va, fenced)
	case va.has(hostOf):
		st.learn(va, hostAllowed)
	case va.has(schemeOf):
		st.learn(va, schemeAllowed)
	case va.has(resolved): // the directory itself
		st.learn(va, contained)
	default:
		st.bounded(va.wholeOnly())
	}
}

func isNothing(e *ir.Expr) bool {
	switch e.Text {
	case "null", "undefined", "None", "nil":
		return e.Kind == ir.Literal || e.Kind == ir.Name
	}
	return false
}

// has reports whether all marks of a value have a fact.
func (v *value) has(f fact) bool {
	for _, m := range v.marks {
		if m.facts&f == 0 {
			return false
		}
	}
	return len(v.marks) > 0
}

// isApart reports whether what a value is compared with is not of the same caller's choosing: a constant, what the server
// holds, or, in a helper, another of its parameters.
func (r *reader) isApart(v, with *value) bool {
	for _, w := range with.all() {
		if w.src.param < 0 {
			continue
		}
		if r.a.depth <= 1 {
			return false
		}
		for _, m := range v.all() {
			if m.src.param == w.src.param {
				return false
			}
		}
	}
	return true
}

// assumeMember reads "x in list", list.includes(x), set.has(x).
func (r *reader) assumeMember(list, x *ir.Expr, holds bool, st *state) {
	l, v := r.silently(list), r.silently(x)
	switch {
	case !l.isClean() && v.fixed != "": // ".." in path
		if !holds {
			st.learn(l, absence(v.fixed))
		}
	case v.isClean() || !r.isApart(v, l):
	case !holds && v.has(schemeOf):
	case !holds:
		st.learn(v, denylisted)
	case v.has(schemeOf):
		st.learn(v, schemeAllowed)
	case v.has(hostOf):
		st.learn(v, hostAllowed)
	default:
		st.bounded(v.wholeOnly())
	}
}

// absence is what is known of a text that does not hold another.
func absence(text string) fact {
	switch text {
	case "..", "../":
		return noDotDot
	case "/":
		return noSlash
	}
	return denylisted
}

var fixedHost = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\x00?#@]+([/?#]|$)`)

// assumePrefix reads x.startsWith(prefix).
func (r *reader) assumePrefix(subject, prefix *ir.Expr, holds bool, st *state) {
	v, p := r.silently(subject), r.silently(prefix)
	if v.isClean() || !r.isApart(v, p) {
		return
	}
	switch text := p.fixed; {
	case v.has(relative):
		if !holds && strings.HasPrefix(text, "..") {
			st.learn(v, contained)
		}
	case text == "-":
		if !holds {
			st.learn(v, noDash)
		}
	case strings.HasPrefix(text, "http"):
		if holds && strings.Count(text, "/") > 2 && fixedHost.MatchString(text) {
			st.learn(v, hostAllowed)
		}
	case !holds:
		st.learn(v, denylisted)
	case text != "" && !strings.ContainsAny(text, `/\\`): // a word, no directory: what it begins with is known
		st.beginWith(r, subject, text)
	case r.endsWithSeparator(prefix):
		st.learn(v, fenced)
	default:
		st.learn(v, prefixed)
	}
}

// beginWith notes that a variable begins with a fixed text: behind that, the caller's begins.
func (st *state) beginWith(r *reader, subject *ir.Expr, text string) {
	for subject.Kind == ir.Call && subject.X != nil && subject.X.Kind == ir.Attr && unchanged[subject.X.Text] {
		subject = subject.X.X
	}
	if subject.Kind != ir.Name {
		return
	}
	if _, at := subject.Scope.Find(subject.Text); at != nil {
		st.vars[variable{at, subject.Text}] = r.silently(subject).each(func(m *mark) {
			if m.head == "" {
				m.whole, m.head = false, text
			}
		})
	}
}

// endsWithSeparator reports whether the text that a path begins with ends where a directory's name does.
func (r *reader) endsWithSeparator(e *ir.Expr) bool {
	e = r.a.g.Definition(e)
	for e != nil && e.Kind == ir.Template && len(e.Args) > 0 {
		e = e.Args[len(e.Args)-1].Value
	}
	if e == nil {
		return false
	}
	if e.Kind == ir.Either && len(e.Args) > 0 { // base.endsWith(sep) ? base : base + sep
		for _, a := range e.Args {
			if r.endsWithSeparator(a.Value) {
				return true
			}
		}
		return false
	}
	switch e.Text {
	case "sep", "Separator", "PathSeparator":
		return e.Kind == ir.Attr || e.Kind == ir.Name
	}
	if e.Kind == ir.Call { // string(filepath.Separator)
		return len(e.Args) == 1 && e.X.Text == "string" && r.endsWithSeparator(e.Args[0].Value)
	}
	text, ok := r.a.g.Constant(e, r.ctx)
	return ok && (strings.HasSuffix(text, "/") || strings.HasSuffix(text, `\`))
}

// assumeCall reads a condition that is a call.
func (r *reader) assumeCall(e *ir.Expr, member string, holds bool, st *state, depth int) {
	if e.X == nil {
		return
	}
	args := e.Args
	var receiver *ir.Expr
	if e.X.Kind == ir.Attr {
		receiver = e.X.X
	}
	arg := func(i int) *ir.Expr {
		if i < len(args) {
			return args[i].Value
		}
		return nil
	}
	if member == "" && receiver != nil {
		switch e.X.Text {
		case "startsWith", "startswith":
			r.assumePrefix(receiver, arg(0), holds, st)
			return
		case "HasPrefix":
			r.assumePrefix(arg(0), arg(1), holds, st)
			return
		case "endsWith", "endswith", "HasSuffix":
			v := r.silently(receiver)
			if e.X.Text == "HasSuffix" {
				v = r.silently(arg(0))
			}
			if holds && v.has(hostOf) {
				st.learn(v, hostAllowed)
			}
			return
		case "includes", "has", "Contains", "contains", "hasOwnProperty", "__contains__":
			if e.X.Text == "Contains" && len(args) == 2 {
				receiver, args = arg(0), args[1:]
			}
			if len(args) > 0 {
				r.assumeMember(receiver, args[0].Value, holds, st)
			}
			return
		case "test", "MatchString", "fullmatch", "match", "search":
			if r.assumePattern(e, receiver, holds, st) {
				return
			}
		case "is_relative_to":
			if holds {
				st.learn(r.silently(receiver), fenced)
			}
			return
		case "IsLocal":
			if holds {
				st.learn(r.silently(arg(0)), contained)
			}
			return
		case "some", "every", "any", "all", "find":
			if f := arg(0); f != nil && f.Kind == ir.Function {
				r.assumeEach(f, holds, st, depth)
				return
			}
		}
	}
	if holds && addressTests[e.X.Text] && member == "" { // an address needs no name server
		st.learn(r.silently(arg(0)), looked)
		return
	}
	if e.X.Kind == ir.Name && (e.X.Text == "any" || e.X.Text == "all") {
		r.assumeDeep(arg(0), "", holds, st, depth+1)
		return
	}
	r.assumeFunction(e, member, holds, st)
}

// addressTests are functions that tell addresses from names.
var addressTests = names("isIP isIPv4 isIPv6")

// assumeEach reads list.some(f) and list.every(f): f came to that value for an element, or for each.
func (r *reader) assumeEach(f *ir.Expr, holds bool, st *state, depth int) {
	outer := r.st
	r.st = st.clone()
	for i := range f.Func.Body {
		if s := &f.Func.Body[i]; s.Step == ir.Return {
			r.assumeDeep(s.X, "", holds, st, depth+1)
			break
		} else if s.Step == ir.Set {
			r.assign(s.Target, r.silently(s.X))
			st.vars = r.st.vars
		}
	}
	r.st = outer
}

// assumePattern reads pattern.test(x), re.match(pattern, x) and their kin.
func (r *reader) assumePattern(e, receiver *ir.Expr, holds bool, st *state) bool {
	if len(e.Args) == 0 {
		return false
	}
	pattern, subject := receiver, e.Args[0].Value
	anchored := e.X.Text == "fullmatch"
	if len(e.Args) > 1 { // re.match(pattern, x)
		pattern, subject = e.Args[0].Value, e.Args[1].Value
	} else if e.X.Text == "match" && r.a.g.Convention().Language == "typescript" { // x.match(pattern)
		pattern, subject = e.Args[0].Value, receiver
	}
	text, _, ok := r.patternText(pattern)
	if !ok {
		return false
	}
	if e.X.Text == "match" && r.a.g.Convention().Language == "python" && !strings.HasPrefix(text, "^") {
		text = "^(?:" + text + ")"
	}
	f := r.a.patternFacts(text, anchored)
	v := r.silently(subject)
	if holds {
		st.learn(v, f.match)
	} else {
		st.learn(v, f.differ)
	}
	return true
}

// assumeFunction reads a call of a function of the program: what it says of its parameters holds of the arguments.
func (r *reader) assumeFunction(e *ir.Expr, member string, holds bool, st *state) {
	sign := "-"
	if holds {
		sign = "+"
	}
	for _, callee := range r.a.g.Callees(e, r.ctx) {
		if callee.Func == nil {
			continue
		}
		sum := r.a.summarize(callee.Func, callee.Context)
		o, ok := sum.when[sign+member]
		if !ok || !o.any {
			continue
		}
		r.learnOutcome(e, callee, o, st)
	}
}

func (r *reader) learnOutcome(e *ir.Expr, callee callgraph.Callee, o outcome, st *state) {
	outer := r.quiet
	r.quiet = true
	defer func() { r.quiet = outer }()
	c := call{expr: e, receiver: nothing}
	for _, a := range e.Args {
		c.args = append(c.args, r.eval(a.Value))
	}
	at := func(src source) *value {
		for _, p := range callee.Func.Params {
			if p.Index == src.param {
				return c.argument(p).at(src.path)
			}
		}
		return nothing
	}
	for src, f := range o.facts {
		st.learn(at(src), f)
	}
	for src := range o.gone {
		st.bounded(at(src))
	}
}

// hostMarks returns the marks in a condition that are the host of an address, or what a name server said of it.
func (r *reader) hostMarks(e *ir.Expr) []mark {
	var out []mark
	for _, m := range r.marksIn(e, 0) {
		if m.facts&(hostOf|looked) != 0 {
			out = append(out, m)
		}
	}
	return out
}

// marksIn returns the marks of the names and members in an expression.
func (r *reader) marksIn(e *ir.Expr, depth int) (out []mark) {
	if e == nil || depth > 8 || !r.spend() {
		return nil
	}
	switch e.Kind {
	case ir.Name, ir.Attr, ir.Index:
		return r.silently(e).all()
	case ir.Function:
		return nil
	}
	out = r.marksIn(e.X, depth+1)
	for _, a := range e.Args {
		out = append(out, r.marksIn(a.Value, depth+1)...)
	}
	return out
}

// learnHostCheck notes that the work goes on because of what a host is.
func (r *reader) learnHostCheck(e *ir.Expr, marks []mark, st *state) {
	dotted := r.a.g.Convention().Language == "typescript" && r.knowsDottedOnly(e)
	for _, m := range marks {
		f := hostLiteral
		if m.facts&looked != 0 {
			f = hostResolved
		}
		if dotted {
			f |= dottedOnly
		}
		st.facts[m.src] |= f
	}
}
