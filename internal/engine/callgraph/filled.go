package callgraph

import "gauntlet/internal/leaf/ir"

// Tables of handlers are often filled: handlers[name] = f, or handlers.set(name, f), at the top of a module, in a function that is
// called once a tool, or in a decorator. What such a table holds under a name is read off the places that fill it.

// A fill is a place that puts a value into a table, and what it puts there by the key, once that is known.
type fill struct {
	table, key, value *ir.Expr
	entries           map[string][]value
}

// maxFills is how many places are known that fill tables of one name, so that minified code, whose names are short, ends.
const maxFills = 300

func (ev *evaluator) fillsOf(name string) []*fill {
	if ev.fills == nil {
		ev.fills = map[string][]*fill{}
		note := func(table, key, value *ir.Expr) {
			if table != nil && key != nil && value != nil && (table.Kind == ir.Name || table.Kind == ir.Attr) && len(ev.fills[table.Text]) < maxFills {
				ev.fills[table.Text] = append(ev.fills[table.Text], &fill{table: table, key: key, value: value})
			}
		}
		ev.prog.EachSet(func(s *ir.Stmt) {
			if s.Target.Kind == ir.Index && len(s.Target.Args) == 1 {
				note(s.Target.X, s.Target.Args[0].Value, s.X)
			}
		})
		for _, c := range ev.prog.Calls {
			if c.X != nil && c.X.Kind == ir.Attr && c.X.Text == "set" && len(c.Args) == 2 {
				note(c.X.X, c.Args[0].Value, c.Args[1].Value)
			}
		}
	}
	return ev.fills[name]
}

// filled returns what was put into a table under a key.
func (ev *evaluator) filled(table *ir.Expr, key string) (out []value) {
	if table == nil || table.Kind != ir.Name && table.Kind != ir.Attr {
		return nil
	}
	for _, f := range ev.fillsOf(table.Text) {
		if !ev.isSameTable(table, f.table) {
			continue
		}
		cuts := ev.cuts
		if f.entries == nil {
			f.entries = map[string][]value{} // also for who asks while it is being read
			for _, in := range append([]*frame{nil}, ev.around(f.key.Scope)...) {
				if k, ok := ev.Constant(f.key, in); ok {
					f.entries[k] = addValues(f.entries[k], ev.evaluate(f.value, in)...)
				}
			}
		}
		out = addValues(out, f.entries[key]...)
		if ev.cuts != cuts { // what a bound cut short may be known later
			f.entries = nil
		}
	}
	return out
}

// isSameTable reports whether two expressions are one variable, also by way of an import, or one field of a class.
func (ev *evaluator) isSameTable(a, b *ir.Expr) bool {
	if a.Kind == ir.Attr && b.Kind == ir.Attr && a.X != nil && b.X != nil && a.X.Kind == ir.Name && a.X.Text == b.X.Text {
		f, g := a.Scope.Owner(), b.Scope.Owner()
		return f != nil && g != nil && f.Class != nil && f.Class == g.Class
	}
	if a.Kind != ir.Name || b.Kind != ir.Name {
		return false
	}
	if a.Scope.File == b.Scope.File {
		_, in := a.Scope.Find(a.Text)
		_, of := b.Scope.Find(b.Text)
		return in != nil && in == of
	}
	w := ev.Definition(a)
	return w != a && w == ev.Definition(b)
}
