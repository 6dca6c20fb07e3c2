package callgraph

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// Bounds of evaluation. They depend on the text alone, so that the same source gives the same
// answer on every machine.
const (
	maxNesting  = 60         // evaluations inside each other
	maxOneValue = 20_000     // evaluations for one question
	maxName     = 300        // bytes in the name of something outside
	maxWork     = 10_000_000 // evaluations for one program
	maxRead     = 50_000_000 // statements that are looked at, in all frames together
)

// A budget counts work in steps, never in time.
type budget struct {
	depth int // evaluations inside each other
	left  int // evaluations that the question at hand may still cost
	cuts  int // answers that a bound or a circle cut short
	deep  int // those of them that were too many evaluations inside each other
	work  int // evaluations so far
	steps int // statements looked at so far
}

// resetBudget gives a new question its share of work.
func (b *budget) resetBudget() {
	if b.depth > 0 {
		return
	}
	b.left = maxOneValue
	if b.work > maxWork {
		b.left = 0
	}
}

// spendStatement counts a statement, and reports whether it may be looked at.
func (b *budget) spendStatement() bool {
	b.steps++
	return b.steps <= maxRead
}

// An evaluator answers what an expression can stand for, in a frame. It runs nothing: it
// follows names, members, imports and what functions of the program return.
type evaluator struct {
	prog *ir.Program
	conv *Convention
	budget
	frameStore
	branchIndex

	known    map[question][]value // answers; underWay for questions that are being answered
	partial  map[question]partialAnswer
	inside   map[memberKey]bool // members under way
	imports  map[*ir.Import][]value
	modules  map[*ir.Import]*ir.Module
	exports  map[exportKey]*ir.Expr
	made     map[*ir.Expr]*ir.Expr // objects and lists that the source only implies
	objects  map[*ir.Expr]*object  // long tables by the names of their members
	calls    map[string][]*ir.Expr // by the last word of what is called
	methods  map[string][]*ir.Class
	packages map[string]bool // that anything imports

	connected *connections // nil until it is asked for
	fills     map[string][]*fill
	around    func(*ir.Scope) []*frame // frames in which code of a function that registers something can run
}

func newEvaluator(prog *ir.Program, conv *Convention) *evaluator {
	ev := &evaluator{
		prog: prog, conv: conv,
		frameStore: frameStore{frames: map[frameKey]*frame{}, contexts: map[*ir.Func]int{}, numbers: map[value]int{}},
		known:      map[question][]value{}, partial: map[question]partialAnswer{}, inside: map[memberKey]bool{},
		imports: map[*ir.Import][]value{}, modules: map[*ir.Import]*ir.Module{}, exports: map[exportKey]*ir.Expr{}, made: map[*ir.Expr]*ir.Expr{},
		objects: map[*ir.Expr]*object{}, packages: map[string]bool{},
	}
	ev.branchIndex = branchIndex{ev: ev, few: fewArms, rows: map[*ir.Stmt]*row{}}
	return ev
}

type question struct {
	expr  *ir.Expr
	frame *frame
}

// evaluate returns what an expression can stand for, nothing when nothing is known.
func (ev *evaluator) evaluate(e *ir.Expr, f *frame) []value {
	ev.resetBudget()
	return ev.evalExpr(e, f)
}

func (ev *evaluator) evalExpr(e *ir.Expr, f *frame) []value {
	if e == nil {
		return nil
	}
	switch e.Kind { // what is read off the source is not worth an entry for each frame
	case ir.String, ir.Literal:
		f = nil
	case ir.Object, ir.List:
		return []value{{kind: composite, expr: e, frame: f}}
	case ir.Function:
		return []value{{kind: function, fn: e.Func, frame: f}}
	}
	q := question{e, f}
	if vs, ok := ev.known[q]; ok {
		if isUnderWay(vs) {
			return nil // a name that stands for itself has no more values for it
		}
		return vs
	}
	if ev.depth > maxNesting {
		ev.cutNesting()
		return nil
	}
	if ev.left <= 0 {
		ev.cuts++
		return nil
	}
	if p, ok := ev.partial[q]; ok && p.depth <= ev.depth {
		ev.cutNesting()
		return p.values
	}
	ev.left--
	ev.work++
	ev.depth++
	ev.known[q] = underWay
	cuts, deep := ev.cuts, ev.deep
	vs := ev.evalUncached(e, f)
	ev.depth--
	// What a bound cut short may have more values when asked alone.
	if ev.cuts == cuts || ev.depth == 0 {
		ev.known[q] = vs
		return vs
	}
	delete(ev.known, q)
	if ev.left > 0 && ev.cuts-cuts == ev.deep-deep {
		ev.partial[q] = partialAnswer{vs, ev.depth}
	}
	return vs
}

