package callgraph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// TestFiledBranchesAreReadAlike: what is passed over because branches are filed by their constants
// would have said nothing. Programs are made at random, and read with and without files.
func TestFiledBranchesAreReadAlike(t *testing.T) {
	table, err := ParseTable("act.** fs_write\nlook.** fs_read\n")
	if err != nil {
		t.Fatal(err)
	}
	conv := &Convention{
		Language: "python", Table: table, Constructor: "__init__", Dispatchers: map[string]bool{"call_tool": true},
		Join: func(module, name string) string { return module + "." + name }, Package: func(s string) string { return s },
	}
	tools := []string{"a", "b", "c", "d", "unlisted"}
	some := 0
	for seed := range uint64(150) {
		m := newMaker(seed)
		read := func(few int) *sink.Sources {
			an := newGraph(m.prog, conv)
			an.few = few
			found, _ := an.readTies(tools)
			return found
		}
		plain := read(math.MaxInt)
		for _, few := range []int{0, 2, 5} {
			if got := read(few); !reflect.DeepEqual(got, plain) {
				t.Fatalf("seed %d, filed from %d on:\n%+v\nnot filed:\n%+v", seed, few, got, plain)
			}
		}
		for _, h := range plain.Handlers {
			some += len(h.Calls)
		}
	}
	if some < 2_000 {
		t.Errorf("the programs hold only %d calls", some)
	}
}

// A maker makes a program with one dispatcher.
type maker struct {
	*rand.Rand
	prog  *ir.Program
	scope *ir.Scope // of the dispatcher
	calls int
}

func newMaker(seed uint64) *maker {
	file := &ir.File{Path: "a.py", Source: []byte("\n")}
	scope := ir.NewScope(nil)
	scope.File = file
	mod := &ir.Module{Path: "a", Scope: scope, Exports: map[string]*ir.Expr{}}
	scope.Module = mod
	fn := &ir.Func{Name: "call_tool", Scope: ir.NewScope(scope)}
	fn.Scope.Func = fn
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0)), scope: fn.Scope}
	m.prog = &ir.Program{Modules: []*ir.Module{mod}, Files: []*ir.File{file}, Funcs: []*ir.Func{fn}, Lookup: func(*ir.File, string) *ir.Module { return nil }}
	fn.Decorators = []*ir.Expr{{Kind: ir.Attr, X: m.name("server"), Text: "call_tool"}}
	for i, p := range []string{"name", "arguments"} {
		param := &ir.Param{Name: p, Index: i, Func: fn}
		fn.Params = append(fn.Params, param)
		fn.Scope.Bind(p, &ir.Binding{Param: param})
	}
	scope.Bind("A", &ir.Binding{Value: &ir.Expr{Kind: ir.String, Text: "a", Scope: scope}})
	list := &ir.Expr{Kind: ir.List, Scope: scope}
	for _, s := range []string{"b", "c"} {
		list.Args = append(list.Args, ir.Arg{Value: &ir.Expr{Kind: ir.String, Text: s, Scope: scope}})
	}
	scope.Bind("SOME", &ir.Binding{Value: list})
	fn.Scope.Bind("alias", &ir.Binding{Value: m.name("name")})
	fn.Body = m.body(3)
	return m
}

func (m *maker) name(s string) *ir.Expr {
	return &ir.Expr{Kind: ir.Name, Text: s, Scope: m.scope}
}

// call is one that no other is like.
func (m *maker) call() *ir.Expr {
	m.calls++
	x := &ir.Expr{Kind: ir.Call, X: m.name(fmt.Sprintf("%s.f%d", []string{"act", "look"}[m.IntN(2)], m.calls)), Scope: m.scope}
	m.prog.Calls = append(m.prog.Calls, x)
	return x
}

func (m *maker) body(depth int) (out []ir.Stmt) {
	for range 1 + m.IntN(6) {
		switch n := m.IntN(10); {
		case n < 5 && depth > 0:
			out = append(out, m.condition(), m.branch(depth))
		case n < 8:
			out = append(out, ir.Stmt{X: m.call()})
		case n == 8:
			out = append(out, m.condition())
		default:
			out = append(out, ir.Stmt{Step: ir.Return, X: m.call()})
		}
	}
	return out
}

// condition is what stands before a branch: mostly a comparison, which does nothing.
func (m *maker) condition() ir.Stmt {
	x := &ir.Expr{Scope: m.scope, Args: []ir.Arg{{Value: m.name("name")}, {Value: &ir.Expr{Kind: ir.String, Text: "a", Scope: m.scope}}}}
	if m.IntN(8) == 0 {
		x.Args[1].Value = m.call()
	}
	return ir.Stmt{X: x}
}

func (m *maker) branch(depth int) ir.Stmt {
	s := ir.Stmt{Step: ir.Branch, X: m.name([]string{"name", "name", "name", "alias", "arguments"}[m.IntN(5)])}
	for range 1 + m.IntN(3) {
		arm := ir.Arm{Body: m.body(depth - 1), Partly: m.IntN(5) == 0}
		for range m.IntN(3) {
			arm.Values = append(arm.Values, m.value())
		}
		s.Arms = append(s.Arms, arm)
	}
	switch m.IntN(3) {
	case 0:
		s.Rest = []ir.Stmt{m.condition(), m.branch(depth - m.IntN(2))}
		if depth <= 0 {
			s.Rest = nil
		}
	case 1:
		s.Rest = m.body(depth - 1)
	}
	return s
}

func (m *maker) value() *ir.Expr {
	switch m.IntN(8) {
	case 0:
		return m.name("A")
	case 1:
		return m.name("SOME")
	case 2:
		return m.name("alias")
	case 3:
		return m.name("nobody knows")
	}
	return &ir.Expr{Kind: ir.String, Text: string(rune('a' + m.IntN(4))), Scope: m.scope}
}
