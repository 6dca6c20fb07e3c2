package callgraph

import "gauntlet/internal/leaf/ir"

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
