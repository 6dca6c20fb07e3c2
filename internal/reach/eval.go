package reach

import (
	"slices"
	"strings"

	"gauntlet/internal/program"
)

// Bounds of evaluation. They depend on the text alone, so that the same source gives the same
// answer on every machine.
const (
	maxNesting  = 60     // of evaluations inside each other
	maxOneValue = 20_000 // evaluations for one question
	maxName     = 300    // bytes in the name of something outside
)

type question struct {
	expr  *program.Expr
	frame *frame
}

// values returns what an expression can stand for, nothing when nothing is known.
func (en *engine) values(e *program.Expr, f *frame) []value {
	en.budget()
	return en.eval(e, f)
}

// budget gives a new question its share of work.
func (en *engine) budget() {
	if en.depth > 0 {
		return
	}
	en.left = maxOneValue
	if en.work > maxWork {
		en.left = 0
	}
}

func (en *engine) eval(e *program.Expr, f *frame) []value {
	if e == nil {
		return nil
	}
	q := question{e, f}
	if vs, ok := en.known[q]; ok {
		return vs
	}
	if en.busy[q] {
		return nil // a name that stands for itself has no more values for it
	}
	if en.depth > maxNesting || en.left <= 0 {
		en.cuts++
		return nil
	}
	en.left--
	en.work++
	en.depth++
	en.busy[q] = true
	cuts := en.cuts
	vs := en.evalNew(e, f)
	delete(en.busy, q)
	en.depth--
	// What a bound cut short may have more values when asked alone.
	if en.cuts == cuts || en.depth == 0 {
		en.known[q] = vs
	}
	return vs
}

func (en *engine) evalNew(e *program.Expr, f *frame) []value {
	switch e.Kind {
	case program.String:
		return []value{{kind: constant, text: e.Text}}
	case program.Literal:
		return []value{{kind: data}}
	case program.Template:
		return en.template(e, f)
	case program.Name:
		return en.name(e, f)
	case program.Attr:
		return en.members(en.eval(e.X, f), e.Text)
	case program.Index:
		return en.index(e, f)
	case program.Result:
		return en.result(e, f)
	case program.Call, program.New:
		return en.called(e, f, -1)
	case program.Object, program.List:
		return []value{{kind: composite, expr: e, frame: f}}
	case program.Either:
		var out []value
		for _, a := range e.Args {
			out = add(out, en.eval(a.Value, f)...)
		}
		if known(out) { // a table that lacks the key is not what is called
			out = slices.DeleteFunc(slices.Clone(out), func(v value) bool { return v.kind == member })
		}
		return out
	case program.Function:
		return []value{{kind: function, fn: e.Func, frame: f}}
	case program.Type:
		return en.instances(en.eval(e.X, f), e, f)
	}
	return nil
}

// template joins the parts when all are constant. One of them may have several values: the
// variable of a loop over a list.
func (en *engine) template(e *program.Expr, f *frame) []value {
	texts := []string{""}
	for _, part := range e.Args {
		vs := en.eval(part.Value, f)
		if len(vs) == 0 || len(vs) > 1 && len(texts) > 1 || len(texts[0]) > maxLongText*10 {
			return []value{{kind: composite, expr: e, frame: f}}
		}
		var next []string
		for _, v := range vs {
			if v.kind != constant {
				return []value{{kind: composite, expr: e, frame: f}}
			}
			for _, t := range texts {
				next = append(next, t+v.text)
			}
		}
		texts = next
	}
	var out []value
	for _, t := range texts {
		out = addUpTo(maxWritten, out, []value{{kind: constant, text: t}})
	}
	return out
}

