package callgraph

import (
	"slices"
	"strconv"
	"testing"

	"gauntlet/internal/leaf/ir"
)

// constantsOf evaluates an expression and returns its constants, "?" for anything else.
func constantsOf(ev *evaluator, e *ir.Expr) []string {
	var out []string
	for _, v := range ev.evaluate(e, nil) {
		if v.kind == constant {
			out = append(out, v.text)
		} else {
			out = append(out, "?")
		}
	}
	slices.Sort(out)
	return out
}

func TestEvaluateConstants(t *testing.T) {
	b := newProgramBuilder()
	b.set("greeting", b.str("hello"))
	b.set("either", b.of(ir.Either, b.str("a"), b.str("b")))
	b.set("table", b.object([]string{"x", "y"}, b.str("one"), b.str("two")))
	b.set("loop", b.name("loop"))
	b.function("echo", []string{"text"}, func() []ir.Stmt {
		return []ir.Stmt{{Step: ir.Return, X: b.name("text")}, {Step: ir.Return, X: b.str("unreachable")}}
	})
	for _, tt := range []struct {
		name string
		expr *ir.Expr
		want []string
	}{
		{"a name", b.name("greeting"), []string{"hello"}},
		{"one of two", b.name("either"), []string{"a", "b"}},
		{"a template of constants", b.of(ir.Template, b.name("greeting"), b.str(" "), b.name("either")), []string{"hello a", "hello b"}},
		{"a template with an unknown part is no constant", b.of(ir.Template, b.str("x"), b.call(b.name("read"))), []string{"?"}},
		{"a member", b.attr(b.name("table"), "y"), []string{"two"}},
		{"what a function returns for its argument, up to the first return", b.call(b.name("echo"), b.str("back")), []string{"back"}},
		{"a name that stands for itself", b.name("loop"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev := newEvaluator(b.prog, testConvention(t, "open pure"))
			if got := constantsOf(ev, tt.expr); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestFramesKeepArgumentsApart: one function called with two constants has two frames, and a third
// call with the first constant has the first frame again.
func TestFramesKeepArgumentsApart(t *testing.T) {
	b := newProgramBuilder()
	fn := b.function("run", []string{"program"}, func() []ir.Stmt { return nil })
	ev := newEvaluator(b.prog, testConvention(t, "open pure"))
	enter := func(text string) *frame {
		return ev.enterFrame(fn, [][]value{{{kind: constant, text: text}}}, nil, nil)
	}
	git, sh := enter("git"), enter("sh")
	if git == sh || git != enter("git") {
		t.Errorf("frames %p, %p, %p: equal arguments and only they share a frame", git, sh, enter("git"))
	}
	program := &ir.Expr{Kind: ir.Name, Text: "program", Scope: fn.Scope}
	if v := onlyValue(ev.evaluate(program, sh)); v.text != "sh" {
		t.Errorf("program is %q in the frame of sh", v.text)
	}
}

// TestFramesAreBounded: after 2 × maxContexts frames of one function its arguments are forgotten.
func TestFramesAreBounded(t *testing.T) {
	b := newProgramBuilder()
	fn := b.function("run", []string{"n"}, func() []ir.Stmt { return nil })
	ev := newEvaluator(b.prog, testConvention(t, "open pure"))
	distinct := map[*frame]bool{}
	for i := range 10 * maxContexts {
		distinct[ev.enterFrame(fn, [][]value{{{kind: constant, text: string(rune('a' + i))}}}, nil, nil)] = true
	}
	if len(distinct) != 2*maxContexts+1 {
		t.Errorf("%d frames; want %d", len(distinct), 2*maxContexts+1)
	}
}

// TestEvaluationEnds: a hundred names, each a template of the two before it, double at each step.
func TestEvaluationEnds(t *testing.T) {
	b := newProgramBuilder()
	b.set("n0", b.str("x"))
	b.set("n1", b.call(b.name("read")))
	for i := 2; i < 100; i++ {
		b.set("n"+string(rune(i)), b.of(ir.Either, b.name("n"+string(rune(i-1))), b.name("n"+string(rune(i-2)))))
	}
	ev := newEvaluator(b.prog, testConvention(t, "open pure"))
	ev.evaluate(b.name("n"+string(rune(99))), nil)
	if ev.work > 2*maxOneValue {
		t.Errorf("%d evaluations", ev.work)
	}
}

// TestFunctionsThatCallEachOtherTwice: with each call the ways through two such functions double. Until the bound on nesting
// they are looked at once for each depth.
func TestFunctionsThatCallEachOtherTwice(t *testing.T) {
	b := newProgramBuilder()
	twice := func(fn string) func() []ir.Stmt {
		return func() []ir.Stmt {
			wrap := func() *ir.Expr { return b.call(b.name(fn), b.object([]string{"next"}, b.name("x"))) }
			return []ir.Stmt{{Step: ir.Return, X: b.of(ir.Either, wrap(), wrap())}}
		}
	}
	b.function("f", []string{"x"}, twice("g"))
	b.function("g", []string{"x"}, twice("f"))
	ev := newEvaluator(b.prog, testConvention(t, "open pure"))
	ev.evaluate(b.call(b.name("f"), b.str("x")), nil)
	if ev.work > 30*maxNesting {
		t.Errorf("%d evaluations", ev.work)
	}
}

// TestBuilders: call = call.A() and its like, many times over, is one thing whose methods are called; the orders in which they may be
// called are not its values. With few of them each is.
func TestBuilders(t *testing.T) {
	for _, tt := range []struct {
		methods int
		want    []string
	}{
		{1, []string{"sdk.list()", "sdk.list().m0()"}},
		{12, []string{"sdk.list()"}},
		{24, []string{"sdk.list()"}},
	} {
		b := newProgramBuilder()
		b.set("call", b.call(b.attr(b.name("sdk"), "list")))
		for i := range tt.methods {
			b.set("call", b.call(b.attr(b.name("call"), "m"+strconv.Itoa(i))))
		}
		ev := newEvaluator(b.prog, testConvention(t, "open pure"))
		var got []string
		for _, v := range ev.evaluate(b.name("call"), nil) {
			got = append(got, v.text)
		}
		if !slices.Equal(got, tt.want) || ev.work > 40 {
			t.Errorf("%d methods: %q after %d evaluations, want %q", tt.methods, got, ev.work, tt.want)
		}
	}
}
