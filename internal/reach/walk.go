package reach

import (
	"strings"

	"gauntlet/internal/program"
	"gauntlet/sink"
)

// A summary is what one function does itself, in one frame.
type summary struct {
	calls    []found
	answered []found // credentials that it returns: they count when it is the handler
	gaps     []sink.Gap
	edges    []edge
	named    bool // it branches on a constant that it was given, and one arm fits
	readOnly bool // it begins a transaction that cannot write
}

// found is a call without a chain.
type found struct {
	sink.Call
	free bool // a statement that the source does not hold
}

type edge struct {
	to    *frame
	at    sink.Place
	guess bool // tied by the name of a method alone
}

// walker reads one function in one frame.
type walker struct {
	en      *engine
	f       *frame
	file    *program.File
	out     *summary
	objects map[*program.Expr]bool  // read
	seen    map[*program.Expr]bool  // by answers
	made    map[*program.Class]bool // by construct, for one call
	parts   int                     // of a path that may still be looked at
}

// summary reads a function, once for each frame.
func (en *engine) summary(f *frame) *summary {
	if s := en.read[f]; s != nil {
		return s
	}
	w := &walker{en: en, f: f, file: f.fn.Scope.File, out: &summary{}}
	en.read[f] = w.out
	if f.fn.Broken {
		w.gapAt(sink.SyntaxErrors, f.fn.Name, placeAt(w.file, f.fn.Start, f.fn.End))
	}
	for _, p := range f.fn.Params {
		w.expr(p.Value)
	}
	w.body(f.fn.Body)
	return w.out
}

// body reads statements in order, up to one behind which nothing runs; then it returns true.
func (w *walker) body(body []program.Stmt) (left bool) {
	for i := 0; i < len(body); i++ {
		s := &body[i]
		if !w.en.step() {
			w.gapAt(sink.TooMuch, w.f.fn.Name, placeAt(w.file, w.f.fn.Start, w.f.fn.End))
			return false
		}
		w.expr(s.X)
		switch s.Step {
		case program.Return:
			w.returned(s.X)
			w.answers(s.X, 0)
			return true
		case program.Branch:
			leaves := true
			for _, taken := range w.en.branches(s, w.f, &w.out.named) {
				leaves = w.body(taken) && leaves
			}
			if leaves {
				return true
			}
			i = w.en.pass(body, i, w.f)
		}
	}
	return false
}

// expr looks at every call in an expression. The bodies of functions in it are not part of it.
func (w *walker) expr(e *program.Expr) {
	if e == nil {
		return
	}
	switch e.Kind {
	case program.Call, program.New:
		w.call(e)
		return
	case program.Function:
		return
	case program.Attr, program.Index:
		if w.environment(e) {
			return
		}
		if e.Kind == program.Attr {
			w.getter(e)
		}
		if e.Kind == program.Index && len(e.Args) > 0 {
			w.looksUp(e.X, e.Args[0].Value)
		}
	case program.Name:
		return
	case program.Object:
		// Members that are assigned later make objects part of each other: each is read once.
		if w.objects[e] {
			return
		}
		if w.objects == nil {
			w.objects = map[*program.Expr]bool{}
		}
		w.objects[e] = true
	}
	w.expr(e.X)
	for _, a := range e.Args {
		w.expr(a.Key)
		w.expr(a.Value)
	}
}

// call follows one call.
func (w *walker) call(e *program.Expr) {
	if e.X.Kind != program.Name {
		w.callee(e.X)
	}
	if e.X.Kind == program.Attr && e.X.X != nil && e.X.X.Kind == program.Attr {
		w.getter(e.X.X)
	}
	for _, a := range e.Args {
		w.argument(e, a)
	}
	if e.X.Kind == program.Attr && e.X.Text == "get" && len(e.Args) > 0 {
		w.looksUp(e.X.X, e.Args[0].Value)
	}
	if e.Kind == program.New && w.en.conv.Literals {
		return
	}
	callee := w.en.values(e.X, w.f)
	if w.en.wrapped(e) != nil {
		return
	}
	if len(callee) == 0 {
		w.unknown(e)
	}
	for _, v := range callee {
		w.follow(e, v)
	}
}

