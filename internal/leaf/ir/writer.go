package ir

// A Writer adds statements to the body that is being read.
type Writer struct{ body *[]Stmt }

// To returns a Writer of a body.
func To(body *[]Stmt) Writer { return Writer{body} }

// Add adds a statement.
func (w *Writer) Add(s Stmt) { *w.body = append(*w.body, s) }

// Do adds that an expression is computed; nil is none.
func (w *Writer) Do(x *Expr) {
	if x != nil {
		w.Add(Stmt{Step: Do, X: x})
	}
}

// Set adds that the value of a name or a member becomes x. A Do computes x before.
func (w *Writer) Set(target, x *Expr) {
	if target != nil && x != nil {
		w.Add(Stmt{Step: Set, Target: target, X: x})
	}
}

// Throw adds that the function is left by an error.
func (w *Writer) Throw() { w.Add(Stmt{Step: Return, Throws: true}) }

// Jump adds that the round of the loop ends, or the loop.
func (w *Writer) Jump() { w.Add(Stmt{Step: Jump}) }

// Return adds that the function answers x, which may be nil, and is left.
func (w *Writer) Return(x *Expr) { w.Add(Stmt{Step: Return, X: x}) }

// Apart returns what read adds, which goes into a body of its own.
func (w *Writer) Apart(read func()) []Stmt {
	var body []Stmt
	outer := w.body
	w.body = &body
	read()
	w.body = outer
	return body
}

// Maybe adds a statement whose body, what read adds, runs or does not: a loop, a handler of errors.
func (w *Writer) Maybe(block Block, read func()) {
	w.Add(Stmt{Step: Branch, Block: block, Arms: []Arm{{Body: w.Apart(read)}}})
}

// A Test is what a condition compares; the zero value compares nothing with constants.
type Test struct {
	Subject *Expr
	Values  []*Expr
	Negated bool // the condition holds when the subject is none of them
	Partly  bool // it asks for something else too
}

// Branch returns the statement that does one thing when the condition holds, and another when it does not.
func (t Test) Branch(cond *Expr, then, rest []Stmt) Stmt {
	s := Stmt{Step: Branch, X: t.Subject, Cond: cond, Arms: []Arm{{Values: t.Values, Body: then, Partly: t.Partly}}, Rest: rest}
	if t.Subject == nil {
		s.Arms[0] = Arm{Body: then}
	} else if t.Negated {
		s.Arms[0], s.Rest, s.Negate = Arm{Values: t.Values, Body: rest}, then, true
	}
	return s
}

// Same reports whether two expressions are written alike, as names and members are.
func Same(a, b *Expr) bool {
	return a != nil && b != nil && a.Kind == b.Kind && a.Text == b.Text && (a.X == nil && b.X == nil || Same(a.X, b.X))
}
