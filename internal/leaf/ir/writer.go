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

// A Test is the comparison in a condition; the zero value compares nothing with constants.
type Test struct {
	Subject *Expr
	Values  []*Expr
	Negated bool // true if the subject is none of them
	Partly  bool // other conditions apply too
}

// Branch returns a statement that runs then if the condition is true, else rest.
func (t Test) Branch(cond *Expr, then, rest []Stmt) Stmt {
	s := Stmt{Step: Branch, X: t.Subject, Cond: cond, Arms: []Arm{{Values: t.Values, Body: then, Partly: t.Partly}}, Rest: rest}
	if t.Subject == nil {
		s.Arms[0] = Arm{Body: then}
	} else if t.Negated {
		s.Arms[0], s.Rest, s.Negate = Arm{Values: t.Values, Body: rest}, then, true
	}
	return s
}

// Same reports whether two expressions are the same name or member access.
func Same(a, b *Expr) bool {
	return a != nil && b != nil && a.Kind == b.Kind && a.Text == b.Text && (a.X == nil && b.X == nil || Same(a.X, b.X))
}
