package callgraph

import (
	"path"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// interpreters are programs that run what their arguments say, with the option behind which code stands; "" where there is no such option.
var interpreters = map[string]string{
	"sh": "-c", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "fish": "-c", "cmd": "/c", "cmd.exe": "/c", "powershell": "-command",
	"powershell.exe": "-command", "pwsh": "-command", "python": "-c", "python3": "-c", "node": "-e", "ruby": "-e", "perl": "-e", "php": "-r", "osascript": "-e",
	"deno": "", "bun": "-e", "lua": "-e", "rscript": "-e", "julia": "-e", "octave": "--eval", "gdb": "-ex", "lldb": "-o", "psql": "-c", "mysql": "-e", "sqlite3": "-cmd",
	"mongosh": "--eval", "mongo": "--eval", "vim": "-c", "emacs": "--eval", "maxima": "--batch-string", "wolframscript": "-code", "groovy": "-e", "scala": "-e", "awk": "", "ssh": "", "eval": "", "tsx": "-e", "ts-node": "-e", "npx": "", "uvx": "", "xargs": "", "env": "", "sudo": "", "wsl": "",
}

// CodeOption returns the option of a program behind which code stands, "" for a program without one.
func CodeOption(prog string) string { return interpreters[strings.ToLower(prog)] }

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
	shell := w.isOptionOn(argumentFor(r, "shell", e.Args))
	prog, rest := w.programName(argv, e)
	own := ""
	if !shell {
		own = w.ownProgram(argv, e)
	}
	switch {
	case own != "":
		w.recordSink(e, capability.Exec, sink.Weak, "spawn_fixed", own)
		w.noteGap(sink.OtherProgram, own, e)
	case prog == "":
		if head, whole := w.constantPrefix(argv); whole || shell && head != "" {
			w.recordShellLine(e, argv, shown)
			return
		}
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.noteGap(sink.OtherProgram, shown, e)
	case shell && !rest, isInterpreter(prog) && !rest:
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		w.noteGap(sink.OtherProgram, prog, e)
	default:
		w.recordSink(e, capability.Exec, sink.Weak, "spawn_fixed", prog)
		w.noteGap(sink.OtherProgram, prog, e)
	}
}

func isInterpreter(prog string) bool {
	_, ok := interpreters[prog]
	return ok
}

// programName returns the name of the program that argv starts, "" when it is not known, and
// whether all arguments are fixed too.
func (w *walker) programName(argv, e *ir.Expr) (prog string, fixed bool) {
	v := onlyValue(w.sr.evaluate(argv, w.f))
	switch v.kind {
	case constant:
		if strings.ContainsAny(strings.TrimSpace(v.text), " \t\n|;&$`") {
			return "", false // a line
		}
		return programBase(v.text), w.areArgsFixed(argv, e)
	case composite:
		if v.expr.Kind != ir.List || len(v.expr.Args) == 0 {
			return "", false
		}
		first := v.expr.Args[0]
		if first.Spread {
			inner := onlyValue(w.sr.evaluate(first.Value, v.frame))
			if inner.kind == composite && inner.expr.Kind == ir.List && len(inner.expr.Args) > 0 {
				first, v = inner.expr.Args[0], inner
			}
		}
		head := onlyValue(w.sr.evaluate(first.Value, v.frame))
		if head.kind != constant {
			return "", false
		}
		for _, a := range v.expr.Args[1:] {
			if u := onlyValue(w.sr.evaluate(a.Value, v.frame)); u.kind != constant || a.Spread {
				return programBase(head.text), false
			}
		}
		return programBase(head.text), true
	}
	return "", false
}

// areArgsFixed reports whether the arguments behind the program are all constant.
func (w *walker) areArgsFixed(argv, e *ir.Expr) bool {
	for _, a := range e.Args {
		if a.Value == argv || a.Name != "" {
			continue
		}
		v := onlyValue(w.sr.evaluate(a.Value, w.f))
		if v.kind == composite && v.expr.Kind == ir.List {
			for _, x := range v.expr.Args {
				if onlyValue(w.sr.evaluate(x.Value, v.frame)).kind != constant {
					return false
				}
			}
			continue
		}
		if v.kind == composite && v.expr.Kind == ir.Object || v.kind == constant || v.kind == function {
			continue // options, callbacks
		}
		return false
	}
	return true
}

// recordShellLine is a command line for a shell: fixed when all of it is constant, else the caller has a
// hand in it, whatever it begins with.
func (w *walker) recordShellLine(e, line *ir.Expr, shown string) {
	vs := w.sr.evaluate(line, w.f)
	w.noteGap(sink.OtherProgram, shown, e)
	if len(vs) == 0 {
		w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
		return
	}
	for _, v := range vs {
		if v.kind != constant {
			w.recordSink(e, capability.Exec, sink.Strong, "ast_sink", shown)
			return
		}
	}
	for _, v := range vs {
		if words := strings.Fields(v.text); len(words) > 0 {
			w.recordSink(e, capability.Exec, sink.Weak, "spawn_fixed", programBase(words[0]))
		}
	}
}

func programBase(program string) string {
	return path.Base(strings.ReplaceAll(program, `\`, "/"))
}

// isOptionOn reports whether an option is on, as far as that can be read.
func (w *walker) isOptionOn(x *ir.Expr) bool {
	if x == nil {
		return false
	}
	return x.Kind != ir.Literal || x.Text == "True" || x.Text == "true"
}
