package callgraph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// recordSpawn tells a fixed program with arguments from a command that the caller shapes.
func (w *walker) recordSpawn(e *ir.Expr, r *Row, shown string) {
	if line := argumentFor(r, "line", e.Args); line != nil {
		w.recordShellLine(e, line, shown)
		return
	}
	argv := argumentFor(r, "argv", e.Args)
	if argv == nil {
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.noteGap(sink.OtherProgram, shown, e)
		return
	}
	option := argumentFor(r, "shell", e.Args)
	shell := option != nil && (option.Kind != ir.Literal || strings.EqualFold(option.Text, "true"))
	prog, rest := w.programName(argv, e, shell)
	if text := w.sr.Text(argv, w.f); prog == "" && (shell && headOf(text) != "" || !strings.ContainsAny(text, anyPart)) {
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

// A part is a piece of a command as it is written, and the frame in which it is.
type part struct {
	x *ir.Expr
	f *frame
}

// commandParts returns a program and its arguments, written as one list or as a program and what follows it; whole says that there are
// no others.
func (w *walker) commandParts(argv, e *ir.Expr) (parts []part, whole bool) {
	if v := onlyValue(w.sr.evaluate(argv, w.f)); v.isList() {
		return w.listParts(v, true)
	}
	parts, whole = []part{{argv, w.f}}, true
	for _, a := range e.Args {
		if a.Value == argv || a.Name != "" {
			continue
		}
		switch v := onlyValue(w.sr.evaluate(a.Value, w.f)); {
		case v.isList():
			more, all := w.listParts(v, true)
			parts, whole = append(parts, more...), whole && all
		case v.kind == composite && v.expr.Kind == ir.Object || v.kind == function: // options, callbacks
		default:
			parts, whole = append(parts, part{a.Value, w.f}), whole && !a.Spread
		}
	}
	return parts, whole
}

// listParts returns the elements of a list, and those of a list that is spread at its beginning.
func (w *walker) listParts(list value, outer bool) (parts []part, whole bool) {
	for i, a := range list.expr.Args {
		if !a.Spread {
			parts = append(parts, part{a.Value, list.frame})
			continue
		}
		inner := onlyValue(w.sr.evaluate(a.Value, list.frame))
		if i > 0 || !outer || !inner.isList() {
			return parts, false
		}
		if parts, whole = w.listParts(inner, false); !whole {
			return parts, false
		}
	}
	return parts, true
}

func (v value) isList() bool { return v.kind == composite && v.expr.Kind == ir.List }

// selves are the names that languages have for the program that runs; "" for one that needs no script.
var selves = map[string]string{"process.execPath": "node", "process.argv0": "node", "sys.executable": "python", "os.Executable()": ""}

// programName returns the name of the program that is started, "" when it is not known or a line for a shell, and whether nothing of the
// command is in a caller's hand: its arguments are fixed or, without a shell, it is a part of the server itself. That is a script that comes
// with it, under a fixed interpreter or the one that runs the server.
func (w *walker) programName(argv, e *ir.Expr, shell bool) (prog string, fixed bool) {
	parts, fixed := w.commandParts(argv, e)
	if len(parts) == 0 {
		return "", false
	}
	first := onlyValue(w.sr.evaluate(parts[0].x, parts[0].f))
	name, self := selves[first.text]
	if first.kind == constant {
		name = ProgramBase(first.text)
		if !strings.ContainsAny(strings.TrimSpace(first.text), " \t\n|;&$`") {
			prog = name
		}
	}
	switch {
	case shell:
	case first.kind == outside && self && name == "":
		return first.text, true
	case len(parts) > 1 && ProgramOf(name).Script && w.isOwnScript(parts[1].x, parts[1].f):
		return name, true
	}
	isFixed := func(p part) bool { return onlyValue(w.sr.evaluate(p.x, p.f)).kind == constant }
	return prog, prog != "" && fixed && !slices.ContainsFunc(parts[1:], func(p part) bool { return !isFixed(p) })
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
func ProgramBase(program string) string { return path.Base(strings.ReplaceAll(program, `\`, "/")) }
