package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A summary is what one function does itself, in one frame.
type summary struct {
	calls    []found
	answered []found // credentials that it returns: they count when it is the handler
	gaps     []sink.Gap
	maybe    []capability.Tag
	edges    []edge
	asked
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
	sr      *sinkReader
	f       *frame
	out     *summary
	objects map[*ir.Expr]bool // read
}

// summarize reads a function, once for each frame.
func (sr *sinkReader) summarize(f *frame) *summary {
	if s := sr.read[f]; s != nil {
		return s
	}
	w := &walker{sr: sr, f: f, out: &summary{}, objects: map[*ir.Expr]bool{}}
	sr.read[f] = w.out
	if f.fn.Broken {
		w.noteGapAt(sink.SyntaxErrors, f.fn.Name, PlaceOfFunc(f.fn))
	}
	for _, p := range f.fn.Params {
		w.walkExpr(p.Value)
	}
	sr.eachTaken(f.fn.Body, f, &w.out.asked, w.walkStmt)
	if sr.steps > maxRead {
		w.noteGapAt(sink.TooMuch, f.fn.Name, PlaceOfFunc(f.fn))
	}
	return w.out
}

func (w *walker) walkStmt(s *ir.Stmt) {
	if s.Step != ir.Set { // its value was read where it was computed
		w.walkExpr(s.X)
	}
	if s.Step == ir.Return {
		w.followReturned(s.X, s.X)
		w.findAnsweredSecrets(s.X)
	}
}

// walkExpr looks at every call in an expression, and at what is read like a member and does something. The bodies of functions in it are not
// part of it.
func (w *walker) walkExpr(e *ir.Expr) {
	if e == nil || e.Is(ir.Function, ir.Name) || w.objects[e] || e.Is(ir.Attr, ir.Index) && w.walkEnvironment(e) {
		return
	}
	switch {
	case e.Kind == ir.Object: // members that are assigned later make objects part of each other: each is read once
		w.objects[e] = true
	case e.Kind == ir.Attr:
		w.followGetter(e)
	case e.Kind == ir.Index && len(e.Args) > 0:
		w.noteLookup(e, e.X, e.Args[0].Value)
	}
	of, call := e.X, e.Is(ir.Call, ir.New)
	for call && of.Is(ir.Attr) { // open(p).read() holds a call; which method of what is called, its targets say
		of = of.X
	}
	w.walkExpr(of)
	for _, a := range e.Args {
		w.walkExpr(a.Key)
		w.walkExpr(a.Value)
		if call {
			w.followArgument(e, a.Value)
		}
	}
	if call {
		w.walkCall(e)
	}
}

func (w *walker) walkCall(e *ir.Expr) {
	if e.X.Kind == ir.Attr && e.X.X.Is(ir.Attr) {
		w.followGetter(e.X.X)
	}
	if e.X.Kind == ir.Attr && len(e.Args) > 0 {
		switch e.X.Text {
		case "get":
			w.noteLookup(e, e.X.X, e.Args[0].Value)
		case "find":
			by := asked{}
			found := w.sr.findElements(w.sr.evaluate(e.X.X, w.f), e.Args[0].Value, w.f, &by)
			w.out.named, w.out.labels = w.out.named || by.named && w.holdsCode(found), append(w.out.labels, by.labels...)
		}
	}
	if e.Kind == ir.New && w.sr.conv.Literals {
		return
	}
	if w.sr.unwrapCompilerHelper(e) == nil {
		w.followTargets(e, w.sr.targets(e, w.f))
	}
}

// followTargets follows what a call may call.
func (w *walker) followTargets(e *ir.Expr, targets []target) {
	for i := 0; i < len(targets); i++ {
		t := targets[i]
		switch t.kind {
		case enters, constructs, guesses:
			w.addEdge(w.sr.enterTarget(t, e, w.f), e, t.kind == guesses && !t.sole)
		case extends, leaves:
			w.lookUpOutside(e, t.name)
		case callsMethod:
			n := countGuesses(targets[i+1:])
			row := w.sr.conv.Table.findRow(t.name)
			switch { // the table's methods come first, unless they only compute
			case row != nil && row.kind != "pure" && w.applyRow(e, row, t.name, true):
				i += n
			case n == 0 && (row == nil || row.kind != "pure" || effects[t.name[1:]]):
				w.noteGap(sink.UnknownCallee, "method "+t.name[1:], e)
			}
		case callsAbstract: // its type may be that of something outside
			if countGuesses(targets[i+1:]) == 0 {
				w.noteGap(sink.UnknownCallee, "interface method "+cmp.Or(t.name[1:], e.X.Text), e)
			}
		case loses:
			w.noteGap(sink.UnknownCallee, t.name, e)
		}
	}
}

