package reach

import "gauntlet/internal/program"

// An object is a long table as written, filed by the names of its members, so that one that holds
// the handlers of thousands of tools is not searched from end to end for each of them.
type object struct {
	last map[string]int // of each name the last member: it is the one that counts
	open []int          // members whose names are not known or depend on the frame, and what is spread
}

func (en *engine) filed(e *program.Expr) *object {
	if o := en.objects[e]; o != nil {
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
			vs, ok := en.fixed(a.Key, false)
			if k := only(vs); ok && k.kind == constant {
				o.last[k.text] = i
			} else {
				o.open = append(o.open, i)
			}
		}
	}
	en.objects[e] = o
	return o
}

// entry is engine.entry for an object that is filed. The name is not empty.
func (o *object) entry(en *engine, v value, name string) []value {
	at, ok := o.last[name]
	if !ok {
		at = -1
	}
	for i := len(o.open) - 1; i >= 0 && o.open[i] > at; i-- {
		if vs, ok := en.isEntry(&v.expr.Args[o.open[i]], v.frame, name); ok {
			return vs
		}
	}
	if at < 0 {
		return nil
	}
	return en.eval(v.expr.Args[at].Value, v.frame)
}
