package callgraph

import (
	"cmp"

	"gauntlet/internal/leaf/ir"
)

// A targetKind says what a call does with one of the things that are called.
type targetKind uint8

const (
	enters        targetKind = iota + 1 // it runs fn
	guesses                             // the same, tied by the name of a method alone; it follows the method that it may be
	constructs                          // it makes an object of class by the constructor fn, its own or one that it inherits
	makes                               // it makes an object of class, which has no constructor
	extends                             // it runs the constructor of a class outside of the program
	leaves                              // it calls something outside of the program
	callsMethod                         // it calls a method of something unknown
	callsAbstract                       // it calls a method of an interface, or a value whose type is a function
	ofText                              // it calls a method of a text or a number
	loses                               // what it calls is not known
)

// A target is one of the things that a call may call.
type target struct {
	kind  targetKind
	fn    value
	class *ir.Class
	name  string // outside of the program, as the table of sinks has it; of what is not known, what it is called
	sole  bool   // no other class has a method of that name
}

// targets returns what a call may call.
func (ev *evaluator) targets(e *ir.Expr, f *frame) (out []target) {
	values := ev.evaluate(e.X, f)
	if len(values) == 0 && e.X != nil {
		return ev.unknownTargets(e)
	}
	for _, v := range values {
		switch v.kind {
		case function:
			if v.fn.Abstract {
				name := cmp.Or(v.fn.Name, e.X.Text) // of a field whose type is a function
				first := len(out)
				out = append(out, ev.methodTargets(e, name, callsAbstract)...)
				out[first].fn = v
			} else {
				out = append(out, target{kind: enters, fn: v})
			}
		case class:
			out = append(out, ev.constructors(v.class, map[*ir.Class]bool{})...)
		case instance:
			if e.X.Kind == ir.Name && e.X.Text == "super" {
				if len(e.Args) > 0 {
					out = append(out, ev.constructors(v.class, map[*ir.Class]bool{})...)
				}
				continue
			}
			for _, m := range ev.membersOf([]value{v}, ev.conv.Call) {
				if m.kind == function {
					out = append(out, target{kind: enters, fn: m})
				}
			}
		case outside:
			out = append(out, target{kind: leaves, name: ev.outsideName(v.text)})
		case member:
			out = append(out, ev.methodTargets(e, v.text, callsMethod)...)
		case module: // import x from "./x" of a module that exports one function
			out = append(out, ev.unknownTargets(e)...)
		case parameter:
			if v.param.Func.Name != "" { // not resolve and reject: whoever calls the literal gives them
				out = append(out, target{kind: loses, name: "parameter " + v.param.Name})
			}
		case data, constant:
			if e.X.Kind == ir.Attr { // " ".join(words)
				out = append(out, target{kind: ofText, name: "." + e.X.Text})
			}
		}
	}
	return out
}

// unknownTargets is a call of what stands for nothing that is known.
func (ev *evaluator) unknownTargets(e *ir.Expr) (out []target) {
	switch e.X.Kind {
	case ir.Attr:
		return ev.methodTargets(e, e.X.Text, callsMethod)
	case ir.Name:
		if fn := e.Scope.Owner(); e.X.Text == "super" && fn != nil && fn.Class != nil {
			out = ev.outsideBases(fn.Class)
		}
		if len(out) == 0 {
			out = []target{{kind: loses, name: e.X.Text}}
		}
		return out
	}
	return []target{{kind: loses, name: "a computed function"}}
}

// fewClasses is how many classes may have a method for it to be taken for theirs where nothing is known of what it belongs to.
const fewClasses = 3

// methodTargets is a method of something unknown: that name itself, then the methods of the few classes that have one.
func (ev *evaluator) methodTargets(e *ir.Expr, name string, kind targetKind) []target {
	out := []target{{kind: kind, name: "." + name}}
	classes := ev.methodsNamed(name)
	if len(classes) > fewClasses {
		return out
	}
	for _, cl := range classes {
		if m := cl.Methods[name]; !m.Abstract && m != e.Scope.Owner() && ev.areConnected(e.Scope.File, m.Scope.File) {
			out = append(out, target{kind: guesses, fn: value{kind: function, fn: m}, sole: len(classes) == 1})
		}
	}
	return out
}

// constructors is what makes an object of a class: its constructor, which calls those of the bases itself, or theirs.
func (ev *evaluator) constructors(c *ir.Class, seen map[*ir.Class]bool) []target {
	if seen[c] {
		return nil
	}
	seen[c] = true
	if ctor := c.Methods[ev.conv.Constructor]; ctor != nil {
		return []target{{kind: constructs, class: c, fn: value{kind: function, fn: ctor}}}
	}
	out := ev.outsideBases(c)
	made := false
	for _, base := range c.Bases {
		for _, b := range ev.evaluate(base, nil) {
			if b.kind != class {
				continue
			}
			for _, t := range ev.constructors(b.class, seen) {
				if t.kind == constructs {
					t.class, made = c, true
				}
				if t.kind != makes {
					out = append(out, t)
				}
			}
		}
	}
	if !made {
		out = append(out, target{kind: makes, class: c})
	}
	return out
}

// outsideBases are the classes outside of the program that a class is derived from.
func (ev *evaluator) outsideBases(c *ir.Class) (out []target) {
	for _, base := range c.Bases {
		for _, b := range ev.evaluate(base, nil) {
			if b.kind == outside {
				out = append(out, target{kind: extends, name: ev.outsideName(b.text)})
			}
		}
	}
	return out
}

// enterTarget returns the frame that a call enters, nil where it enters none.
func (ev *evaluator) enterTarget(t target, e *ir.Expr, f *frame) *frame {
	if t.fn.fn == nil {
		return nil
	}
	this, up := receiver(t.fn), t.fn.frame
	if t.kind == constructs {
		this = []value{{kind: instance, class: t.class, expr: e, frame: f}}
	}
	return ev.enterFrame(t.fn.fn, ev.bindWithBudget(t.fn.fn, DirectCall(t.fn.fn, e).Args, f), this, up)
}

// countGuesses returns how many targets from the first on are guesses.
func countGuesses(ts []target) (n int) {
	for n < len(ts) && ts[n].kind == guesses {
		n++
	}
	return n
}

// DirectCall returns a call of a function as if it were called by itself: f(a) for f.call(self, a) and f(...list) for f.apply(self, list).
// Every other call is returned as it is.
func DirectCall(fn *ir.Func, e *ir.Expr) *ir.Expr {
	if e.X == nil || e.X.Kind != ir.Attr || e.X.Text != "call" && e.X.Text != "apply" || fn.Name == e.X.Text || len(e.Args) == 0 {
		return e
	}
	direct := *e
	direct.Args = append([]ir.Arg(nil), e.Args[1:]...)
	if e.X.Text == "apply" && len(direct.Args) > 0 {
		direct.Args[0].Spread = true
	}
	return &direct
}