// name looks a name up. One that nothing binds is a global of the language.
func (en *engine) name(e *program.Expr, f *frame) []value {
	if e.Text == "super" {
		return en.super(e, f)
	}
	bindings, at := e.Scope.Find(e.Text)
	if at == nil {
		if e.Text == "this" {
			return nil
		}
		return []value{{kind: outside, text: e.Text}}
	}
	if at.Owner() == nil {
		f = f.pins() // what a module binds knows of no call
	}
	if len(bindings) == 1 && bindings[0].Value != nil {
		return en.eval(bindings[0].Value, f)
	}
	var out []value
	for _, b := range bindings {
		switch {
		case b.Import != nil:
			out = add(out, en.imported(b.Import)...)
		case b.Func != nil:
			out = add(out, value{kind: function, fn: b.Func, frame: f})
		case b.Class != nil:
			out = add(out, value{kind: class, class: b.Class})
		case b.Param != nil:
			out = add(out, en.param(b.Param, f)...)
		case b.Value != nil:
			out = add(out, en.eval(b.Value, f)...)
		}
	}
	return out
}

func (en *engine) super(e *program.Expr, f *frame) []value {
	fn := e.Scope.Owner()
	for fn != nil && fn.Class == nil {
		fn = fn.Scope.Up.Owner()
	}
	if fn == nil {
		return nil
	}
	var out []value
	for _, base := range fn.Class.Bases {
		out = add(out, en.instances(en.eval(base, nil), e, f)...)
	}
	return out
}

// instances turns classes into objects of them.
func (en *engine) instances(types []value, e *program.Expr, f *frame) []value {
	var out []value
	for _, t := range types {
		switch t.kind {
		case class:
			out = add(out, value{kind: instance, class: t.class, expr: e, frame: f})
		case function, composite: // a type of functions, of lists
			out = add(out, t)
		case outside:
			// A type of the language itself says nothing that its methods' names do not say.
			if strings.ContainsAny(t.text, "./") {
				out = add(out, outer(t.text+"()")...)
			}
		}
	}
	return out
}

func outer(name string) []value {
	if len(name) > maxName {
		return nil
	}
	return []value{{kind: outside, text: name}}
}

// imported returns what an import stands for. Many names ask for the same one, and looking for its module
// takes paths apart.
func (en *engine) imported(im *program.Import) []value {
	if vs, ok := en.imports[im]; ok {
		return vs
	}
	cuts := en.cuts
	vs := en.importedNew(im)
	if en.cuts == cuts && en.left > 0 && len(vs) > 0 {
		en.imports[im] = vs
	}
	return vs
}

// importedNew follows an import into the program, or names what is outside.
func (en *engine) importedNew(im *program.Import) []value {
	if im.Module == "" {
		return nil
	}
	if m := en.prog.Lookup(im.Scope.File, im.Module); m != nil {
		if im.Member == "" {
			return []value{{kind: module, mod: m}}
		}
		if vs := en.export(m, im.Member, 0); vs != nil {
			return vs
		}
		// from package import module
		if sub := en.prog.Lookup(im.Scope.File, en.conv.Join(im.Module, im.Member)); sub != nil {
			return []value{{kind: module, mod: sub}}
		}
		if im.Member == "default" {
			return []value{{kind: module, mod: m}}
		}
		return nil
	}
	if im.Member != "" { // a directory without a module of its own
		if sub := en.prog.Lookup(im.Scope.File, en.conv.Join(im.Module, im.Member)); sub != nil {
			return []value{{kind: module, mod: sub}}
		}
	}
	name := en.conv.Package(im.Module)
	en.packages[name] = true
	if im.Member == "" || im.Member == "default" {
		return outer(name)
	}
	return outer(name + "." + im.Member)
}

