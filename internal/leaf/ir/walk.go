package ir

import "slices"

// Bounds of walks, so that hostile nesting ends.
const (
	maxWalk = 40 // expressions inside each other
	maxBody = 60 // bodies inside each other
	// maxParts is how many expressions one search looks at. Members that are assigned later make objects part of each other, so that there
	// can be many more ways to a part than there are parts.
	maxParts = 10_000
)

// Member returns the argument, or the member of an object, of that name; nil for none.
func (e *Expr) Member(name string) *Expr {
	return e.Arg(slices.IndexFunc(e.Args, func(a Arg) bool { return a.Name == name }))
}

// HasMember reports whether an expression has an argument or a member of one of some names.
func (e *Expr) HasMember(names ...string) bool {
	return slices.ContainsFunc(e.Args, func(a Arg) bool { return slices.Contains(names, a.Name) })
}

// Option returns the argument of a call of that name, or the member of that name of an object among its arguments; nil for none.
func (e *Expr) Option(name string) *Expr {
	for _, a := range e.Args {
		if a.Name == name {
			return a.Value
		}
		if a.Value != nil && a.Value.Kind == Object {
			if m := a.Value.Member(name); m != nil {
				return m
			}
		}
	}
	return nil
}

// Subscript makes an expression the element of another under a key; under a constant string that is a member.
func (e *Expr) Subscript(of, key *Expr) {
	e.Kind, e.X = Index, of
	if key.Is(String) {
		e.Kind, e.Text = Attr, key.Text
	} else if key != nil {
		e.Args = []Arg{{Value: key}}
	}
}

// Arg returns the value of the argument at a place, whatever its name; nil for none.
func (e *Expr) Arg(i int) *Expr {
	if e != nil && i >= 0 && i < len(e.Args) {
		return e.Args[i].Value
	}
	return nil
}

// Holds reports whether an expression as it is written is, or has a part that is, what is says. Functions in it are not looked at.
func (e *Expr) Holds(is func(*Expr) bool) bool {
	return e.Search(maxWalk, func(x *Expr) (bool, bool) { return x.Kind != Function && is(x), x.Kind != Function })
}

// Search looks through an expression and its parts, those inside each other up to a depth, until one is found; into says whether the
// parts of an expression are of interest. Keys that are computed are not. It gives up after some thousand parts.
func (e *Expr) Search(depth int, look func(*Expr) (found, into bool)) bool {
	left := maxParts
	return e.search(depth, &left, look)
}

func (e *Expr) search(depth int, left *int, look func(*Expr) (found, into bool)) bool {
	if *left--; e == nil || depth < 0 || *left < 0 {
		return false
	}
	found, into := look(e)
	if found || !into {
		return found
	}
	if e.X.search(depth-1, left, look) {
		return true
	}
	for i := range e.Args {
		if e.Args[i].Value.search(depth-1, left, look) {
			return true
		}
	}
	return false
}

// EachStmt calls f for each statement of a body, those inside others included.
func EachStmt(body []Stmt, f func(*Stmt)) { eachStmt(body, 0, f) }

func eachStmt(body []Stmt, depth int, f func(*Stmt)) {
	for i := 0; i < len(body) && depth <= maxBody; i++ {
		f(&body[i])
		for _, a := range body[i].Arms {
			eachStmt(a.Body, depth+1, f)
		}
		eachStmt(body[i].Rest, depth+1, f)
	}
}

// Leaves reports whether one of the statements of a body, and not of one inside it, leaves the function.
func Leaves(body []Stmt) bool {
	return slices.ContainsFunc(body, func(s Stmt) bool { return s.Step == Return })
}

// EachExpr calls f for what each statement of a body computes and asks. What a Set assigns is computed by a Do.
func EachExpr(body []Stmt, f func(*Expr)) {
	EachStmt(body, func(s *Stmt) {
		if s.Step != Set && s.X != nil {
			f(s.X)
		}
		if s.Cond != nil {
			f(s.Cond)
		}
	})
}

// Ways returns what runs where the condition of a Branch holds, and where it does not.
func (s *Stmt) Ways() (yes, no []Stmt) {
	if s.Negate {
		return s.Rest, s.Arms[0].Body
	}
	return s.Arms[0].Body, s.Rest
}

// IsNothing reports whether an expression is written as nothing: null, None, nil.
func (e *Expr) IsNothing() bool {
	return e.Is(Literal, Name) && slices.Contains([]string{"null", "undefined", "None", "nil"}, e.Text)
}

// Presence returns what a condition asks for, if it asks no more than whether that is something: x, !x, x == null, x == ""; and whether it holds where it is.
// For any other condition x is nil.
func Presence(cond *Expr) (x *Expr, there bool) {
	switch {
	case cond.Is(Name, Attr):
		return cond, true
	case !cond.Is(Other, Either):
	case len(cond.Args) == 1 && (cond.Text == "!" || cond.Text == ""):
		x, there = Presence(cond.Args[0].Value)
		return x, there != (cond.Text == "!")
	case len(cond.Args) == 2 && (cond.Args[1].Value.IsNothing() || cond.Args[1].Value.Is(String) && cond.Args[1].Value.Text == ""):
		switch cond.Text {
		case "===", "==", "is":
			return cond.Args[0].Value, false
		case "!==", "!=", "is not":
			return cond.Args[0].Value, true
		}
	}
	return nil, false
}

// Bodies returns everything that runs: functions and modules.
func (p *Program) Bodies() (out [][]Stmt) {
	for _, fn := range p.Funcs {
		out = append(out, fn.Body)
	}
	for _, m := range p.Modules {
		out = append(out, m.Body)
	}
	return out
}

// Is reports whether an expression is of one of some kinds; nil is of none.
func (e *Expr) Is(kinds ...Kind) bool { return e != nil && slices.Contains(kinds, e.Kind) }

// Target returns what a call calls; any other expression is its own. Of a decorator that is its name, with arguments or without.
func (e *Expr) Target() *Expr {
	if e.Is(Call) {
		return e.X
	}
	return e
}

// Calls returns the last word of what a call calls, "" of what is none.
func (e *Expr) Calls() string {
	if e.Is(Call, New) && e.X != nil {
		return e.X.Text
	}
	return ""
}

// Binding returns the only meaning of a name; that of a name with several, and of anything else, is empty.
func (e *Expr) Binding() *Binding {
	if e.Is(Name) {
		if all, _ := e.Scope.Find(e.Text); len(all) == 1 {
			return all[0]
		}
	}
	return &Binding{}
}

// EachSet calls f for each assignment of a program.
func (p *Program) EachSet(f func(*Stmt)) {
	for _, body := range p.Bodies() {
		EachStmt(body, func(s *Stmt) {
			if s.Step == Set && s.Target != nil && s.X != nil {
				f(s)
			}
		})
	}
}

// EachCondition calls f for each branch of a body that asks a condition.
func EachCondition(body []Stmt, f func(*Stmt)) {
	EachStmt(body, func(s *Stmt) {
		if s.Step == Branch && s.Cond != nil {
			f(s)
		}
	})
}
