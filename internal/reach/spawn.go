package reach

import (
	"path"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// interpreters are programs that run what their arguments say.
var interpreters = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "dash": true, "ksh": true, "fish": true, "cmd": true, "cmd.exe": true,
	"powershell": true, "powershell.exe": true, "pwsh": true, "python": true, "python3": true, "node": true, "deno": true,
	"bun": true, "ruby": true, "perl": true, "php": true, "lua": true, "osascript": true, "ssh": true, "eval": true,
	"tsx": true, "ts-node": true, "npx": true, "uvx": true, "xargs": true, "env": true, "sudo": true, "wsl": true,
}

// spawn tells a fixed program with arguments from a command that the caller shapes.
func (w *walker) spawn(e *program.Expr, r *row, shown string) {
	if line := role(r, "line", e.Args); line != nil {
		w.line(e, line, shown)
		return
	}
	argv := role(r, "argv", e.Args)
	if argv == nil {
		w.record(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.gap(sink.OtherProgram, shown, e)
		return
	}
	shell := w.truth(role(r, "shell", e.Args))
	prog, rest := w.program(argv, r, e)
	switch {
	case prog == "":
		if head, whole := w.text(argv); whole || shell && head != "" {
			w.line(e, argv, shown)
			return
		}
		w.record(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.gap(sink.OtherProgram, shown, e)
	case shell && !rest, interpreters[prog] && !rest:
		w.record(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.gap(sink.OtherProgram, prog, e)
	default:
		w.record(e, capability.Exec, sink.Weak, "spawn_fixed", prog)
		w.gap(sink.OtherProgram, prog, e)
	}
}

// program returns the name of the program that argv starts, "" when it is not known, and
// whether all arguments are fixed too.
func (w *walker) program(argv *program.Expr, r *row, e *program.Expr) (prog string, fixed bool) {
	v := only(w.en.values(argv, w.f))
	switch v.kind {
	case constant:
		if strings.ContainsAny(strings.TrimSpace(v.text), " \t\n|;&$`") {
			return "", false // a line
		}
		return base(v.text), w.fixedArgs(argv, e)
	case composite:
		if v.expr.Kind != program.List || len(v.expr.Args) == 0 {
			return "", false
		}
		first := v.expr.Args[0]
		if first.Spread {
			inner := only(w.en.values(first.Value, v.frame))
			if inner.kind == composite && inner.expr.Kind == program.List && len(inner.expr.Args) > 0 {
				first, v = inner.expr.Args[0], inner
			}
		}
		head := only(w.en.values(first.Value, v.frame))
		if head.kind != constant {
			return "", false
		}
		for _, a := range v.expr.Args[1:] {
			if u := only(w.en.values(a.Value, v.frame)); u.kind != constant || a.Spread {
				return base(head.text), false
			}
		}
		return base(head.text), true
	}
	return "", false
}

// fixedArgs reports whether the arguments behind the program are all constant.
func (w *walker) fixedArgs(argv, e *program.Expr) bool {
	for _, a := range e.Args {
		if a.Value == argv || a.Name != "" {
			continue
		}
		v := only(w.en.values(a.Value, w.f))
		if v.kind == composite && v.expr.Kind == program.List {
			for _, x := range v.expr.Args {
				if only(w.en.values(x.Value, v.frame)).kind != constant {
					return false
				}
			}
			continue
		}
		if v.kind == composite && v.expr.Kind == program.Object || v.kind == constant || v.kind == function {
			continue // options, callbacks
		}
		return false
	}
	return true
}

// line is a command line for a shell: fixed when all of it is constant, else the caller has a
// hand in it, whatever it begins with.
func (w *walker) line(e, line *program.Expr, shown string) {
	vs := w.en.values(line, w.f)
	w.gap(sink.OtherProgram, shown, e)
	if len(vs) == 0 {
		w.record(e, capability.Exec, sink.Strong, "ast_sink", shown)
		return
	}
	for _, v := range vs {
		if v.kind != constant {
			w.record(e, capability.Exec, sink.Strong, "ast_sink", shown)
			return
		}
	}
	for _, v := range vs {
		if words := strings.Fields(v.text); len(words) > 0 {
			w.record(e, capability.Exec, sink.Weak, "spawn_fixed", base(words[0]))
		}
	}
}

func base(program string) string {
	return path.Base(strings.ReplaceAll(program, `\`, "/"))
}

// truth reports whether an option is on, as far as that can be read.
func (w *walker) truth(x *program.Expr) bool {
	if x == nil {
		return false
	}
	return x.Kind != program.Literal || x.Text == "True" || x.Text == "true"
}
