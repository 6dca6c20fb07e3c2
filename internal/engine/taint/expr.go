package taint

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// eval returns where the value of an expression came from, and looks at the calls in it.
func (r *reader) eval(e *ir.Expr) *value {
	if e == nil || !r.spend() || r.depth > maxEval {
		return nothing
	}
	r.depth++
	defer func() { r.depth-- }()
	switch e.Kind {
	case ir.String:
		return fixedText(e.Text)
	case ir.Name:
		return r.evalName(e)
	case ir.Template:
		return r.evalTemplate(e)
	case ir.Attr:
		v := r.eval(e.X).member(e.Text)
		if text, ok := r.a.g.Constant(e, r.ctx); ok && v.isEmpty() && v.fixed == "" {
			return fixedText(text)
		}
		return v
	case ir.Index:
		return r.evalElement(e)
	case ir.Result:
		v := r.compute(e.X)
		if f := v.fields[strconv.Itoa(e.N)]; f != nil {
			return f
		}
		if e.N > 0 {
			return nothing
		}
		return v
	case ir.Call, ir.New:
		return r.evalCall(e)
	case ir.Object:
		return r.evalObject(e)
	case ir.List:
		return r.evalList(e)
	case ir.Either:
		return r.evalEither(e)
	case ir.Function, ir.Type, ir.Literal:
		return nothing
	}
	return r.evalOther(e)
}

func (r *reader) evalName(e *ir.Expr) *value {
	bindings, at := e.Scope.Find(e.Text)
	if v := r.st.vars[variable{at, e.Text}]; v != nil {
		return v
	}
	if len(bindings) == 1 && bindings[0].Import != nil && bindings[0].Import.Module == "flask" && bindings[0].Import.Member == "request" {
		return newValue(mark{src: source{param: globalRequest}, whole: true})
	}
	if at != nil && at.Owner() == nil || len(bindings) == 1 { // a constant of the module, or of a function around
		if text, ok := r.a.g.Constant(e, r.ctx); ok {
			return fixedText(text)
		}
	}
	return nothing
}

// maxEval is how deep expressions are read inside each other.
const maxEval = 300

// unknownText stands in a head for text that is not known before the program runs.
const unknownText = "\x00"

const maxHead = 300

func (r *reader) evalTemplate(e *ir.Expr) *value {
	var parts []*value
	for _, part := range e.Args {
		v := r.eval(part.Value)
		switch {
		case len(e.Args) == 1:
			return v
		case part.Value.Is(ir.Literal):
			v = fixedText(part.Value.Text)
		case part.Value.Is(ir.String) && v.fixed == "":
			continue
		}
		parts = append(parts, v)
	}
	if len(parts) > 1 && parts[0].length >= 0 { // lists of Python
		out := parts[0]
		for _, p := range parts[1:] {
			out = out.extend(p)
		}
		return out
	}
	return joinTexts(parts, "")
}

func fixedText(text string) *value { return &value{length: -1, fixed: text} }

// joinTexts is a text made of parts with something between them; each part keeps what stands in front of it.
func joinTexts(parts []*value, between string) *value {
	out, head := &value{length: -1}, ""
	for _, p := range parts {
		out.marks = addMarks(out.marks, p.behind(head).marks...)
		if len(head) < maxHead {
			head += p.beginning() + between
		}
	}
	if between == "" && out.isEmpty() && !strings.Contains(head, unknownText) {
		out.fixed = head
	}
	return out
}

func joinPath(parts []*value) *value { return joinTexts(parts, "/") }

// beginning is what a text that holds a value goes on with there, up to what is not known.
func (v *value) beginning() string {
	switch {
	case v.fixed != "":
		return v.fixed
	case len(v.marks) > 0:
		return v.marks[0].head + unknownText
	}
	return unknownText
}

func clipHead(s string) string {
	if len(s) > maxHead {
		return s[:maxHead]
	}
	return s
}

func (r *reader) evalElement(e *ir.Expr) *value {
	v := r.eval(e.X)
	if len(e.Args) == 0 {
		return v.elements()
	}
	key := e.Args[0].Value
	if key != nil && key.Kind == ir.Literal && key.Text != "" {
		return v.member(key.Text)
	}
	name := r.eval(key)
	if text, ok := r.a.g.Constant(key, r.ctx); ok {
		return v.member(text)
	}
	if r.isOwnKey(key, e.X) {
		return v.elements()
	}
	return v.elements().got(name, v) // a table that is asked for a key answers with what is in it
}

// isOwnKey reports whether a key is one of those that a table itself has: for (const key of Object.keys(table)) table[key].
func (r *reader) isOwnKey(key, table *ir.Expr) bool {
	d := r.a.g.Definition(key)
	if d.Kind != ir.Index || len(d.Args) > 0 {
		return false
	}
	of := r.a.g.Definition(d.X)
	if of.Kind == ir.Call && of.X != nil && of.X.Text == "keys" && len(of.Args) == 1 {
		of = of.Args[0].Value
	}
	return ir.Same(of, table) || ir.Same(d.X, table)
}