// getter follows a member that is a method in disguise.
func (w *walker) getter(e *program.Expr) {
	for _, c := range w.en.methodsNamed(e.Text) {
		m := c.Methods[e.Text]
		if !m.Getter {
			continue
		}
		for _, v := range w.en.values(e.X, w.f) {
			if (v.kind == instance || v.kind == class) && v.class == c {
				w.edge(w.en.enter(m, nil, []value{{kind: instance, class: c, expr: v.expr, frame: v.frame}}, nil), e, false)
			}
		}
	}
}

// looksUp notes that a table is asked for a constant that came with the call, and has it.
func (w *walker) looksUp(table, key *program.Expr) {
	k := only(w.en.values(key, w.f))
	if k.kind != constant || key.Kind == program.String {
		return
	}
	for _, v := range w.en.values(table, w.f) {
		if v.kind == composite && w.en.entry(v, k.text) != nil {
			w.out.named = true
		}
	}
}

// callee looks for calls inside what is called: open(p).read() holds one.
func (w *walker) callee(x *program.Expr) {
	switch x.Kind {
	case program.Attr:
		if x.X != nil && x.X.Kind != program.Name {
			w.callee(x.X)
		}
	case program.Function:
	default:
		w.expr(x)
	}
}

// argument looks at an argument. A function that is given away may be called.
func (w *walker) argument(call *program.Expr, a program.Arg) {
	w.expr(a.Value)
	if a.Value == nil {
		return
	}
	switch a.Value.Kind {
	case program.Function, program.Name, program.Attr:
		for _, v := range w.en.values(a.Value, w.f) {
			if v.kind == function && !v.fn.Abstract {
				w.edge(w.en.enter(v.fn, nil, receiver(v), v.frame), call, false)
			}
		}
	case program.Object:
		for _, m := range a.Value.Args { // options: { onData: … }
			if m.Value != nil && m.Value.Kind == program.Function {
				w.edge(w.en.enter(m.Value.Func, nil, nil, w.f), call, false)
			}
		}
	}
}

// returned follows functions that are answered at once: return () => fetch(x) is called by
// whoever asked for it.
func (w *walker) returned(x *program.Expr) {
	if x != nil && x.Kind == program.Function {
		w.edge(w.en.enter(x.Func, nil, nil, w.f), x, false)
	}
}

func (w *walker) edge(to *frame, at *program.Expr, guess bool) {
	if to == w.f {
		return
	}
	w.out.edges = append(w.out.edges, edge{to, place(w.file, at), guess})
}

func (w *walker) follow(e *program.Expr, v value) {
	switch v.kind {
	case function:
		if v.fn.Abstract {
			w.abstract(e, v)
			return
		}
		w.edge(w.en.enter(v.fn, w.en.bindFresh(v.fn, e.Args, w.f), receiver(v), v.frame), e, false)
	case class:
		w.made = map[*program.Class]bool{}
		w.construct(e, v)
	case outside:
		w.outside(e, v.text)
	case member:
		w.method(e, v.text)
	case parameter:
		if v.param.Func.Name == "" { // resolve and reject: whoever calls the literal gives them
			return
		}
		w.gap(sink.UnknownCallee, "parameter "+v.param.Name, e)
	case instance:
		if e.X.Kind == program.Name && e.X.Text == "super" && len(e.Args) > 0 {
			w.made = map[*program.Class]bool{}
			w.construct(e, value{kind: class, class: v.class})
			return
		}
		for _, m := range w.en.members([]value{v}, w.en.conv.call()) {
			if m.kind == function {
				w.edge(w.en.enter(m.fn, nil, receiver(m), nil), e, false)
			}
		}
	case module: // import x from "./x" of a module that exports one function
		w.unknown(e)
	}
}

func (c *Convention) call() string {
	if c.Language == "python" {
		return "__call__"
	}
	return "call"
}

func (en *engine) bindFresh(fn *program.Func, args []program.Arg, f *frame) [][]value {
	en.budget()
	return en.bind(fn, args, f)
}

// construct enters the constructors of a class and of its bases.
func (w *walker) construct(e *program.Expr, v value) {
	if w.made[v.class] {
		return
	}
	w.made[v.class] = true
	if ctor := v.class.Methods[w.en.conv.Constructor]; ctor != nil {
		self := value{kind: instance, class: v.class, expr: e, frame: w.f}
		w.edge(w.en.enter(ctor, w.en.bindFresh(ctor, e.Args, w.f), []value{self}, nil), e, false)
		return // which calls those of the bases itself
	}
	for _, base := range v.class.Bases {
		for _, b := range w.en.values(base, nil) {
			switch b.kind {
			case class:
				w.construct(e, b)
			case outside:
				w.outside(e, b.text)
			}
		}
	}
}