// A partialAnswer is what a question gave that was asked inside of depth others, where the bound on that cut it short. Asked
// as deep or deeper it gives no more, so it is not looked for again; of two functions that call each other twice it would be
// looked for as often as there are ways through them.
type partialAnswer struct {
	values []value
	depth  int
}

// cutNesting counts an answer that too many evaluations inside each other cut short.
func (b *budget) cutNesting() {
	b.cuts++
	b.deep++
}

// underWay stands among the answers for one that is still looked for.
var underWay = make([]value, 0, 1)

func isUnderWay(vs []value) bool { return cap(vs) == 1 && &vs[:1][0] == &underWay[:1][0] }

func (ev *evaluator) evalUncached(e *ir.Expr, f *frame) []value {
	switch e.Kind {
	case ir.String:
		return []value{{kind: constant, text: e.Text}}
	case ir.Literal:
		return []value{{kind: data}}
	case ir.Template:
		return ev.evalTemplate(e, f)
	case ir.Name:
		return ev.evalName(e, f)
	case ir.Attr:
		return ev.membersOf(ev.evalExpr(e.X, f), e.Text)
	case ir.Index:
		return ev.evalIndex(e, f)
	case ir.Result:
		return ev.evalResult(e, f)
	case ir.Call, ir.New:
		return ev.evalCall(e, f, -1)
	case ir.Either:
		var out []value
		for _, a := range e.Args {
			out = addValues(out, ev.evalExpr(a.Value, f)...)
		}
		if hasKnownValue(out) { // a table that lacks the key is not what is called
			out = slices.DeleteFunc(slices.Clone(out), func(v value) bool { return v.kind == member })
		}
		return out
	case ir.Type:
		return ev.instancesOf(ev.evalExpr(e.X, f), e, f)
	}
	return nil
}

// evalTemplate joins the parts when all are constant. One of them may have several values: the
// variable of a loop over a list.
func (ev *evaluator) evalTemplate(e *ir.Expr, f *frame) []value {
	texts := []string{""}
	for _, part := range e.Args {
		vs := ev.evalExpr(part.Value, f)
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
		out = addValuesUpTo(maxWritten, out, []value{{kind: constant, text: t}})
	}
	return out
}

// evalName looks a name up. One that nothing binds is a global of the language.
func (ev *evaluator) evalName(e *ir.Expr, f *frame) []value {
	if e.Text == "super" {
		return ev.evalSuper(e, f)
	}
	bindings, at := e.Scope.Find(e.Text)
	if at == nil {
		if e.Text == "this" {
			return nil
		}
		return []value{{kind: outside, text: e.Text}}
	}
	if at.Owner() == nil {
		f = f.pinnedFrames() // what a module binds knows of no call
	}
	if len(bindings) == 1 && bindings[0].Value != nil {
		return ev.evalExpr(bindings[0].Value, f)
	}
	if isBuilder(e.Text, bindings) {
		rest := slices.DeleteFunc(slices.Clone(bindings), func(b *ir.Binding) bool { return callsItself(e.Text, b) })
		if out := ev.evalBindings(rest, f); len(out) > 0 && !slices.ContainsFunc(out, func(v value) bool { return v.kind != outside }) {
			return out
		}
	}
	return ev.evalBindings(bindings, f)
}

// evalBindings returns what any of the bindings of a name gives it.
func (ev *evaluator) evalBindings(bindings []*ir.Binding, f *frame) (out []value) {
	for _, b := range bindings {
		switch {
		case b.Import != nil:
			out = addValues(out, ev.evalImport(b.Import)...)
		case b.Func != nil:
			out = addValues(out, value{kind: function, fn: b.Func, frame: f})
		case b.Class != nil:
			out = addValues(out, value{kind: class, class: b.Class})
		case b.Param != nil:
			out = addValues(out, ev.evalParam(b.Param, f)...)
		case b.Value != nil:
			out = addValues(out, ev.evalExpr(b.Value, f)...)
		}
	}
	return out
}

// isBuilder reports whether a name is given what its own methods return again and again: if a { call = call.A() },
// if b { call = call.B() } and so on. Of something outside, each order of such calls would be a value of its own.
func isBuilder(name string, bindings []*ir.Binding) bool {
	const few = 3
	n := 0
	for _, b := range bindings {
		if callsItself(name, b) {
			n++
		}
	}
	return n > few
}

