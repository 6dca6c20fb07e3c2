package callgraph

import (
	"slices"

	"gauntlet/internal/leaf/ir"
)

// findElements returns the elements of lists for which the test of list.find(test) can be true; where nothing known fits, that is all of them.
func (ev *evaluator) findElements(of []value, test *ir.Expr, f *frame, by *asked) (out []value) {
	all := ev.elementsOf(of, "")
	if !test.Is(ir.Function) || len(test.Func.Body) == 0 || slices.ContainsFunc(test.Func.Body, func(s ir.Stmt) bool { return s.Step == ir.Branch }) {
		return all
	}
	for _, v := range all {
		last := test.Func.Body[len(test.Func.Body)-1]
		if fits, sure := ev.holds(last.X, &frame{fn: test.Func, args: [][]value{{v}}, up: f}, by); fits {
			out, by.named = addValues(out, v), by.named || sure
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// holds reports whether a condition can be true, and whether it surely is.
func (ev *evaluator) holds(e *ir.Expr, f *frame, by *asked) (can, sure bool) {
	if !e.Is(ir.Other, ir.Either) || len(e.Args) != 2 {
		return true, false
	}
	a, b := e.Args[0].Value, e.Args[1].Value
	switch e.Text {
	case "&&":
		can, sure = ev.holds(a, f, by)
		more, too := ev.holds(b, f, by)
		return can && more, sure && too
	case "===", "==":
		x, y := onlyValue(ev.evaluate(a, f)), onlyValue(ev.evaluate(b, f))
		if y.text == anyTool {
			x, y = y, x
		}
		switch {
		case x.kind != constant || y.kind != constant:
		case x.text == anyTool:
			by.labels = append(by.labels, y.text)
		default:
			return x.text == y.text, x.text == y.text
		}
	}
	return true, false
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
