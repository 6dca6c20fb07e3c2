package ir

// A Writer appends statements to a body.
type Writer struct{ body *[]Stmt }

// To returns a Writer of a body.
func To(body *[]Stmt) Writer { return Writer{body} }

// Add adds a statement.
func (w *Writer) Add(s Stmt) { *w.body = append(*w.body, s) }

// Do adds the evaluation of an expression; nil adds nothing.
func (w *Writer) Do(x *Expr) {
	if x != nil {
		w.Add(Stmt{Step: Do, X: x})
	}
}

// Set adds an assignment of x to a name or member. A Do must evaluate x first.
func (w *Writer) Set(target, x *Expr) {
	if target != nil && x != nil {
		w.Add(Stmt{Step: Set, Target: target, X: x})
	}
}

// Throw adds leaving the function by an error.
func (w *Writer) Throw() { w.Add(Stmt{Step: Return, Throws: true}) }

// Jump adds a break or continue.
func (w *Writer) Jump() { w.Add(Stmt{Step: Jump}) }

// Yield adds handing out x, or each element of it, and going on.
func (w *Writer) Yield(x *Expr, each bool) {
	if x != nil {
		w.Add(Stmt{Step: Yield, X: &Expr{Kind: List, Args: []Arg{{Value: x, Spread: each}}, Scope: x.Scope, Start: x.Start, End: x.End}})
	}
}

// Return adds returning x, which may be nil.
func (w *Writer) Return(x *Expr) { w.Add(Stmt{Step: Return, X: x}) }

// Apart returns what read adds as a separate body.
func (w *Writer) Apart(read func()) []Stmt {
	var body []Stmt
	outer := w.body
	w.body = &body
	read()
	w.body = outer
	return body
}

// Maybe adds a statement whose body, added by read, may or may not run: a loop, an error handler.
func (w *Writer) Maybe(block Block, read func()) {
	w.Add(Stmt{Step: Branch, Block: block, Arms: []Arm{{Body: w.Apart(read)}}})
}

// If returns a statement that runs then if a condition is true, else rest. Where the condition compares a name or a member with constants, its
// arm says with which.
func If(cond *Expr, then, rest []Stmt) Stmt {
	t := compare(cond, 0)
	s := Stmt{Step: Branch, X: t.subject, Cond: cond, Arms: []Arm{{Values: t.values, Body: then, Partly: t.partly}}, Rest: rest}
	if t.negated {
		s.Arms[0], s.Rest, s.Negate = Arm{Values: t.values, Body: rest}, then, true
	}
	return s
}

// A test is the comparison in a condition; the zero value compares nothing with constants.
type test struct {
	subject *Expr
	values  []*Expr
	negated bool // true if the subject is none of them
	partly  bool // other conditions apply too
}

// compare reads x == "a", x in ("a", "b"), ["a", "b"].includes(x), their opposites, and those joined by and, or, in every language.
func compare(e *Expr, depth int) test {
	if e == nil || depth > maxWalk {
		return test{}
	}
	if e.Kind == Call && e.X != nil && e.X.Kind == Attr && e.X.Text == "includes" && len(e.Args) == 1 {
		return testOf(e.Args[0].Value, elements(e.X.X), false)
	}
	if e.Kind == Other && e.Text == "!" && len(e.Args) == 1 {
		if t := compare(e.Args[0].Value, depth+1); t.subject != nil && !t.partly {
			t.negated = !t.negated
			return t
		}
	}
	if e.Kind != Other && e.Kind != Either || len(e.Args) != 2 {
		return test{}
	}
	a, b := e.Args[0].Value, e.Args[1].Value
	switch e.Text {
	case "==", "===", "!=", "!==":
		if a != nil && a.Kind == String {
			a, b = b, a
		}
		return testOf(a, []*Expr{b}, e.Text[0] == '!')
	case "in", "not in":
		return testOf(a, elements(b), e.Text == "not in")
	case "&&":
		t := compare(a, depth+1)
		if t.subject == nil {
			t = compare(b, depth+1)
		}
		if t.partly = true; !t.negated {
			return t
		}
	case "||":
		t, u := compare(a, depth+1), compare(b, depth+1)
		if Same(t.subject, u.subject) && !t.negated && !u.negated {
			return test{subject: t.subject, values: append(t.values, u.values...), partly: t.partly || u.partly}
		}
	}
	return test{}
}

// testOf is a comparison of a name or a member with what may be constants.
func testOf(subject *Expr, values []*Expr, negated bool) test {
	if len(values) == 0 || !isPath(subject) {
		return test{}
	}
	for _, v := range values {
		if !isPath(v) && (v == nil || v.Kind != String) {
			return test{}
		}
	}
	return test{subject: subject, values: values, negated: negated}
}

// elements returns what a list holds, or the list itself where it stands elsewhere.
func elements(list *Expr) (out []*Expr) {
	if isPath(list) {
		return []*Expr{list}
	}
	if list == nil || list.Kind != List || list.N == Comprehension {
		return nil
	}
	for _, a := range list.Args {
		if a.Spread {
			return nil
		}
		out = append(out, a.Value)
	}
	return out
}

// isPath reports whether an expression is a name or a member of one.
func isPath(e *Expr) bool {
	for e.Is(Attr) {
		e = e.X
	}
	return e.Is(Name)
}

// Same reports whether two expressions are one name, or the same member of one.
func Same(a, b *Expr) bool {
	for a.Is(Attr) && b.Is(Attr) && a.Text == b.Text {
		a, b = a.X, b.X
	}
	if !a.Is(Name) || !b.Is(Name) || a.Text != b.Text {
		return false
	}
	_, of := a.Scope.Find(a.Text)
	_, in := b.Scope.Find(b.Text)
	return of == in
}
