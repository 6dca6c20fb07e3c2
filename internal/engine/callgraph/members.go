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
					return inheritedBy(v, b.class, vs)
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

// inheritedBy returns methods of a base as those of an object derived from it, so that what they call on the object is the derived
// class's own.
func inheritedBy(v value, base *ir.Class, methods []value) []value {
	if v.kind != instance {
		return methods
	}
	out := slices.Clone(methods)
	for i := range out {
		if m := &out[i]; m.kind == function && m.class == base && m.this == v.expr && m.up == v.frame {
			m.class = v.class
		}
	}
	return out
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
			if vs := ev.membersOf(of, key.text); hasKnownValue(vs) {
				return vs
			}
			if vs := ev.filled(e.X, key.text); len(vs) > 0 {
				return vs
			}
			return ev.membersOf(of, key.text)
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

// evalResult evaluates one of several results of a call.
func (ev *evaluator) evalResult(e *ir.Expr, f *frame) []value {
	if e.X.Kind == ir.Call {
		return ev.evalCall(e.X, f, e.N)
	}
	return ev.elementsOf(ev.evalExpr(e.X, f), strconv.Itoa(e.N))
}

// evalCall returns what a call answers; n chooses one of several results, -1 takes the whole.
func (ev *evaluator) evalCall(e *ir.Expr, f *frame, n int) []value {
	if ev.depth > maxNesting {
		ev.cutNesting()
		return nil
	}
	ev.depth++
	defer func() { ev.depth-- }()
	if n >= 0 { // results of calls of calls come here without passing eval
		k := memberKey{question{e, f}, "\x01" + strconv.Itoa(n)}
		if ev.inside[k] || ev.left <= 0 {
			ev.cuts++
			return nil
		}
		ev.left--
		ev.work++
		ev.inside[k] = true
		defer delete(ev.inside, k)
	}
	if arg := ev.unwrapCompilerHelper(e); arg != nil {
		return ev.evalExpr(arg, f)
	}
	if e.X.Kind == ir.Attr && e.X.Text == "get" {
		if key, ok := ev.constant(e.Arg(0), f); ok {
			if vs := ev.filled(e.X.X, key); len(vs) > 0 {
				return vs
			}
		}
	}
	var out []value
	for _, v := range ev.evalExpr(e.X, f) {
		switch v.kind {
		case function:
			if e.X.Kind == ir.Attr && e.X.Text == "bind" && v.fn.Name != "bind" { // this.onCall.bind(this)
				out = addValues(out, v)
				continue
			}
			out = addValues(out, ev.evalReturned(v, e, f, n)...)
		case class:
			out = addValues(out, value{kind: instance, class: v.class, expr: e, frame: f})
		case instance:
			if e.X.Kind == ir.Name && e.X.Text == "super" {
				out = addValues(out, v)
			}
		case outside:
			out = addValues(out, ev.evalOutsideCall(v, e, f, n)...)
		case member:
			switch v.text {
			case "bind":
				if e.X.Kind == ir.Attr {
					out = addValues(out, ev.evalExpr(e.X.X, f)...)
				}
			case "items", "entries":
				if e.X.Kind == ir.Attr {
					out = addValues(out, ev.evalEntries(ev.evalExpr(e.X.X, f))...)
				}
			case "get", "find", "at", "pop", "values", "next":
				out = addValues(out, ev.evalLookup(v.text, e, f)...)
			}
		}
	}
	return out
}

// evalLookup evaluates collection.get(key) and its like.
func (ev *evaluator) evalLookup(method string, e *ir.Expr, f *frame) []value {
	if e.X.Kind != ir.Attr {
		return nil
	}
	of := ev.evalExpr(e.X.X, f)
	switch method {
	case "values":
		return of
	case "find":
		return ev.findElements(of, e, f)
	}
	if method == "get" && len(e.Args) > 0 {
		if key := onlyValue(ev.evalExpr(e.Args[0].Value, f)); key.kind == constant {
			var out []value
			for _, v := range ev.membersOf(of, key.text) {
				if v.kind != member {
					out = addValues(out, v)
				}
			}
			return out
		}
	}
	return ev.elementsOf(of, "")
}

// evalOutsideCall is what a call outside the program gives back.
func (ev *evaluator) evalOutsideCall(v value, e *ir.Expr, f *frame, n int) []value {
	if ev.conv.Require[v.text] && len(e.Args) > 0 {
		if name := onlyValue(ev.evalExpr(e.Args[0].Value, f)); name.kind == constant {
			return ev.resolveImport(&ir.Import{Module: name.text, Scope: e.Scope})
		}
		return nil
	}
	r := ev.conv.Table.findRow(v.text)
	switch r.Kind() {
	case "same":
		return ev.evalExpr(argumentFor(r, "arg", e.Args), f)
	case "entries":
		return ev.evalEntries(ev.evalExpr(argumentFor(r, "arg", e.Args), f))
	case "opaque":
		return nil
	case "member":
		return ev.computedMembers(ev.evalExpr(argumentFor(r, "of", e.Args), f), argumentFor(r, "name", e.Args), f)
	case "map":
		if len(e.Args) > 0 {
			return ev.evalMapOfPairs(e.Args[0].Value, f)
		}
	}
	if n > 0 {
		return nil
	}
	if opensMemory(e) {
		return outsideValue(v.text + inMemory + "()")
	}
	return outsideValue(v.text + "()")
}

// inMemory stands in the name of a database, before the "()" of the call that opened it, where the process holds it in its memory.
const inMemory = "#memory"

// opensMemory reports whether a call is given the name that SQLite, and those who followed it, have for a database in memory.
func opensMemory(e *ir.Expr) bool {
	return e.Arg(0).Is(ir.String) && strings.Contains(e.Args[0].Value.Text, ":memory:")
}

// evalMapOfPairs turns a list of pairs into an object: new Map([["a", f], ["b", g]]).
func (ev *evaluator) evalMapOfPairs(e *ir.Expr, f *frame) []value {
	v := onlyValue(ev.evalExpr(e, f))
	if v.kind != composite || v.expr.Kind != ir.List {
		return ev.evalExpr(e, f)
	}
	if made := ev.made[v.expr]; made != nil {
		return []value{{kind: composite, expr: made, frame: v.frame}}
	}
	object := &ir.Expr{Kind: ir.Object, Scope: e.Scope, Start: e.Start, End: e.End}
	for _, pair := range v.expr.Args {
		if p := pair.Value; p.Kind == ir.List && len(p.Args) == 2 {
			object.Args = append(object.Args, ir.Arg{Key: p.Args[0].Value, Value: p.Args[1].Value})
		}
	}
	ev.made[v.expr] = object
	return []value{{kind: composite, expr: object, frame: v.frame}}
}

// unwrapCompilerHelper returns the argument of a call that gives it back as it is: what compilers put
// around imports, known by the name that they give it.
func (ev *evaluator) unwrapCompilerHelper(e *ir.Expr) *ir.Expr {
	if len(e.Args) == 0 || !ev.conv.Wrappers[strings.TrimRight(e.X.Text, "0123456789$")] {
		return nil
	}
	return e.Args[0].Value
}

// evalReturned evaluates what a function of the program answers.
func (ev *evaluator) evalReturned(v value, e *ir.Expr, f *frame, n int) []value {
	fr := ev.enterFrame(v.fn, ev.bindArguments(v.fn, DirectCall(v.fn, e).Args, f), receiver(v), v.frame)
	var out []value
	var named bool
	ev.eachTaken(v.fn.Body, fr, &named, func(s *ir.Stmt) {
		x := s.X
		if s.Step != ir.Return && s.Step != ir.Yield || x == nil {
			return
		}
		if n >= 0 && x.Kind == ir.List && n < len(x.Args) {
			x = x.Args[n].Value
		} else if n >= 0 && x.Kind == ir.Call {
			out = addValues(out, ev.evalCall(x, fr, n)...)
			return
		}
		out = addValues(out, ev.evalExpr(x, fr)...)
	})
	useful := slices.DeleteFunc(slices.Clone(out), func(w value) bool { return w.kind == data })
	if i := max(n, 0); i < len(v.fn.Result) && ev.isUntold(useful) {
		if typed := ev.evalExpr(v.fn.Result[i], nil); len(typed) > 0 || !hasKnownValue(useful) {
			return typed
		}
	}
	return out
}

// isUntold reports whether values say no more than that the program, or a framework for it, keeps something there.
func (ev *evaluator) isUntold(vs []value) bool {
	return !slices.ContainsFunc(vs, func(v value) bool {
		return v.kind != member && (v.kind != outside || ev.conv.Table.findRow(v.text).Kind() != "unknown")
	})
}

func receiver(v value) []value {
	if v.class == nil {
		return nil
	}
	return []value{{kind: instance, class: v.class, expr: v.this, frame: v.up}}
}

// eachTaken calls see for the statements that can run in a frame, in order, up to one behind which nothing runs; then it returns true. named is set
// where it branches on a constant that the frame knows, and one arm fits.
func (ev *evaluator) eachTaken(body []ir.Stmt, f *frame, named *bool, see func(*ir.Stmt)) (left bool) {
	for i := 0; i < len(body) && ev.spendStatement(); i++ {
		s := &body[i]
		see(s)
		switch s.Step {
		case ir.Return:
			return true
		case ir.Branch:
			leaves := true
			for _, taken := range ev.takenBodies(s, f, named) {
				leaves = ev.eachTaken(taken, f, named, see) && leaves
			}
			if leaves {
				return true
			}
			i = ev.skipBranches(body, i, f)
		}
	}
	return false
}

// bindArguments evaluates arguments for the parameters of a function.
func (ev *evaluator) bindArguments(fn *ir.Func, args []ir.Arg, f *frame) [][]value {
	if len(args) == 0 {
		return nil
	}
	var out [][]value
	for _, p := range fn.Params {
		if p.Index < 0 {
			continue
		}
		arg := ArgumentOf(p, args)
		for len(out) <= p.Index {
			out = append(out, nil)
		}
		if arg == nil {
			continue
		}
		vs := clipArgument(ev.evalExpr(arg, f))
		if len(vs) == 0 && p.Type == nil { // given, and not known: what other calls give says nothing
			vs = []value{{kind: parameter, param: p}}
		}
		out[p.Index] = vs
	}
	return out
}

// clipArgument takes out what would make frames differ without saying anything.
func clipArgument(vs []value) []value {
	if len(vs) > 4 || slices.ContainsFunc(vs, func(v value) bool {
		return v.kind == parameter || v.kind == member || v.kind == constant && len(v.text) > maxLongText
	}) {
		return nil
	}
	return vs
}

// argumentFor returns the argument that a row gives a role, or nil.
func argumentFor(r *Row, name string, args []ir.Arg) *ir.Expr {
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
		if g.Value.Is(ir.Object) && g.Value.HasMember(a.name) {
			return g.Value.Member(a.name)
		}
	}
	return nil
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
