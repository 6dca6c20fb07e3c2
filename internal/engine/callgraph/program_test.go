package callgraph

import (
	"testing"

	"gauntlet/internal/leaf/ir"
)

// A programBuilder writes small programs as the languages lower them.
type programBuilder struct {
	prog  *ir.Program
	scope *ir.Scope // of the one module
}

func newProgramBuilder() *programBuilder {
	b := &programBuilder{prog: &ir.Program{Lookup: func(*ir.File, string) *ir.Module { return nil }}}
	m := b.prog.AddFile(&ir.File{Path: "a.py", Source: []byte("\n")}, "a")
	b.scope = m.Scope
	return b
}

func (b *programBuilder) name(text string) *ir.Expr {
	return &ir.Expr{Kind: ir.Name, Text: text, Scope: b.scope}
}

func (b *programBuilder) str(text string) *ir.Expr {
	return &ir.Expr{Kind: ir.String, Text: text, Scope: b.scope}
}

func (b *programBuilder) attr(x *ir.Expr, name string) *ir.Expr {
	return &ir.Expr{Kind: ir.Attr, X: x, Text: name, Scope: b.scope}
}

func (b *programBuilder) of(kind ir.Kind, parts ...*ir.Expr) *ir.Expr {
	x := &ir.Expr{Kind: kind, Scope: b.scope}
	for _, p := range parts {
		x.Args = append(x.Args, ir.Arg{Value: p})
	}
	return x
}

func (b *programBuilder) object(names []string, values ...*ir.Expr) *ir.Expr {
	x := b.of(ir.Object, values...)
	for i, name := range names {
		x.Args[i].Name = name
	}
	b.prog.Objects = append(b.prog.Objects, x)
	return x
}

func (b *programBuilder) call(fn *ir.Expr, args ...*ir.Expr) *ir.Expr {
	x := b.of(ir.Call, args...)
	x.X = fn
	b.prog.Calls = append(b.prog.Calls, x)
	return x
}

func (b *programBuilder) set(name string, x *ir.Expr) { b.scope.Bind(name, &ir.Binding{Value: x}) }

// function adds a function; inside it, names are looked up in its scope while body runs.
func (b *programBuilder) function(name string, params []string, body func() []ir.Stmt) *ir.Func {
	outer := b.scope
	fn := &ir.Func{Name: name, Scope: ir.NewScope(outer)}
	fn.Scope.Func = fn
	for i, p := range params {
		param := &ir.Param{Name: p, Index: i, Func: fn}
		fn.Params = append(fn.Params, param)
		fn.Scope.Bind(p, &ir.Binding{Param: param})
	}
	outer.Bind(name, &ir.Binding{Func: fn})
	b.scope = fn.Scope
	fn.Body = body()
	b.scope = outer
	b.prog.Funcs = append(b.prog.Funcs, fn)
	return fn
}

// testConvention is a small language with tools registered by add_tool and answered by call_tool.
func testConvention(t *testing.T, rows string) *Convention {
	t.Helper()
	table, err := ParseTable(rows)
	if err != nil {
		t.Fatal(err)
	}
	return &Convention{
		Language: "python", Table: table, Constructor: "__init__", AllExported: true,
		Dispatchers: Names("call_tool"), Decorators: Names("tool"), Registers: Names("add_tool"), Describes: Names("Tool"),
		Handlers: Names("handler"), Servers: []string{"mcp."},
		Join: func(module, name string) string { return module + "." + name }, Package: func(s string) string { return s },
	}
}
