package program

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
func (w *Writer) Maybe(read func()) {
	w.Add(Stmt{Step: Branch, Arms: []Arm{{Body: w.Apart(read)}}})
}

// A Test is what a condition compares; the zero value compares nothing with constants.
type Test struct {
	Subject *Expr
	Values  []*Expr
	Negated bool // the condition holds when the subject is none of them
	Partly  bool // it asks for something else too
}

// Branch returns the statement that does one thing when the condition holds, and another when it does not.
func (t Test) Branch(then, rest []Stmt) Stmt {
	switch {
	case t.Subject == nil:
		return Stmt{Step: Branch, Arms: []Arm{{Body: then}}, Rest: rest}
	case t.Negated:
		return Stmt{Step: Branch, X: t.Subject, Arms: []Arm{{Values: t.Values, Body: rest}}, Rest: then}
	}
	return Stmt{Step: Branch, X: t.Subject, Arms: []Arm{{Values: t.Values, Body: then, Partly: t.Partly}}, Rest: rest}
}

// Same reports whether two expressions are written alike, as names and members are.
func Same(a, b *Expr) bool {
	return a != nil && b != nil && a.Kind == b.Kind && a.Text == b.Text && (a.X == nil && b.X == nil || Same(a.X, b.X))
}