func (r *reader) evalObject(e *ir.Expr) *value {
	out := &value{length: -1}
	for _, a := range e.Args {
		if e.End > 0 && a.Value != nil && (a.Value.Start < e.Start || a.Value.End > e.End) {
			continue // assigned to a member later, which its own statement says
		}
		v := r.eval(a.Value)
		switch {
		case a.Spread:
			out.marks = addMarks(out.marks, v.marks...)
			for name, f := range v.fields {
				out = out.with(name, f)
			}
		case a.Name != "":
			out = out.with(a.Name, v)
		case a.Key != nil:
			r.eval(a.Key)
			out = out.with("*", join(out.fields["*"], v))
		}
	}
	return out
}

func (r *reader) evalList(e *ir.Expr) *value {
	if e.N == ir.Comprehension && len(e.Args) == 2 {
		return r.evalComprehension(e.Args[0].Value, e.Args[1].Value.Args)
	}
	out := &value{length: 0}
	for _, a := range e.Args {
		if v := r.eval(a.Value); a.Spread {
			out = out.extend(v)
		} else {
			out = out.push(v)
		}
	}
	return out
}

// evalComprehension is any number of an element for which conditions hold.
func (r *reader) evalComprehension(element *ir.Expr, parts []ir.Arg) *value {
	st := r.st.clone()
	for _, p := range parts {
		r.eval(p.Value)
		if c := p.Value; c != nil && c.Kind == ir.Other && c.Text == "" && len(c.Args) == 1 {
			r.assume(c.Args[0].Value, true, st)
		}
	}
	outer := r.st
	r.st = st
	v := st.noted(r.eval(element).without(st))
	r.st = outer
	return listOf(v)
}

// evalEither is one of several values; which one may depend on a condition that bounds it.
func (r *reader) evalEither(e *ir.Expr) *value {
	out := nothing
	if len(e.Args) == 2 && e.Args[1].Value != nil && e.Args[1].Value.Kind == ir.Type && e.Args[1].Value.X != nil { // x.(string) of Go
		switch t := e.Args[1].Value; {
		case t.Text == "" && numberTypes[t.X.Text]:
			r.eval(e.Args[0].Value)
			return nothing
		case t.Text == "" && t.X.Text == "string":
			return r.eval(e.Args[0].Value).adding(isText)
		}
	}
	for i, a := range e.Args {
		st := r.st.clone()
		switch {
		case e.Text == "?" && e.X != nil:
			if i == 0 {
				r.eval(e.X)
			}
			r.assume(e.X, i == 0, st)
		case e.Text == "&&" && i > 0:
			r.assume(e.Args[0].Value, true, st)
		case e.Text == "||" && i > 0:
			r.assume(e.Args[0].Value, false, st)
		}
		outer := r.st
		r.st = st
		v := r.eval(a.Value)
		if len(v.marks)+len(v.fields) > 0 {
			v = v.without(st)
		}
		if e.Text == "?" {
			v = st.noted(v)
		}
		r.st = outer
		out = join(out, v)
	}
	return out
}

// without returns a value without what is not the caller's in a state.
func (v *value) without(st *state) *value {
	out := &value{length: v.length, fixed: v.fixed, keyed: v.keyed, depth: v.depth, fields: maps.Clone(v.fields)}
	out.marks = slices.DeleteFunc(slices.Clone(v.marks), func(m mark) bool { return st.gone(m.src) })
	for name, f := range v.fields {
		out.fields[name] = f.without(st)
	}
	return out
}

// answers are operators whose result is a number or a truth value.
var answers = map[string]bool{
	"==": true, "===": true, "!=": true, "!==": true, "<": true, ">": true, "<=": true, ">=": true, "in": true, "not in": true,
	"is": true, "is not": true, "instanceof": true, "!": true, "typeof": true, "void": true, "-": true, "*": true, "**": true, "<-": false,
}

// evalOther is an operator, or something of which only the parts matter.
func (r *reader) evalOther(e *ir.Expr) *value {
	python := r.a.g.Convention().Language == "python"
	out := nothing
	var joined []*value
	for _, a := range e.Args {
		v := r.eval(a.Value)
		joined = append(joined, v)
		out = join(out, v)
	}
	if e.X != nil {
		out = join(out, r.eval(e.X))
	}
	switch {
	case answers[e.Text]:
		return nothing
	case e.Text == "/" && python:
		return joinPath(joined)
	case e.Text == "/" || e.Text == "%" && !python:
		return nothing
	case len(e.Args) == 1:
		return out
	}
	return out.derived(0)
}

// behind is a text that a value is put into, behind a head.
func (v *value) behind(head string) *value {
	return v.each(func(m *mark) { m.whole, m.head = false, clipHead(head+m.head) })
}
