package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
)

// assume adds to a state what holds because a condition does, or does not. A guard is told by what it
// does to the value: membership in a list, a prefix, a pattern, another function of the program that
// comes to a truth value by such means.
func (r *reader) assume(e *ir.Expr, holds bool, st *state) { r.assumeDeep(e, "", holds, st, 0) }

func (r *reader) assumeDeep(e *ir.Expr, member string, holds bool, st *state, depth int) {
	if e == nil || depth > 20 || !r.spend() {
		return
	}
	if list := r.filterOf(e); list != nil {
		e = list
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
		if member == "" && st.learnFlag(variableOf(e), holds) {
			return
		}
		if v := r.silently(e); !holds && member == "" && v.has(relative) { // no way to go: the directory itself
			st.learn(v, contained)
			return
		}
		if d := r.a.g.Definition(e); d != e && (d.Is(ir.Call, ir.Index, ir.Result) || isCondition(d)) {
			r.assumeDeep(d, member, holds, st, depth+1)
		} else if !holds && member == "" { // nothing, or an empty text
			st.bounded(r.silently(e).wholeOnly())
		}
	case ir.Attr:
		if e.Text == "length" {
			return
		}
		r.assumeDeep(e.X, e.Text, holds, st, depth+1)
		if !holds && member == "" { // options.path is nothing, or an empty text
			st.bounded(r.silently(e).wholeOnly())
		}
	case ir.Index:
		if len(e.Args) == 1 {
			r.assumeKey(e.X, e.Args[0].Value, holds, st)
		}
	case ir.Result: // _, ok := table[x]
		if e.N == 1 && e.X != nil && e.X.Kind == ir.Index && len(e.X.Args) == 1 {
			r.assumeKey(e.X.X, e.X.Args[0].Value, holds, st)
		}
	}
}

// assumeKey reads table[x] where it is asked for: the server's table holds that key.
func (r *reader) assumeKey(table, key *ir.Expr, holds bool, st *state) {
	if key != nil && holds && r.silently(table).isClean() && !r.silently(key).isClean() {
		r.assumeMember(table, key, holds, st)
	}
}

// keepers are methods of a list that give back its elements, in some order, or one of them.
var keepers = names("sort toSorted reverse toReversed slice at shift pop")

// filterOf returns the call list.filter(f) whose elements an expression holds, one of them, or their number; nil for any other. That there is one
// says that f was true of it.
func (r *reader) filterOf(e *ir.Expr) *ir.Expr {
	const deepest = 6
	for range deepest {
		switch d := r.a.g.Definition(e); {
		case d.Is(ir.Call) && d.X.Is(ir.Attr) && d.X.Text == "filter":
			return d
		case d.Is(ir.Call) && d.X.Is(ir.Attr) && keepers[d.X.Text]:
			e = d.X.X
		case d.Is(ir.Index), d.Is(ir.Attr) && d.Text == "length":
			e = d.X
		default:
			return nil
		}
	}
	return nil
}