// export returns what a module offers under a name.
func (en *engine) export(m *program.Module, name string, depth int) []value {
	if depth > 8 || en.left <= 0 {
		return nil
	}
	en.left--
	if e := m.Exports[name]; e != nil {
		return en.eval(e, nil)
	}
	if whole := m.Exports["="]; whole != nil { // module.exports = …
		if name == "default" {
			return en.eval(whole, nil)
		}
		if vs := en.members(en.eval(whole, nil), name); known(vs) {
			return vs
		}
	}
	if _, ok := m.Scope.Names[name]; ok && en.conv.AllExported {
		return en.eval(en.exported(m, name), nil)
	}
	for _, im := range m.All {
		if sub := en.prog.Lookup(im.Scope.File, im.Module); sub != nil && sub != m {
			if vs := en.export(sub, name, depth+1); vs != nil {
				return vs
			}
		}
	}
	return nil
}

// exported is the expression that stands for a name of a module, the same each time, so
// that an import in a circle is noticed.
func (en *engine) exported(m *program.Module, name string) *program.Expr {
	k := exportKey{m, name}
	if en.exports[k] == nil {
		en.exports[k] = &program.Expr{Kind: program.Name, Text: name, Scope: m.Scope}
	}
	return en.exports[k]
}

type exportKey struct {
	mod  *program.Module
	name string
}

// known reports whether any of the values says more than "a member of something".
func known(vs []value) bool {
	for _, v := range vs {
		if v.kind != member {
			return true
		}
	}
	return false
}

// param returns what a parameter was given in this frame; else what its type says, its
// default, what it is given where its function is called by name; else itself.
func (en *engine) param(p *program.Param, f *frame) []value {
	if fr := f.around(p.Func); fr != nil {
		if p.Index < 0 && len(fr.this) > 0 {
			return fr.this
		}
		if p.Index >= 0 && p.Index < len(fr.args) && len(fr.args[p.Index]) > 0 {
			return fr.args[p.Index]
		}
	}
	if p.Index < 0 {
		if p.Func.Class != nil {
			return []value{{kind: instance, class: p.Func.Class}}
		}
		return nil
	}
	if p.Type != nil {
		if vs := en.eval(p.Type, nil); len(vs) > 0 {
			return vs
		}
	}
	var out []value
	for _, v := range en.given(p) {
		if v.kind != parameter && v.kind != member {
			out = add(out, v)
		}
	}
	if len(out) > 0 {
		return out
	}
	if p.Value != nil {
		out = en.eval(p.Value, nil)
	}
	return add(out, value{kind: parameter, param: p})
}

// given looks at the calls of a parameter's function by its name. Only objects and functions
// are worth it: that some call passes a constant says nothing about this one.
func (en *engine) given(p *program.Param) []value {
	name, ctor := p.Func.Name, false
	if p.Func.Class != nil && en.conv.Constructor == p.Func.Name {
		name, ctor = p.Func.Class.Name, true
	}
	const few = 6
	calls := en.callsOf(name)
	if name == "" || len(calls) > few {
		return nil
	}
	var out []value
	for _, c := range calls {
		arg := argFor(p, c.Args)
		if arg == nil {
			continue
		}
		fits := false
		for _, v := range en.eval(c.X, nil) {
			fits = fits || v.fn == p.Func || ctor && v.class == p.Func.Class
		}
		if !fits {
			continue
		}
		for _, v := range en.eval(arg, nil) {
			if v.kind != constant && v.kind != data && (v.kind != composite || v.expr.Kind != program.Template) {
				out = add(out, v)
			}
		}
	}
	return out
}

// argFor returns the argument that a parameter takes, or nil when that is not clear.
func argFor(p *program.Param, args []program.Arg) *program.Expr {
	pos := 0
	for _, a := range args {
		switch {
		case a.Spread:
			return nil
		case a.Name != "":
			if a.Name == p.Name {
				return a.Value
			}
		default:
			if pos == p.Index && !p.Rest {
				return a.Value
			}
			pos++
		}
	}
	return nil
}

func (en *engine) callsOf(name string) []*program.Expr {
	if en.calls == nil {
		en.calls = map[string][]*program.Expr{}
		for _, c := range en.prog.Calls {
			en.calls[c.X.Text] = append(en.calls[c.X.Text], c)
		}
	}
	return en.calls[name]
}
