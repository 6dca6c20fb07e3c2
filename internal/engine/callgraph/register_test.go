package callgraph

import (
	"slices"
	"testing"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// TestTies: each form of registration gives the tool's name and its function; what only looks
// like one gives nothing.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(b *programBuilder)
		want  []string
	}{
		{"decorator", func(b *programBuilder) {
			fn := b.function("read", nil, func() []ir.Stmt { return nil })
			fn.Decorators = []*ir.Expr{b.call(b.attr(b.name("server"), "tool"))}
		}, []string{"read=read"}},
		{"decorator with a name", func(b *programBuilder) {
			fn := b.function("read", nil, func() []ir.Stmt { return nil })
			fn.Decorators = []*ir.Expr{b.call(b.attr(b.name("server"), "tool"), b.str("read_file"))}
		}, []string{"read_file=read"}},
		{"decorator of another package", func(b *programBuilder) {
			b.scope.Bind("tool", &ir.Binding{Import: &ir.Import{Module: "langchain", Member: "tools", Scope: b.scope}})
			fn := b.function("read", nil, func() []ir.Stmt { return nil })
			fn.Decorators = []*ir.Expr{b.attr(b.name("tool"), "tool")}
		}, nil},
		{"call with name and function", func(b *programBuilder) {
			b.function("read", nil, func() []ir.Stmt { return nil })
			b.call(b.attr(b.name("server"), "add_tool"), b.str("read_file"), b.name("read"))
		}, []string{"read_file=read"}},
		{"call of another name", func(b *programBuilder) {
			b.function("read", nil, func() []ir.Stmt { return nil })
			b.call(b.attr(b.name("server"), "add_hook"), b.str("read_file"), b.name("read"))
		}, nil},
		{"object with name, description and handler", func(b *programBuilder) {
			b.function("read", nil, func() []ir.Stmt { return nil })
			b.object([]string{"name", "description", "handler"}, b.str("read_file"), b.str("Reads."), b.name("read"))
		}, []string{"read_file=read"}},
		{"object without a description", func(b *programBuilder) {
			b.function("read", nil, func() []ir.Stmt { return nil })
			b.object([]string{"name", "handler"}, b.str("click"), b.name("read"))
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newProgramBuilder()
			tt.build(b)
			rg := newGraph(b.prog, testConvention(t, "open pure")).registrar
			var got []string
			for _, tie := range rg.registeredTies() {
				got = append(got, tie.tool+"="+tie.fn.fn.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestDispatchIsReadByName: one function answers two tools; each reaches its own branch alone, and a
// tool without a branch is a fallback whose calls are weak.
func TestDispatchIsReadByName(t *testing.T) {
	b := newProgramBuilder()
	fn := b.function("call_tool", []string{"name", "arguments"}, func() []ir.Stmt {
		return []ir.Stmt{{Step: ir.Branch, X: b.name("name"), Arms: []ir.Arm{
			{Values: []*ir.Expr{b.str("look")}, Body: []ir.Stmt{{Step: ir.Return, X: b.call(b.name("look"))}}},
			{Values: []*ir.Expr{b.str("act")}, Body: []ir.Stmt{{Step: ir.Return, X: b.call(b.name("act"))}}},
		}}}
	})
	fn.Decorators = []*ir.Expr{b.call(b.attr(b.name("server"), "call_tool"))}
	found, _ := newGraph(b.prog, testConvention(t, "look fs_read\nact fs_write")).readTies([]string{"unlisted"})
	var got []string
	for _, h := range found.Handlers {
		line := h.Tool + " " + string(h.Via)
		for _, c := range h.Calls {
			line += " " + string(c.Tag) + ":" + c.Strength.String()
		}
		got = append(got, line)
	}
	want := []string{"act " + string(sink.ByDispatch) + " fs_write:strong", "look " + string(sink.ByDispatch) + " fs_read:strong", "unlisted " + string(sink.ByFallback)}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
