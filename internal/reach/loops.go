package reach

import "gauntlet/internal/program"

// Tools are often registered in a loop: for (const t of tools) server.tool(t.name, t.handler).
// Read at once, every name would go with every handler, so such a call is read once for each
// element of the list, in a frame that pins the variable of the loop to that element.

const (
	maxElements = maxWritten // of one list that are read one by one
	maxApartAll = 5_000      // of all lists together
	maxParts    = 500        // of a registration that are looked at for the variable of a loop
)

// oneByOne returns the elements that are read one by one.
func (en *engine) oneByOne(elements []value) []value {
	elements = elements[:min(len(elements), maxElements, max(0, maxApartAll-en.elementsRead))]
	en.elementsRead += len(elements)
	return elements
}

// pin returns a frame like f in which an expression stands for one value.
func (en *engine) pin(f *frame, e *program.Expr, v value) *frame {
	en.loose++
	out := &frame{id: -en.loose, up: f, pin: e, as: v}
	if out.bare = out; f != nil {
		en.loose++
		out.bare = &frame{id: -en.loose, up: f.pins(), pin: e, as: v}
	}
	return out
}

// pins returns what is left of a frame outside of all functions: the pinned variables.
func (f *frame) pins() *frame {
	for ; f != nil; f = f.up {
		if f.pin != nil {
			return f.bare
		}
	}
	return nil
}

// pinned returns the value to which an expression is pinned.
func (f *frame) pinned(e *program.Expr) (value, bool) {
	for ; f != nil; f = f.up {
		if f.pin == e {
			return f.as, true
		}
	}
	return value{}, false
}

// perElement reads a call or an object once for each element of the list that the loop around
// it goes through; false if it uses the variable of no loop.
func (en *engine) perElement(parts []program.Arg, f *frame, read func(*frame)) bool {
	var loop *program.Expr
	left := maxParts
	for _, a := range parts {
		if loop = element(a.Value, &left); loop != nil {
			break
		}
	}
	if loop == nil {
		return false
	}
	if _, done := f.pinned(loop); done {
		return false
	}
	elements := en.oneByOne(en.values(loop, f))
	for _, v := range elements {
		if en.work <= maxApart {
			clear(en.contexts) // so that an element is read alike however many came before it
		}
		read(en.pin(f, loop, v))
	}
	return len(elements) > 0
}

// element returns the variable of a loop that an expression is made of: an element of a list,
// whichever; nil if there is none among so many parts.
func element(e *program.Expr, left *int) *program.Expr {
	if *left--; e == nil || *left < 0 {
		return nil
	}
	switch e.Kind {
	case program.Index:
		if len(e.Args) == 0 {
			return e
		}
	case program.Name:
		if bindings, _ := e.Scope.Find(e.Text); len(bindings) == 1 {
			return element(bindings[0].Value, left)
		}
		return nil
	case program.Function:
		return nil
	}
	if x := element(e.X, left); x != nil {
		return x
	}
	for _, a := range e.Args {
		if x := element(a.Value, left); x != nil {
			return x
		}
	}
	return nil
}

// callbacks are methods that call what they are given for each element of a list.
var callbacks = map[string]bool{"forEach": true, "map": true, "flatMap": true}

// each returns a frame of fn for each element of the list that it is called for.
func (en *engine) each(fn *program.Func) []*frame {
	if en.looped == nil {
		en.looped = map[*program.Func]*program.Expr{}
		for _, c := range en.prog.Calls {
			if c.X != nil && c.X.Kind == program.Attr && callbacks[c.X.Text] && len(c.Args) > 0 && c.Args[0].Value != nil && c.Args[0].Value.Kind == program.Function {
				en.looped[c.Args[0].Value.Func] = c.X.X
			}
		}
	}
	list := en.looped[fn]
	if list == nil {
		return nil
	}
	var out []*frame
	for _, v := range en.oneByOne(en.elements(en.values(list, nil), "")) {
		en.loose++
		out = append(out, &frame{id: -en.loose, fn: fn, args: [][]value{{v}}})
	}
	return out
}

// pairs turns an object into the list of its names and values: Object.entries(x), x.items().
func (en *engine) pairs(of []value) []value {
	var out []value
	for _, v := range of {
		if v.kind != composite || v.expr.Kind != program.Object {
			continue
		}
		list := en.made[v.expr]
		if list == nil {
			list = &program.Expr{Kind: program.List, Scope: v.expr.Scope, Start: v.expr.Start, End: v.expr.End}
			for _, a := range v.expr.Args {
				key := a.Key
				if a.Name != "" {
					key = &program.Expr{Kind: program.String, Text: a.Name, Scope: v.expr.Scope}
				}
				if key != nil {
					list.Args = append(list.Args, program.Arg{Value: &program.Expr{Kind: program.List, Scope: v.expr.Scope, Args: []program.Arg{{Value: key}, {Value: a.Value}}}})
				}
			}
			en.made[v.expr] = list
		}
		out = add(out, value{kind: composite, expr: list, frame: v.frame})
	}
	return out
}
