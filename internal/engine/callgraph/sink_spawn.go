package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// recordSpawn tells a fixed program with arguments from a command that the caller shapes.
func (w *walker) recordSpawn(e *ir.Expr, r *Row, shown string) {
	if line := r.Argument("line", e); line != nil {
		w.recordShellLine(e, line, shown)
		return
	}
	argv := r.Argument("argv", e)
	if argv == nil {
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.noteGap(sink.OtherProgram, shown, e)
		return
	}
	option := r.Argument("shell", e)
	shell := option != nil && (option.Kind != ir.Literal || strings.EqualFold(option.Text, "true"))
	prog, rest := w.programName(argv, e, shell)
	if text := w.sr.Text(argv, w.f); prog == "" && (shell && headOf(text) != "" || isConstant(text)) {
		w.recordShellLine(e, argv, shown)
		return
	}
	w.noteGap(sink.OtherProgram, cmp.Or(prog, shown), e)
	if prog == "" || !rest && (shell || ProgramOf(prog).Interprets) {
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
	} else {
		w.recordSink(e, capability.Exec, sink.Weak, "spawn_fixed", prog)
	}
}

// words returns what is known of a program and its arguments, written as one list or as a program and what follows it; whole says that there
// are no others.
func (w *walker) words(argv, e *ir.Expr) (out []string, whole bool) {
	if v := onlyValue(w.sr.evaluate(argv, w.f)); v.isList() {
		return w.listed(v, true)
	}
	out, whole = []string{w.sr.Text(argv, w.f)}, true
	for _, a := range e.Args {
		if a.Value == argv || a.Name != "" {
			continue
		}
		switch v := onlyValue(w.sr.evaluate(a.Value, w.f)); {
		case v.isList():
			more, all := w.listed(v, true)
			out, whole = append(out, more...), whole && all
		case v.kind == composite && v.expr.Kind == ir.Object || v.kind == function: // options, callbacks
		default:
			out, whole = append(out, w.sr.Text(a.Value, w.f)), whole && !a.Spread
		}
	}
	return out, whole
}

// listed returns the elements of a list, and those of a list that is spread at its beginning.
func (w *walker) listed(list value, outer bool) (out []string, whole bool) {
	for i, a := range list.expr.Args {
		if !a.Spread {
			out = append(out, w.sr.Text(a.Value, list.frame))
			continue
		}
		inner := onlyValue(w.sr.evaluate(a.Value, list.frame))
		if i > 0 || !outer || !inner.isList() {
			return out, false
		}
		if out, whole = w.listed(inner, false); !whole {
			return out, false
		}
	}
	return out, true
}

func (v value) isList() bool { return v.kind == composite && v.expr.Kind == ir.List }

// programName returns the name of the program that is started, "" when it is not known or a line for a shell, and whether nothing of the
// command is in a caller's hand: its arguments are fixed or, without a shell, it is a part of the server itself. That is a script that comes
// with it, under a fixed interpreter or the one that runs the server.
func (w *walker) programName(argv, e *ir.Expr, shell bool) (prog string, fixed bool) {
	words, whole := w.words(argv, e)
	if len(words) == 0 || !isConstant(words[0]) {
		return "", false
	}
	name := ProgramBase(words[0])
	if !strings.ContainsAny(strings.TrimSpace(words[0]), " \t\n|;&$`") {
		prog = name
	}
	if !shell && len(words) > 1 && ProgramOf(name).Script && isOwnScript(words[1]) {
		return name, true
	}
	return prog, prog != "" && whole && !slices.ContainsFunc(words[1:], func(word string) bool { return !isConstant(word) })
}

// recordShellLine is a command line for a shell: fixed when all of it is constant, else the caller has a
// hand in it, whatever it begins with.
func (w *walker) recordShellLine(e, line *ir.Expr, shown string) {
	w.noteGap(sink.OtherProgram, shown, e)
	vs := w.sr.evaluate(line, w.f)
	if !areAll(vs, constant) {
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		return
	}
	for _, v := range vs {
		if words := strings.Fields(v.text); len(words) > 0 {
			w.recordSink(e, capability.Exec, sink.Weak, "spawn_fixed", ProgramBase(words[0]))
		}
	}
}

// ProgramBase is a program without its folder.
func ProgramBase(program string) string { return program[strings.LastIndexAny(program, `/\`)+1:] }