// countsFiltered reports whether an expression is the number of what passed a filter.
func (r *reader) countsFiltered(e *ir.Expr) bool {
	return e.Is(ir.Attr) && e.Text == "length" && r.filterOf(e) != nil
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
	case ">", ">=", "<": // list.filter(f).length > 0
		if r.countsFiltered(a) && b != nil && b.Kind == ir.Literal && b.Text == map[string]string{">": "0", ">=": "1", "<": "1"}[e.Text] {
			r.assumeDeep(a, "", holds == (e.Text != "<"), st, depth+1)
		}
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
		if len(chosen(r.marksIn(a.Value))) == 0 && !r.asksFlag(a.Value) {
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
		if r.asksEnvironment(x) {
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
	if a.IsNothing() {
		a, b = b, a
	}
	if a.Kind == ir.Index && len(a.Args) == 1 && a.Args[0].Value.Is(ir.Literal) && a.Args[0].Value.Text == "0" && b.Kind == ir.String { // ref[0] == '-'
		r.assumePrefix(a.X, b, equal, st)
		return
	}
	if r.countsFiltered(a) && b.Kind == ir.Literal && b.Text == "0" { // list.filter(f).length === 0
		r.assumeDeep(a, "", !equal, st, depth+1)
		return
	}
	if b.IsNothing() { // x === null
		r.assumeDeep(a, "", !equal, st, depth+1)
		return
	}
	if a.Kind == ir.Call && a.X != nil && addressTests[a.X.Text] && b.Kind == ir.Literal { // isIP(x) === 0
		r.assumeDeep(a, "", equal != (b.Text == "0"), st, depth+1)
		return
	}
	if r.assumeType(a, b, equal, st) || r.assumeType(b, a, equal, st) {
		return
	}
	if t, ok := truth(b); ok {
		r.assumeDeep(a, "", equal == t, st, depth+1)
		return
	}
	va, vb := r.silently(a), r.silently(b)
	if va.isClean() {
		va, vb, a, b = vb, va, b, a
	}
	r.noteWords(va, b, equal, st)
	if va.isClean() || !r.isApart(va, vb) {
		return
	}
	literal := b
	if a.Kind == ir.String {
		literal = a
	}
	if equal && literal.Kind == ir.String && va.has(relative) && !strings.HasPrefix(literal.Text, "..") {
		st.learn(va, contained) // "" is the way to the directory itself
		return
	}
	learnEqual(va, equal, st)
	if equal && !vb.isClean() { // of two parameters of a helper, its caller knows which is the server's
		learnEqual(vb, equal, st)
	}
}

// learnEqual notes that a value is, or is not, the same as one of the server's.
func learnEqual(va *value, equal bool, st *state) {
	switch {
	case !equal && va.has(schemeOf):
	case !equal:
		st.learn(va.wholeOnly(), denylisted)
	case va.has(common):
		st.learn(va, fenced)
	case va.has(hostOf):
		st.learn(va, hostAllowed)
		st.bounded(va.wholeOnly())
	case va.has(schemeOf):
		st.learn(va, schemeAllowed)
	case va.has(resolved): // the directory itself
		st.learn(va, contained)
	default:
		st.bounded(va.wholeOnly())
	}
}

// assumeType reads typeof x === "string".
func (r *reader) assumeType(a, b *ir.Expr, equal bool, st *state) bool {
	if a.Text != "typeof" || a.Kind != ir.Other || len(a.Args) != 1 || b.Kind != ir.String {
		return false
	}
	v := r.silently(a.Args[0].Value)
	switch {
	case !equal:
	case b.Text == "string":
		st.learn(v.wholeOnly(), isText)
	case b.Text == "number" || b.Text == "boolean" || b.Text == "bigint":
		st.bounded(v.wholeOnly())
	}
	return true
}

// has reports whether all marks of a value have a fact.
func (v *value) has(f fact) bool {
	return len(v.marks) > 0 && !slices.ContainsFunc(v.marks, func(m mark) bool { return m.facts&f == 0 })
}

// isApart reports whether what a value is compared with is not of the same caller's choosing: a constant, what the server
// holds, what lies inside of its directory or, in a helper, another of its parameters, of which its caller knows more. A path may have
// been put together with the directory that it is compared with.
func (r *reader) isApart(v, with *value) bool {
	bases := slices.DeleteFunc(with.all(), r.isServers)
	own := slices.DeleteFunc(v.all(), func(m mark) bool {
		return slices.ContainsFunc(bases, func(w mark) bool { return w.src == m.src })
	})
	return !slices.ContainsFunc(bases, func(w mark) bool {
		return r.a.depth <= 1 || len(own) == 0 || slices.ContainsFunc(own, func(m mark) bool { return m.src.param == w.src.param })
	})
}

// isServers reports whether what a mark stands for is the server's choice all the same: its own, one of a few, a path inside of its directory.
func (r *reader) isServers(m mark) bool {
	return m.src.param < 0 || r.st.gone(m.src) || (m.facts|r.st.facts[m.src])&contained != 0
}

// isFenced reports whether a directory that a path is compared with keeps it from being anywhere. Of a helper that depends on what it is given.
func (r *reader) isFenced(path, by *value) bool {
	if !r.isApart(path, by) {
		return false
	}
	for _, m := range slices.DeleteFunc(by.all(), r.isServers) {
		r.sum.others |= bit(m.src.param)
	}
	return true
}

// comparisons are facts that say as little as what a value was compared with.
const comparisons = contained | fenced | prefixed | hostAllowed

// stillHolds returns which facts of an argument, found out by comparing it with others of the parameters, hold where these are given
// values: a path inside of a directory that the caller chooses, too, may lie anywhere.
func (r *reader) stillHolds(sum *summary, fn *ir.Func, c call, v *value) fact {
	for _, p := range fn.Params {
		if sum.others&bit(p.Index) != 0 && !r.isFenced(v, c.argument(p)) {
			return ^comparisons
		}
	}
	return ^fact(0)
}

// assumeMember reads "x in list", list.includes(x), set.has(x).
func (r *reader) assumeMember(list, x *ir.Expr, holds bool, st *state) {
	l, v := r.silently(list), r.silently(x)
	r.noteWords(v, list, holds, st)
	r.noteWords(l, x, holds, st)
	switch {
	case v.isClean() && !l.isClean() && list.Kind == ir.Attr && list.Text == "parents": // directory in path.parents
		if holds {
			st.learn(r.silently(list.X), fenced)
		}
	case !l.isClean() && v.fixed != "": // ".." in path
		if !holds {
			st.learn(l, absence(v.fixed))
		}
	case v.isClean() || !r.isApart(v, l):
	case holds && x.Kind == ir.Template && !v.has(schemeOf|hostOf): // a name with an ending: known.includes(`${name}.md`)
		st.bounded(v)
	case !holds && !v.has(schemeOf):
		st.learn(v, denylisted)
	default:
		learnEqual(v, holds, st)
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

// fixedHost is the beginning of an address up to the end of its host, which may be known only to the server where something ends it.
var fixedHost = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9+.-]*://([^/\x00?#@]+$|[^/?#@]+[/?#])`)

func (r *reader) assumePrefix(subject, prefix *ir.Expr, holds bool, st *state) {
	if n := len(subject.Args) - 1; subject.Kind == ir.Template && n > 0 && r.endsWithSeparator(subject.Args[n].Value) {
		subject = &ir.Expr{Kind: ir.Template, Args: subject.Args[:n], Scope: subject.Scope} // path + "/", so that the directory itself passes
	}
	v, p := r.silently(subject), r.silently(prefix)
	if v.isClean() || !r.isFenced(v, p) {
		return
	}
	r.noteWords(v, prefix, holds, st)
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
		st.learn(v, noDash)
	case r.endsWithSeparator(prefix) || subject.Is(ir.Name) && r.endsWithSeparator(subject):
		st.learn(v, fenced)
	default:
		st.learn(v, prefixed)
	}
}

// endsWithSeparator reports whether a text that an expression can be ends where a directory's name does: base + path.sep, or a path to which a
// separator was added before it is compared, as is done where the directories that it is compared with end in one.
func (r *reader) endsWithSeparator(e *ir.Expr) bool { return r.a.g.EndsIn(e, r.ctx, `/\`) }

// hostMarks returns the marks in a condition that are the host of an address, or what a name server said of it.
func (r *reader) hostMarks(e *ir.Expr) []mark {
	return slices.DeleteFunc(r.marksIn(e), func(m mark) bool { return m.facts&(hostOf|looked) == 0 })
}

// marksIn returns the marks of the names and members in an expression.
func (r *reader) marksIn(e *ir.Expr) (out []mark) {
	e.Search(maxPartsDeep, func(x *ir.Expr) (found, into bool) {
		if x.Is(ir.Name, ir.Attr, ir.Index) {
			out = append(out, r.silently(x).all()...)
		}
		return !r.spend(), !x.Is(ir.Name, ir.Attr, ir.Index, ir.Function)
	})
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