// callsItself reports whether a binding is x = x.method(…), or a chain of such calls.
func callsItself(name string, b *ir.Binding) bool {
	e := b.Value
	for ; e != nil && e.Kind == ir.Call && e.X != nil && e.X.Kind == ir.Attr; e = e.X.X {
	}
	return e != nil && e != b.Value && e.Kind == ir.Name && e.Text == name
}

func (ev *evaluator) evalSuper(e *ir.Expr, f *frame) []value {
	fn := e.Scope.Owner()
	for fn != nil && fn.Class == nil {
		fn = fn.Scope.Up.Owner()
	}
	if fn == nil {
		return nil
	}
	var out []value
	for _, base := range fn.Class.Bases {
		out = addValues(out, ev.instancesOf(ev.evalExpr(base, nil), e, f)...)
	}
	return out
}

// instancesOf turns classes into objects of them.
func (ev *evaluator) instancesOf(types []value, e *ir.Expr, f *frame) (out []value) {
	for _, t := range types {
		switch t.kind {
		case class:
			out = addValues(out, value{kind: instance, class: t.class, expr: e, frame: f})
		case function, composite: // a type of functions, of lists
			out = addValues(out, t)
		case outside:
			// A type of the language itself says nothing that its methods' names do not say.
			if strings.ContainsAny(t.text, "./") {
				out = addValues(out, ev.answerOf(t.text+"()", e, f)...)
			}
		}
	}
	return out
}

// answerOf returns what a call of something outside gives back. What describes a tool is kept as it is written: it holds the tool's name,
// however it comes to where the tool is registered.
func (ev *evaluator) answerOf(name string, e *ir.Expr, f *frame) []value {
	out := outsideValue(name)
	if e.X != nil && ev.conv.Describes[e.X.Text] && len(out) > 0 {
		out[0].expr, out[0].frame = e, f
	}
	return out
}

// fixedOutside are texts that the outside fixes. What stands between the parts of a path counts as a slash, which a path may hold on every
// system; the others are the interpreters that run the server.
var fixedOutside = map[string]string{
	"path.sep": "/", "path.posix.sep": "/", "os.sep": "/", "os.path.sep": "/", "path/filepath.Separator": "/", "os.PathSeparator": "/",
	"sys.executable": "python", "process.execPath": "node", "process.argv0": "node",
}

func outsideValue(name string) []value {
	if len(name) > maxName {
		return nil
	}
	if text := fixedOutside[name]; text != "" {
		return []value{{kind: constant, text: text}}
	}
	return []value{{kind: outside, text: name}}
}

// evalImport returns what an import stands for. Many names ask for the same one, and looking for its module
// takes paths apart.
func (ev *evaluator) evalImport(im *ir.Import) []value {
	if vs, ok := ev.imports[im]; ok {
		return vs
	}
	cuts := ev.cuts
	vs := ev.resolveImport(im)
	if ev.cuts == cuts && ev.left > 0 && len(vs) > 0 {
		ev.imports[im] = vs
	}
	return vs
}

// resolveImport follows an import into the program, or names what is outside.
func (ev *evaluator) resolveImport(im *ir.Import) []value {
	if im.Module == "" {
		return nil
	}
	m := ev.moduleOf(im)
	if m != nil && im.Member == "" {
		return []value{{kind: module, mod: m}}
	}
	if m != nil {
		if vs := ev.evalExport(m, im.Member, 0); vs != nil {
			return vs
		}
	}
	if im.Member != "" { // from package import module, and from a directory without a module of its own
		if sub := ev.prog.Lookup(im.Scope.File, ev.conv.Join(im.Module, im.Member)); sub != nil {
			return []value{{kind: module, mod: sub}}
		}
	}
	switch {
	case m != nil && im.Member == "default":
		return []value{{kind: module, mod: m}}
	case m != nil:
		return nil
	}
	name := ev.conv.Package(im.Module)
	ev.packages[name] = true
	if im.Member == "" || im.Member == "default" {
		return outsideValue(name)
	}
	return outsideValue(name + "." + im.Member)
}