// abstract is a call through an interface with no single implementation: its type may be
// that of something outside.
func (w *walker) abstract(e *program.Expr, v value) {
	if !w.byName(e, v.fn.Name) {
		name := v.fn.Name
		if name == "" { // a field or a parameter that holds a function
			name = e.X.Text
		}
		w.gap(sink.UnknownCallee, "interface method "+name, e)
	}
}

// method is a call of a method of something unknown. The program's own classes come first,
// when few have it; then the table's methods.
func (w *walker) method(e *program.Expr, name string) {
	row := w.en.conv.Table.find("." + name)
	if row != nil && row.kind != "pure" {
		if w.sink(e, row, "."+name, true) {
			return
		}
	}
	if w.byName(e, name) || row != nil && row.kind == "pure" {
		return
	}
	w.gap(sink.UnknownCallee, "method "+name, e)
}

func (w *walker) byName(e *program.Expr, name string) bool {
	const few = 3
	classes := w.en.methodsNamed(name)
	if len(classes) > few {
		return false
	}
	found := false
	for _, c := range classes {
		m := c.Methods[name]
		if m.Abstract || m == w.f.fn {
			continue
		}
		found = true
		w.edge(w.en.enter(m, w.en.bindFresh(m, e.Args, w.f), nil, nil), e, len(classes) > 1)
	}
	return found
}

// outside is a call that leaves the program.
func (w *walker) outside(e *program.Expr, name string) {
	name = strings.TrimSuffix(name, ".call")
	name = strings.TrimSuffix(name, ".apply")
	if w.en.conv.Require[name] {
		return
	}
	if row := w.en.conv.Table.find(name); row != nil {
		w.sink(e, row, name, false)
		return
	}
	// What a call that a row knows gave back is data, unless a method of anything says more.
	for i := strings.LastIndexAny(name, ")]"); i > 0; i = strings.LastIndexAny(name[:i-1], ")]") {
		if w.en.conv.Table.find(name[:i-1]) != nil {
			if j := strings.LastIndexByte(name, '.'); j > i {
				w.chained(e, name[j+1:])
			}
			return
		}
	}
	if i := strings.Index(name, "()"); i > 0 { // the call that made it is the one that is not known
		name = name[:i]
	}
	w.gap(sink.OutsidePackage, name+"()", e)
}

// chained is a method of what a known call gave back; only methods that are sinks on
// anything count.
func (w *walker) chained(e *program.Expr, name string) {
	if row := w.en.conv.Table.find("." + name); row != nil && row.kind != "pure" {
		w.sink(e, row, "."+name, true)
	}
}

func (w *walker) unknown(e *program.Expr) {
	switch e.X.Kind {
	case program.Attr:
		w.method(e, e.X.Text)
	case program.Function:
		w.edge(w.en.enter(e.X.Func, w.en.bindFresh(e.X.Func, e.Args, w.f), nil, w.f), e, false)
	case program.Name:
		if e.X.Text == "super" && w.foreignBase(e) {
			return
		}
		w.gap(sink.UnknownCallee, e.X.Text, e)
	default:
		w.gap(sink.UnknownCallee, "a computed function", e)
	}
}

// foreignBase looks up the constructor of a base that is not part of the program.
func (w *walker) foreignBase(e *program.Expr) bool {
	fn := w.f.fn
	if fn.Class == nil {
		return false
	}
	found := false
	for _, base := range fn.Class.Bases {
		for _, v := range w.en.values(base, nil) {
			if v.kind == outside {
				w.outside(e, v.text)
				found = true
			}
		}
	}
	return found
}

func (w *walker) gap(r sink.Reason, detail string, e *program.Expr) {
	w.gapAt(r, detail, place(w.file, e))
}

func (w *walker) gapAt(r sink.Reason, detail string, at sink.Place) {
	const enough = 20
	if len(w.out.gaps) < enough {
		w.out.gaps = append(w.out.gaps, sink.Gap{Reason: r, Detail: detail, At: at})
	}
}
