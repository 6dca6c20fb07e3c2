package callgraph

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// membersOf returns the members of that name of all values. Of something unknown it returns
// "a member called name", which is still worth looking up.
func (ev *evaluator) membersOf(of []value, name string) []value {
	if len(of) == 0 {
		return []value{{kind: member, text: name}}
	}
	var out []value
	for _, v := range of {
		out = addValuesUpTo(maxWritten, out, ev.memberOf(v, name))
	}
	return out
}

type memberKey struct {
	question
	name string
}

func (ev *evaluator) memberOf(v value, name string) []value {
	if v.kind == composite {
		k := memberKey{question{v.expr, v.frame}, name}
		if ev.inside[k] || ev.left <= 0 {
			ev.cuts++
			return nil // { ...a } may be a itself
		}
		if ev.depth > maxNesting {
			ev.cutNesting()
			return nil
		}
		ev.left--
		ev.work++
		ev.depth++
		ev.inside[k] = true
		defer func() { ev.depth--; delete(ev.inside, k) }()
	}
	switch v.kind {
	case outside:
		if name == "default" {
			return []value{v}
		}
		return outsideValue(v.text + "." + name)
	case module:
		if vs := ev.evalExport(v.mod, name, 0); vs != nil {
			return vs
		}
		if name == "default" {
			return []value{v}
		}
		if sub := ev.prog.Lookup(v.mod.Scope.File, ev.conv.Join(v.mod.Path, name)); sub != nil {
			return []value{{kind: module, mod: sub}}
		}
	case class:
		if vs := ev.classMember(v, name, 0); vs != nil {
			return vs
		}
	case instance:
		if vs := ev.classMember(v, name, 0); vs != nil {
			return vs
		}
	case composite:
		if vs := ev.evalEntry(v, name); vs != nil {
			return vs
		}
	case function:
		switch name {
		case "call", "apply", "bind", "fn", "func":
			return []value{v}
		case "constructor": // (async () => {}).constructor
			return outsideValue("Function")
		}
	case constant, data:
		if v.kind == constant && (name == "value" || name == "valueOf" || name == "toString") {
			return []value{v} // of an enumeration
		}
		return []value{{kind: data}}
	}
	return []value{{kind: member, text: name}}
}

// classMember looks in the object as it was written, in the class and in its bases.
func (ev *evaluator) classMember(v value, name string, depth int) []value {
	if depth > 10 || ev.left <= 0 {
		return nil
	}
	ev.left--
	if v.kind == instance && v.expr != nil && depth == 0 && v.expr.HasMember(name) {
		return ev.evalExpr(v.expr.Member(name), v.frame)
	}
	c := v.class
	if m := c.Methods[name]; m != nil {
		if m.Abstract {
			return ev.implementationsOf(m, name)
		}
		if m.Getter {
			return ev.evalReturned(value{kind: function, fn: m, class: c, this: v.expr, up: v.frame}, &ir.Expr{Scope: m.Scope}, nil, -1)
		}
		return []value{{kind: function, fn: m, class: c, this: v.expr, up: v.frame}}
	}
	if fields := c.Fields[name]; len(fields) > 0 {
		return ev.evalFields(v, fields)
	}
	for _, base := range c.Bases {
		for _, b := range ev.evalExpr(base, nil) {
			switch b.kind {
			case class:
				up := v
				up.class = b.class
				if vs := ev.classMember(up, name, depth+1); vs != nil {
					return vs
				}
			case outside:
				return outsideValue(strings.TrimSuffix(b.text, "()") + "()." + name)
			case instance:
				return ev.classMember(b, name, depth+1)
			}
		}
	}
	return nil
}

// evalFields evaluates what is assigned to a field: values first, types where there are none.
func (ev *evaluator) evalFields(v value, fields []*ir.Expr) []value {
	var out, typed []value
	for _, e := range fields {
		f := (*frame)(nil)
		if owner := e.Scope.Owner(); owner != nil && owner.Class != nil && owner.Name == ev.conv.Constructor && v.expr != nil {
			f = ev.constructorFrame(owner, v)
		}
		vs := ev.evalExpr(e, f)
		if e.Kind == ir.Type {
			typed = addValues(typed, vs...)
			continue
		}
		untold := func(w value) bool { return w.kind == data || w.kind == parameter || w.kind == member }
		out = addValues(out, slices.DeleteFunc(slices.Clone(vs), untold)...)
	}
	if len(out) == 0 {
		return typed
	}
	return out
}

// constructorFrame returns the frame in which the constructor of an object ran.
func (ev *evaluator) constructorFrame(ctor *ir.Func, v value) *frame {
	if v.expr == nil || v.expr.Kind != ir.New && v.expr.Kind != ir.Call {
		return nil
	}
	self := v
	self.kind, self.class = instance, ctor.Class
	return ev.enterFrame(ctor, ev.bindArguments(ctor, v.expr.Args, v.frame), []value{self}, nil)
}