func (ev *evaluator) evalExport(m *ir.Module, name string, depth int) []value {
	if depth > 8 || ev.left <= 0 {
		return nil
	}
	ev.left--
	if e := m.Exports[name]; e != nil {
		return ev.evalExpr(e, nil)
	}
	if whole := m.Exports["="]; whole != nil { // module.exports = …
		if name == "default" {
			return ev.evalExpr(whole, nil)
		}
		if vs := ev.membersOf(ev.evalExpr(whole, nil), name); hasKnownValue(vs) {
			return vs
		}
	}
	if _, ok := m.Scope.Names[name]; ok && ev.conv.AllExported {
		return ev.evalExpr(ev.exportedName(m, name), nil)
	}
	for _, im := range m.All {
		if sub := ev.prog.Lookup(im.Scope.File, im.Module); sub != nil && sub != m {
			if vs := ev.evalExport(sub, name, depth+1); vs != nil {
				return vs
			}
		}
	}
	return nil
}

// exportedName is the expression that stands for a name of a module, the same each time, so
// that an import in a circle is noticed.
func (ev *evaluator) exportedName(m *ir.Module, name string) *ir.Expr {
	k := exportKey{m, name}
	if ev.exports[k] == nil {
		ev.exports[k] = &ir.Expr{Kind: ir.Name, Text: name, Scope: m.Scope}
	}
	return ev.exports[k]
}

type exportKey struct {
	mod  *ir.Module
	name string
}

// hasKnownValue reports whether any of the values says more than "a member of something".
func hasKnownValue(vs []value) bool {
	return slices.ContainsFunc(vs, func(v value) bool { return v.kind != member })
}

// evalParam returns what a parameter was given in this frame; else what its type says, its
// default, what it is given where its function is called by name; else itself.
func (ev *evaluator) evalParam(p *ir.Param, f *frame) []value {
	if fr := f.enclosing(p.Func); fr != nil {
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
		if vs := ev.evalExpr(p.Type, nil); len(vs) > 0 {
			return vs
		}
	}
	var out []value
	for _, v := range ev.argumentsFromCallers(p) {
		if v.kind != parameter && v.kind != member {
			out = addValuesUpTo(maxWritten, out, []value{v})
		}
	}
	if len(out) > 0 {
		return out
	}
	if p.Value != nil {
		out = ev.evalExpr(p.Value, nil)
	}
	return addValues(out, value{kind: parameter, param: p})
}

// argumentsFromCallers looks at the calls of a parameter's function by its name. Only objects and functions
// are worth it: that some call passes a constant says nothing about this one.
func (ev *evaluator) argumentsFromCallers(p *ir.Param) []value {
	name, ctor := p.Func.Name, false
	if p.Func.Class != nil && ev.conv.Constructor == p.Func.Name {
		name, ctor = p.Func.Class.Name, true
	}
	const few = 6
	calls := ev.CallsOf(name)
	if name == "" || len(calls) > few {
		return nil
	}
	var out []value
	for _, c := range calls {
		arg := ArgumentOf(p, c.Args)
		if arg == nil {
			continue
		}
		fits := false
		for _, v := range ev.evalExpr(c.X, nil) {
			fits = fits || v.fn == p.Func || ctor && v.class == p.Func.Class
		}
		if !fits {
			continue
		}
		for _, v := range ev.evalExpr(arg, nil) {
			if v.kind != constant && v.kind != data && (v.kind != composite || v.expr.Kind != ir.Template) {
				out = addValuesUpTo(maxWritten, out, []value{v})
			}
		}
	}
	return out
}

// ArgumentOf returns the argument that a parameter takes, or nil when that is not clear.
func ArgumentOf(p *ir.Param, args []ir.Arg) *ir.Expr {
	if p.Rest {
		return argumentAt(-1, p.Name, args)
	}
	return argumentAt(p.Index, p.Name, args)
}

// argumentAt returns the argument of a name, or the one at a place, -1 for none. Behind a list that is spread no place is known.
func argumentAt(index int, name string, args []ir.Arg) *ir.Expr {
	for _, a := range args {
		switch {
		case a.Name != "" && a.Name == name, a.Name == "" && !a.Spread && index == 0:
			return a.Value
		case a.Spread:
			index = -1
		case a.Name == "":
			index--
		}
	}
	return nil
}

// CallsOf returns the calls of functions and methods of a name.
func (ev *evaluator) CallsOf(name string) []*ir.Expr {
	if ev.calls == nil {
		ev.calls = map[string][]*ir.Expr{}
		for _, c := range ev.prog.Calls {
			ev.calls[c.X.Text] = append(ev.calls[c.X.Text], c)
		}
	}
	return ev.calls[name]
}

func (ev *evaluator) bindWithBudget(fn *ir.Func, args []ir.Arg, f *frame) [][]value {
	ev.resetBudget()
	return ev.bindArguments(fn, args, f)
}