// effects are methods of lists and streams whose names something unknown may have for what it deletes, writes or sends.
var effects = Names("delete remove write writelines send unlink")

// followGetter follows a member that is a method in disguise.
func (w *walker) followGetter(e *ir.Expr) {
	for _, c := range w.sr.methodsNamed(e.Text) {
		m := c.Methods[e.Text]
		if !m.Getter {
			continue
		}
		for _, v := range w.sr.evaluate(e.X, w.f) {
			if (v.kind == instance || v.kind == class) && v.class == c {
				w.addEdge(w.sr.enterFrame(m, nil, []value{{kind: instance, class: c, expr: v.expr, frame: v.frame}}, nil), e, false)
			}
		}
	}
}

// noteLookup notes that a table, or an object for a method, is asked for a constant that came with the call, and what it answers.
func (w *walker) noteLookup(e, table, key *ir.Expr) {
	k, ok := w.sr.Constant(key, w.f)
	switch {
	case !ok || key.Kind == ir.String:
	case k == anyTool:
		w.out.tables = append(w.out.tables, w.sr.evaluate(table, w.f)...)
	default:
		w.out.named = w.out.named || w.holdsCode(w.sr.evaluate(e, w.f))
	}
}

// holdsCode reports whether an entry of a table is a function, a class or an object that holds one. A table of definitions says
// nothing about what a tool does.
func (w *walker) holdsCode(entry []value) bool {
	isCode := func(v value) bool { return v.kind == function || isObject(v) }
	return slices.ContainsFunc(entry, func(v value) bool {
		return isCode(v) || v.kind == composite && slices.ContainsFunc(v.expr.Args, func(a ir.Arg) bool { return slices.ContainsFunc(w.sr.evaluate(a.Value, v.frame), isCode) })
	})
}

// followArgument follows a function that is given away, and may be called.
func (w *walker) followArgument(call, x *ir.Expr) {
	switch {
	case x.Is(ir.Function, ir.Name, ir.Attr):
		for _, v := range w.sr.functions(x, w.f) {
			w.addEdge(w.sr.enterFrame(v.fn, nil, receiver(v), v.frame), call, false)
		}
	case x.Is(ir.Object):
		for _, m := range x.Args { // options: { onData: … }
			w.followReturned(m.Value, call)
		}
	}
}

// followReturned follows a function that is written where it is answered or handed over: return () => fetch(x) is called by
// whoever asked for it.
func (w *walker) followReturned(x, at *ir.Expr) {
	if x.Is(ir.Function) {
		w.addEdge(w.sr.enterFrame(x.Func, nil, nil, w.f), at, false)
	}
}

func (w *walker) addEdge(to *frame, at *ir.Expr, guess bool) {
	if to == w.f {
		return
	}
	w.out.edges = append(w.out.edges, edge{to, PlaceOf(at), guess})
}

// lookUpOutside is a call that leaves the program.
func (w *walker) lookUpOutside(e *ir.Expr, name string) {
	if w.sr.conv.Require[name] {
		return
	}
	if row := w.sr.conv.Table.findRow(name); row != nil {
		if row.kind == "unknown" {
			w.noteGap(sink.UnknownCallee, name+"()", e)
			return
		}
		if of, member := row.Argument("of", e), row.Argument("name", e); row.kind == "member" && of != nil && member != nil {
			w.noteLookup(e, of, member)
		}
		w.out.maybe = append(w.out.maybe, w.sr.conv.Table.may[row]...)
		w.applyRow(e, row, name, false)
		return
	}
	// What a call that a row knows gave back is data, unless a method of anything says more.
	for i := strings.LastIndexAny(name, ")]"); i > 0; i = strings.LastIndexAny(name[:i-1], ")]") {
		if w.sr.conv.Table.findRow(name[:i-1]) != nil {
			if j := strings.LastIndexByte(name, '.'); j > i {
				if row := w.sr.conv.Table.findRow(name[j:]); row.Kind() != "" && row.kind != "pure" {
					w.applyRow(e, row, name[j:], true)
				}
			}
			return
		}
	}
	if i := strings.Index(name, "()"); i > 0 { // the call that made it is the one that is not known
		name = name[:i]
	}
	w.noteGap(sink.OutsidePackage, name+"()", e)
}

func (w *walker) noteGap(r sink.Reason, detail string, e *ir.Expr) {
	w.noteGapAt(r, detail, PlaceOf(e))
}

func (w *walker) noteGapAt(r sink.Reason, detail string, at sink.Place) {
	const enough = 20
	if len(w.out.gaps) < enough {
		w.out.gaps = append(w.out.gaps, sink.Gap{Reason: r, Detail: detail, At: at})
	}
}