// implementationsOf finds the methods that a call through an interface can mean.
func (ev *evaluator) implementationsOf(m *ir.Func, name string) (out []value) {
	for _, c := range ev.methodsNamed(name) {
		if !c.Methods[name].Abstract {
			out = addValues(out, value{kind: function, fn: c.Methods[name], class: c})
		}
	}
	if len(out) == 0 || len(out) > 4 {
		return []value{{kind: function, fn: m}}
	}
	return out
}

func (ev *evaluator) methodsNamed(name string) []*ir.Class {
	if ev.methods == nil {
		ev.methods = map[string][]*ir.Class{}
		for _, c := range ev.prog.Classes {
			for n := range c.Methods {
				ev.methods[n] = append(ev.methods[n], c)
			}
		}
	}
	return ev.methods[name]
}

// evalEntry returns a member of an object or list as written; nil when there is none.
func (ev *evaluator) evalEntry(v value, name string) []value {
	e := v.expr
	if e.Kind == ir.List {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(e.Args) {
			return ev.evalExpr(e.Args[i].Value, v.frame)
		}
		return nil
	}
	if e.Kind != ir.Object && e.Kind != ir.New {
		return nil
	}
	return ev.indexMembers(e).lookUpEntry(ev, v, name)
}

// matchEntry returns the value of a member, if it is of that name or is spread and holds one.
func (ev *evaluator) matchEntry(a *ir.Arg, f *frame, name string) (vs []value, ok bool) {
	switch {
	case a.Spread:
		vs = ev.membersOf(ev.evalExpr(a.Value, f), name)
		return vs, hasKnownValue(vs)
	case a.Name == name:
	case a.Key != nil:
		if k := onlyValue(ev.evalExpr(a.Key, f)); k.kind != constant || k.text != name {
			return nil, false
		}
	default:
		return nil, false
	}
	return ev.evalExpr(a.Value, f), true
}

// evalIndex evaluates X[key]. A key that is not known gives every element.
func (ev *evaluator) evalIndex(e *ir.Expr, f *frame) []value {
	if v, ok := f.pinnedValue(e); ok {
		return []value{v}
	}
	of := ev.evalExpr(e.X, f)
	if len(e.Args) > 0 {
		key := onlyValue(ev.evalExpr(e.Args[0].Value, f))
		if key.kind == constant {
			vs := ev.membersOf(of, key.text)
			if more := ev.filled(e.X, key.text); len(more) > 0 && !hasKnownValue(vs) {
				return more
			}
			return vs
		}
		if e.Args[0].Value.Kind == ir.Literal && e.Args[0].Value.Text != "" {
			return ev.elementsOf(of, e.Args[0].Value.Text)
		}
		if slices.ContainsFunc(of, isObject) {
			return ev.computedMembers(of, e.Args[0].Value, f)
		}
	}
	return ev.elementsOf(of, "")
}

func (ev *evaluator) elementsOf(of []value, at string) (out []value) {
	for _, v := range of {
		switch v.kind {
		case composite:
			k := memberKey{question{v.expr, v.frame}, "\x00"}
			if ev.inside[k] || ev.left <= 0 {
				continue // [...a] may be a itself
			}
			ev.left--
			ev.inside[k] = true
			defer delete(ev.inside, k)
			if at != "" {
				if vs := ev.evalEntry(v, at); vs != nil {
					out = addValuesUpTo(maxWritten, out, vs)
					continue
				}
			}
			for _, a := range v.expr.Args {
				vs := ev.evalExpr(a.Value, v.frame)
				if a.Spread {
					vs = ev.elementsOf(vs, "")
				}
				out = addValuesUpTo(maxWritten, out, vs)
			}
		case outside:
			out = addValues(out, outsideValue(v.text+"[]")...)
		}
	}
	return out
}

// evalEntries turns an object into the list of its names and values: Object.entries(x), x.items().
func (ev *evaluator) evalEntries(of []value) (out []value) {
	for _, v := range of {
		if v.kind != composite || v.expr.Kind != ir.Object {
			continue
		}
		list := ev.made[v.expr]
		if list == nil {
			list = &ir.Expr{Kind: ir.List, Scope: v.expr.Scope, Start: v.expr.Start, End: v.expr.End}
			for _, a := range v.expr.Args {
				key := a.Key
				if a.Name != "" {
					key = &ir.Expr{Kind: ir.String, Text: a.Name, Scope: v.expr.Scope}
				}
				if key != nil {
					list.Args = append(list.Args, ir.Arg{Value: &ir.Expr{Kind: ir.List, Scope: v.expr.Scope, Args: []ir.Arg{{Value: key}, {Value: a.Value}}}})
				}
			}
			ev.made[v.expr] = list
		}
		out = addValues(out, value{kind: composite, expr: list, frame: v.frame})
	}
	return out
}

// outsideName returns the name of something outside that is called, which in JavaScript may be done by its methods call and apply.
func (ev *evaluator) outsideName(name string) string {
	if ev.conv.Language != "typescript" {
		return name // subprocess.call of Python
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".call"), ".apply")
}
