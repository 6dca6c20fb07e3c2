package reach

import (
	"strconv"
	"strings"

	"gauntlet/internal/program"
)

// members returns the members of that name of all values. Of something unknown it returns
// "a member called name", which is still worth looking up.
func (en *engine) members(of []value, name string) []value {
	if len(of) == 0 {
		return []value{{kind: member, text: name}}
	}
	var out []value
	for _, v := range of {
		out = addUpTo(maxWritten, out, en.memberOf(v, name))
	}
	return out
}

type memberKey struct {
	question
	name string
}

func (en *engine) memberOf(v value, name string) []value {
	if v.kind == composite {
		k := memberKey{question{v.expr, v.frame}, name}
		if en.inside[k] || en.depth > maxNesting || en.left <= 0 {
			en.cuts++
			return nil // { ...a } may be a itself
		}
		en.left--
		en.work++
		en.depth++
		en.inside[k] = true
		defer func() { en.depth--; delete(en.inside, k) }()
	}
	switch v.kind {
	case outside:
		if name == "default" {
			return []value{v}
		}
		return outer(v.text + "." + name)
	case module:
		if vs := en.export(v.mod, name, 0); vs != nil {
			return vs
		}
		if name == "default" {
			return []value{v}
		}
		if sub := en.prog.Lookup(v.mod.Scope.File, en.conv.Join(v.mod.Path, name)); sub != nil {
			return []value{{kind: module, mod: sub}}
		}
	case class:
		if vs := en.classMember(v, name, 0); vs != nil {
			return vs
		}
	case instance:
		if vs := en.classMember(v, name, 0); vs != nil {
			return vs
		}
	case composite:
		if vs := en.entry(v, name); vs != nil {
			return vs
		}
	case function:
		switch name {
		case "call", "apply", "bind", "fn", "func":
			return []value{v}
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
func (en *engine) classMember(v value, name string, depth int) []value {
	if depth > 10 || en.left <= 0 {
		return nil
	}
	en.left--
	if v.kind == instance && v.expr != nil && depth == 0 {
		for _, a := range v.expr.Args {
			if a.Name == name {
				return en.eval(a.Value, v.frame)
			}
		}
	}
	c := v.class
	if m := c.Methods[name]; m != nil {
		if m.Abstract {
			return en.implementations(m, name)
		}
		if m.Getter {
			return en.returned(value{kind: function, fn: m, class: c, this: v.expr, up: v.frame}, &program.Expr{Scope: m.Scope}, nil, -1)
		}
		return []value{{kind: function, fn: m, class: c, this: v.expr, up: v.frame}}
	}
	if fields := c.Fields[name]; len(fields) > 0 {
		return en.fields(v, fields)
	}
	for _, base := range c.Bases {
		for _, b := range en.eval(base, nil) {
			switch b.kind {
			case class:
				up := v
				up.class = b.class
				if vs := en.classMember(up, name, depth+1); vs != nil {
					return vs
				}
			case outside:
				return outer(strings.TrimSuffix(b.text, "()") + "()." + name)
			case instance:
				return en.classMember(b, name, depth+1)
			}
		}
	}
	return nil
}

// fields evaluates what is assigned to a field: values first, types where there are none.
func (en *engine) fields(v value, fields []*program.Expr) []value {
	var out, typed []value
	for _, e := range fields {
		f := (*frame)(nil)
		if owner := e.Scope.Owner(); owner != nil && owner.Class != nil && owner.Name == en.conv.Constructor && v.expr != nil {
			f = en.construct(owner, v)
		}
		vs := en.eval(e, f)
		if e.Kind == program.Type {
			typed = add(typed, vs...)
			continue
		}
		for _, w := range vs {
			if w.kind != data && w.kind != parameter && w.kind != member {
				out = add(out, w)
			}
		}
	}
	if len(out) == 0 {
		return typed
	}
	return out
}

// construct returns the frame in which the constructor of an object ran.
func (en *engine) construct(ctor *program.Func, v value) *frame {
	if v.expr == nil || v.expr.Kind != program.New && v.expr.Kind != program.Call {
		return nil
	}
	self := v
	self.kind, self.class = instance, ctor.Class
	return en.enter(ctor, en.bind(ctor, v.expr.Args, v.frame), []value{self}, nil)
}

// implementations finds the methods that a call through an interface can mean.
func (en *engine) implementations(m *program.Func, name string) []value {
	var out []value
	for _, c := range en.methodsNamed(name) {
		if !c.Methods[name].Abstract {
			out = add(out, value{kind: function, fn: c.Methods[name], class: c})
		}
	}
	if len(out) == 0 || len(out) > 4 {
		return []value{{kind: function, fn: m}}
	}
	return out
}

func (en *engine) methodsNamed(name string) []*program.Class {
	if en.methods == nil {
		en.methods = map[string][]*program.Class{}
		for _, c := range en.prog.Classes {
			for n := range c.Methods {
				en.methods[n] = append(en.methods[n], c)
			}
		}
	}
	return en.methods[name]
}

// entry returns a member of an object or list as written; nil when there is none.
func (en *engine) entry(v value, name string) []value {
	e := v.expr
	if e.Kind == program.List {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(e.Args) {
			return en.eval(e.Args[i].Value, v.frame)
		}
		return nil
	}
	if e.Kind != program.Object && e.Kind != program.New {
		return nil
	}
	if len(e.Args) > en.few && name != "" {
		return en.filed(e).entry(en, v, name)
	}
	for i := len(e.Args) - 1; i >= 0; i-- {
		if vs, ok := en.isEntry(&e.Args[i], v.frame, name); ok {
			return vs
		}
	}
	return nil
}

// isEntry returns the value of a member, if it is of that name or is spread and holds one.
func (en *engine) isEntry(a *program.Arg, f *frame, name string) (vs []value, ok bool) {
	switch {
	case a.Spread:
		vs = en.members(en.eval(a.Value, f), name)
		return vs, known(vs)
	case a.Name == name:
	case a.Key != nil:
		if k := only(en.eval(a.Key, f)); k.kind != constant || k.text != name {
			return nil, false
		}
	default:
		return nil, false
	}
	return en.eval(a.Value, f), true
}

// index evaluates X[key]. A key that is not known gives every element.
func (en *engine) index(e *program.Expr, f *frame) []value {
	if v, ok := f.pinned(e); ok {
		return []value{v}
	}
	of := en.eval(e.X, f)
	if len(e.Args) > 0 {
		key := only(en.eval(e.Args[0].Value, f))
		if key.kind == constant {
			return en.members(of, key.text)
		}
		if e.Args[0].Value.Kind == program.Literal && e.Args[0].Value.Text != "" {
			return en.elements(of, e.Args[0].Value.Text)
		}
	}
	return en.elements(of, "")
}

func (en *engine) elements(of []value, at string) []value {
	var out []value
	for _, v := range of {
		switch v.kind {
		case composite:
			k := memberKey{question{v.expr, v.frame}, "\x00"}
			if en.inside[k] || en.left <= 0 {
				continue // [...a] may be a itself
			}
			en.left--
			en.inside[k] = true
			defer delete(en.inside, k)
			if at != "" {
				if vs := en.entry(v, at); vs != nil {
					out = addUpTo(maxWritten, out, vs)
					continue
				}
			}
			for _, a := range v.expr.Args {
				vs := en.eval(a.Value, v.frame)
				if a.Spread {
					vs = en.elements(vs, "")
				}
				out = addUpTo(maxWritten, out, vs)
			}
		case outside:
			out = add(out, outer(v.text+"[]")...)
		}
	}
	return out
}

// result evaluates one of several results of a call.
func (en *engine) result(e *program.Expr, f *frame) []value {
	if e.X.Kind == program.Call {
		return en.called(e.X, f, e.N)
	}
	return en.elements(en.eval(e.X, f), strconv.Itoa(e.N))
}

// called returns what a call answers; n chooses one of several results, -1 takes the whole.
func (en *engine) called(e *program.Expr, f *frame, n int) []value {
	if en.depth > maxNesting {
		en.cuts++
		return nil
	}
	en.depth++
	defer func() { en.depth-- }()
	if n >= 0 { // results of calls of calls come here without passing eval
		k := memberKey{question{e, f}, "\x01" + strconv.Itoa(n)}
		if en.inside[k] || en.left <= 0 {
			en.cuts++
			return nil
		}
		en.left--
		en.work++
		en.inside[k] = true
		defer delete(en.inside, k)
	}
	if arg := en.wrapped(e); arg != nil {
		return en.eval(arg, f)
	}
	var out []value
	for _, v := range en.eval(e.X, f) {
		switch v.kind {
		case function:
			out = add(out, en.returned(v, e, f, n)...)
		case class:
			out = add(out, value{kind: instance, class: v.class, expr: e, frame: f})
		case instance:
			if e.X.Kind == program.Name && e.X.Text == "super" {
				out = add(out, v)
			}
		case outside:
			out = add(out, en.answer(v, e, f, n)...)
		case member:
			switch v.text {
			case "bind":
				if e.X.Kind == program.Attr {
					out = add(out, en.eval(e.X.X, f)...)
				}
			case "items", "entries":
				if e.X.Kind == program.Attr {
					out = add(out, en.pairs(en.eval(e.X.X, f))...)
				}
			case "get", "find", "at", "pop", "values", "next":
				out = add(out, en.lookup(v.text, e, f)...)
			}
		}
	}
	return out
}

// lookup evaluates collection.get(key) and its like.
func (en *engine) lookup(method string, e *program.Expr, f *frame) []value {
	if e.X.Kind != program.Attr {
		return nil
	}
	of := en.eval(e.X.X, f)
	if method == "values" {
		return of
	}
	if method == "get" && len(e.Args) > 0 {
		if key := only(en.eval(e.Args[0].Value, f)); key.kind == constant {
			var out []value
			for _, v := range en.members(of, key.text) {
				if v.kind != member {
					out = add(out, v)
				}
			}
			return out
		}
	}
	return en.elements(of, "")
}

// answer is what a call outside the program gives back.
func (en *engine) answer(v value, e *program.Expr, f *frame, n int) []value {
	if en.conv.Require[v.text] && len(e.Args) > 0 {
		if name := only(en.eval(e.Args[0].Value, f)); name.kind == constant {
			return en.importedNew(&program.Import{Module: name.text, Scope: e.Scope})
		}
		return nil
	}
	if r := en.conv.Table.find(v.text); r != nil {
		switch r.kind {
		case "same":
			if a := role(r, "arg", e.Args); a != nil {
				return en.eval(a, f)
			}
			return nil
		case "entries":
			if a := role(r, "arg", e.Args); a != nil {
				return en.pairs(en.eval(a, f))
			}
			return nil
		case "opaque":
			return nil
		case "map":
			if len(e.Args) > 0 {
				return en.mapping(e.Args[0].Value, f)
			}
		}
	}
	if n > 0 {
		return nil
	}
	return outer(v.text + "()")
}

// mapping turns a list of pairs into an object: new Map([["a", f], ["b", g]]).
func (en *engine) mapping(e *program.Expr, f *frame) []value {
	v := only(en.eval(e, f))
	if v.kind != composite || v.expr.Kind != program.List {
		return en.eval(e, f)
	}
	if made := en.made[v.expr]; made != nil {
		return []value{{kind: composite, expr: made, frame: v.frame}}
	}
	object := &program.Expr{Kind: program.Object, Scope: e.Scope, Start: e.Start, End: e.End}
	for _, pair := range v.expr.Args {
		if p := pair.Value; p.Kind == program.List && len(p.Args) == 2 {
			object.Args = append(object.Args, program.Arg{Key: p.Args[0].Value, Value: p.Args[1].Value})
		}
	}
	en.made[v.expr] = object
	return []value{{kind: composite, expr: object, frame: v.frame}}
}

// wrapped returns the argument of a call that gives it back as it is: what compilers put
// around imports, known by the name that they give it.
func (en *engine) wrapped(e *program.Expr) *program.Expr {
	if len(e.Args) == 0 || !en.conv.Wrappers[strings.TrimRight(e.X.Text, "0123456789$")] {
		return nil
	}
	return e.Args[0].Value
}

// returned evaluates what a function of the program answers.
func (en *engine) returned(v value, e *program.Expr, f *frame, n int) []value {
	fr := en.enter(v.fn, en.bind(v.fn, e.Args, f), receiver(v), v.frame)
	var out []value
	en.eachReturn(v.fn.Body, fr, func(x *program.Expr) {
		if n >= 0 && x.Kind == program.List && n < len(x.Args) {
			x = x.Args[n].Value
		} else if n >= 0 && x.Kind == program.Call {
			out = add(out, en.called(x, fr, n)...)
			return
		}
		out = add(out, en.eval(x, fr)...)
	})
	useful := out[:0:0]
	for _, w := range out {
		if w.kind != data {
			useful = add(useful, w)
		}
	}
	if i := max(n, 0); !known(useful) && i < len(v.fn.Result) {
		return en.eval(v.fn.Result[i], nil)
	}
	return out
}

func receiver(v value) []value {
	if v.class == nil {
		return nil
	}
	return []value{{kind: instance, class: v.class, expr: v.this, frame: v.up}}
}

func (en *engine) eachReturn(body []program.Stmt, f *frame, see func(*program.Expr)) (left bool) {
	for i := 0; i < len(body) && en.step(); i++ {
		s := &body[i]
		switch s.Step {
		case program.Return:
			if s.X != nil {
				see(s.X)
			}
			return true
		case program.Branch:
			var named bool
			leaves := true
			for _, taken := range en.branches(s, f, &named) {
				leaves = en.eachReturn(taken, f, see) && leaves
			}
			if leaves {
				return true
			}
			i = en.pass(body, i, f)
		}
	}
	return false
}

// bind evaluates arguments for the parameters of a function.
func (en *engine) bind(fn *program.Func, args []program.Arg, f *frame) [][]value {
	if len(args) == 0 {
		return nil
	}
	var out [][]value
	for _, p := range fn.Params {
		if p.Index < 0 {
			continue
		}
		arg := argFor(p, args)
		for len(out) <= p.Index {
			out = append(out, nil)
		}
		if arg == nil {
			continue
		}
		vs := clip(en.eval(arg, f))
		if len(vs) == 0 && p.Type == nil { // given, and not known: what other calls give says nothing
			vs = []value{{kind: parameter, param: p}}
		}
		out[p.Index] = vs
	}
	return out
}

// clip takes out what would make frames differ without saying anything.
func clip(vs []value) []value {
	if len(vs) > 4 {
		return nil
	}
	for _, v := range vs {
		if v.kind == parameter || v.kind == member || v.kind == constant && len(v.text) > maxLongText {
			return nil
		}
	}
	return vs
}

// role returns the argument that a row gives a role, or nil.
func role(r *row, name string, args []program.Arg) *program.Expr {
	a, ok := r.args[name]
	if !ok {
		return nil
	}
	pos := 0
	for _, g := range args {
		if g.Name != "" {
			if g.Name == a.name {
				return g.Value
			}
			continue
		}
		if pos == a.index && !g.Spread {
			return g.Value
		}
		pos++
	}
	if a.name == "" {
		return nil
	}
	for _, g := range args { // a member of an options object
		if g.Value != nil && g.Value.Kind == program.Object {
			for _, m := range g.Value.Args {
				if m.Name == a.name {
					return m.Value
				}
			}
		}
	}
	return nil
}
