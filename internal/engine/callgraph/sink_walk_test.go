package callgraph

import (
	"slices"
	"testing"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

const testRows = `
open      file   path=0 mode=1
run       spawn  argv=0 shell=shell
system    spawn  line=0
query     sql    text=0
len       pure
`

// readHandlerOf reads what one function with the parameter "given" reaches.
func readHandlerOf(t *testing.T, body func(b *programBuilder) []ir.Stmt) sink.Handler {
	t.Helper()
	b := newProgramBuilder()
	fn := b.function("handler", []string{"given"}, func() []ir.Stmt { return body(b) })
	sr := newGraph(b.prog, testConvention(t, testRows)).sinkReader
	var h sink.Handler
	sr.traceHandler(&h, sr.enterFrame(fn, nil, nil, nil))
	return h
}

func TestSinks(t *testing.T) {
	do := func(x *ir.Expr) ir.Stmt { return ir.Stmt{Step: ir.Do, X: x} }
	for _, tt := range []struct {
		name string
		body func(b *programBuilder) []ir.Stmt
		want []string
	}{
		{"a file in a mode", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("open"), b.name("given"), b.str("w")))}
		}, []string{"fs_write strong open()"}},
		{"a file beside the program", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("open"), b.str("data/words.txt")))}
		}, []string{"fs_read weak open()"}},
		{"a file whose name claims to be temporary", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("open"), b.of(ir.Template, b.name("given"), b.str(tempPart))))}
		}, []string{"fs_read strong open()"}},
		{"a program that the caller names", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("run"), b.name("given")))}
		}, []string{"exec strong run()"}},
		{"one program with arguments", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("run"), b.of(ir.List, b.str("/usr/bin/git"), b.name("given"))))}
		}, []string{"exec weak git"}},
		{"a shell line with a hole", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("system"), b.of(ir.Template, b.str("ls "), b.name("given"))))}
		}, []string{"exec strong system()"}},
		{"statements by their verb", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{do(b.call(b.name("query"), b.str("DELETE FROM t"))), do(b.call(b.name("query"), b.str("SET x = 1")))}
		}, []string{"db_write strong query()"}},
		{"behind a return", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{{Step: ir.Return, X: b.call(b.name("len"), b.name("given"))}, do(b.call(b.name("system"), b.name("given")))}
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range readHandlerOf(t, tt.body).Calls {
				got = append(got, string(c.Tag)+" "+c.Strength.String()+" "+c.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestGaps: what is not known leaves a gap, so that silence is no innocence.
func TestGaps(t *testing.T) {
	for _, tt := range []struct {
		name string
		body func(b *programBuilder) []ir.Stmt
		want sink.Reason
	}{
		{"an unknown package", func(b *programBuilder) []ir.Stmt {
			b.scope.Bind("left", &ir.Binding{Import: &ir.Import{Module: "leftpad", Scope: b.scope}})
			return []ir.Stmt{{X: b.call(b.attr(b.name("left"), "pad"))}}
		}, sink.OutsidePackage},
		{"a parameter that is called", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{{X: b.call(b.name("given"))}}
		}, sink.UnknownCallee},
		{"a program that is started", func(b *programBuilder) []ir.Stmt {
			return []ir.Stmt{{X: b.call(b.name("run"), b.str("git"))}}
		}, sink.OtherProgram},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := readHandlerOf(t, tt.body)
			if h.Complete() || h.Gaps[0].Reason != tt.want {
				t.Errorf("gaps %+v, want %s", h.Gaps, tt.want)
			}
		})
	}
}

// TestChainIsTheNearest: a sink that is reached directly and through a helper is shown without the helper.
func TestChainIsTheNearest(t *testing.T) {
	b := newProgramBuilder()
	b.function("helper", []string{"p"}, func() []ir.Stmt {
		return []ir.Stmt{{X: b.call(b.name("system"), b.name("p"))}}
	})
	far := b.function("far", []string{"given"}, func() []ir.Stmt {
		return []ir.Stmt{{X: b.call(b.name("helper"), b.name("given"))}}
	})
	near := b.function("near", []string{"given"}, func() []ir.Stmt {
		return []ir.Stmt{{X: b.call(b.name("helper"), b.name("given"))}, {X: b.call(b.name("system"), b.name("given"))}}
	})
	for fn, want := range map[*ir.Func]int{far: 1, near: 0} {
		sr := newGraph(b.prog, testConvention(t, testRows)).sinkReader
		var h sink.Handler
		sr.traceHandler(&h, sr.enterFrame(fn, nil, nil, nil))
		if len(h.Calls) != 1 || len(h.Calls[0].Chain) != want {
			t.Errorf("%s: %+v, want one call with a chain of %d", fn.Name, h.Calls, want)
		}
	}
}
