package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// findElements returns the elements of lists for which list.find(x => x.member === key) can be true. Where the test has another
// form, or nothing known fits, that is all of them.
func (ev *evaluator) findElements(of []value, e *ir.Expr, f *frame) (out []value) {
	all := ev.elementsOf(of, "")
	name, keyExpr := ev.memberTest(e.Arg(0))
	if key := onlyValue(ev.evalExpr(keyExpr, f)); key.kind == constant {
		for _, v := range all {
			if text := onlyValue(ev.membersOf([]value{v}, name)); text.kind != constant || text.text == key.text {
				out = addValues(out, v)
			}
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// memberTest reads x => x.member === key, and ([member]) => member === key: the member, and the key where it does not depend on x.
func (ev *evaluator) memberTest(test *ir.Expr) (member string, key *ir.Expr) {
	if test == nil || test.Kind != ir.Function || len(test.Func.Params) == 0 || len(test.Func.Body) == 0 {
		return "", nil
	}
	s, element := test.Func.Body[len(test.Func.Body)-1], test.Func.Params[0].Name
	if s.Step != ir.Return || s.X == nil || len(s.X.Args) != 2 || s.X.Text != "===" && s.X.Text != "==" || slices.ContainsFunc(test.Func.Body, func(s ir.Stmt) bool { return s.Step == ir.Branch }) {
		return "", nil
	}
	a, b := s.X.Args[0].Value, s.X.Args[1].Value
	if member = ev.memberOfName(a, element); member == "" {
		a, b = b, a
		member = ev.memberOfName(a, element)
	}
	if member == "" || b.Holds(func(x *ir.Expr) bool { return x.Kind == ir.Name && x.Text == element }) {
		return "", nil
	}
	return member, b
}

// memberOfName returns which member of what a name stands for an expression is, "" for none.
func (ev *evaluator) memberOfName(e *ir.Expr, name string) string {
	if e == nil {
		return ""
	}
	e = ev.Definition(e)
	if e.X == nil || e.X.Kind != ir.Name || e.X.Text != name {
		return ""
	}
	if e.Kind == ir.Index && len(e.Args) == 1 && e.Args[0].Value != nil && e.Args[0].Value.Kind == ir.Literal {
		return e.Args[0].Value.Text
	}
	if e.Kind == ir.Attr {
		return e.Text
	}
	return ""
}

// An object is a table as written, filed by the names of its members, so that one that holds
// the handlers of thousands of tools is not searched from end to end for each of them.
type object struct {
	last map[string]int // of each name the last member: it is the one that counts
	open []int          // members whose names are not known or depend on the frame, and what is spread
}

func (ev *evaluator) indexMembers(e *ir.Expr) *object {
	if o := ev.objects[e]; o != nil {
		return o
	}
	o := &object{last: map[string]int{}}
	for i, a := range e.Args {
		switch {
		case a.Spread:
			o.open = append(o.open, i)
		case a.Key == nil:
			o.last[a.Name] = i
		default:
			vs, ok := ev.evalModuleConstant(a.Key, false)
			if k := onlyValue(vs); ok && k.kind == constant {
				o.last[k.text] = i
			} else {
				o.open = append(o.open, i)
			}
		}
	}
	ev.objects[e] = o
	return o
}

// lookUpEntry is evalEntry for an object that is filed. The name is not empty.
func (o *object) lookUpEntry(ev *evaluator, v value, name string) []value {
	at, ok := o.last[name]
	if !ok {
		at = -1
	}
	for i := len(o.open) - 1; i >= 0 && o.open[i] > at; i-- {
		if vs, ok := ev.matchEntry(&v.expr.Args[o.open[i]], v.frame, name); ok {
			return vs
		}
	}
	if at < 0 {
		return nil
	}
	return ev.evalExpr(v.expr.Args[at].Value, v.frame)
}
