package callgraph

import (
	"path"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// selves are the names that languages have for the program that runs; "" for one that needs no script.
var selves = map[string]string{"process.execPath": "node", "process.argv0": "node", "sys.executable": "python", "os.Executable()": ""}

// scriptRunners are interpreters that run the file that is their first argument.
var scriptRunners = map[string]bool{"node": true, "python": true, "python3": true, "ruby": true, "perl": true, "php": true, "bun": true, "tsx": true, "ts-node": true}

// ownProgram returns the script or the program where what is started is part of the server itself: a script that comes with it, under a
// fixed interpreter or the one that runs the server. What it does is in no shell's or caller's hand; else "".
func (w *walker) ownProgram(argv, e *ir.Expr) string {
	head, args, f := w.commandParts(argv, e)
	if head == nil {
		return ""
	}
	v := onlyValue(w.sr.evaluate(head, f))
	name := ""
	switch v.kind {
	case outside:
		self, ok := selves[v.text]
		if ok && self == "" {
			return v.text
		}
		name = self
	case constant:
		name = programBase(v.text)
	}
	if !scriptRunners[name] || len(args) == 0 || !w.isOwnScript(args[0], f) {
		return ""
	}
	return name
}

// commandParts returns a program and its arguments, in one list or as a program and a list, and the frame in which they are written.
func (w *walker) commandParts(argv, e *ir.Expr) (head *ir.Expr, args []*ir.Expr, f *frame) {
	v := onlyValue(w.sr.evaluate(argv, w.f))
	if v.kind == composite && v.expr.Kind == ir.List {
		all := w.elementsWritten(v.expr, v.frame)
		if len(all) == 0 {
			return nil, nil, nil
		}
		return all[0], all[1:], v.frame
	}
	for _, a := range e.Args {
		if a.Value == argv || a.Name != "" {
			continue
		}
		if l := onlyValue(w.sr.evaluate(a.Value, w.f)); l.kind == composite && l.expr.Kind == ir.List {
			return argv, w.elementsWritten(l.expr, l.frame), l.frame
		}
	}
	return argv, nil, w.f
}

// elementsWritten returns the elements of a list, and those of a list that is spread at its beginning.
func (w *walker) elementsWritten(list *ir.Expr, f *frame) (out []*ir.Expr) {
	for i, a := range list.Args {
		if !a.Spread {
			out = append(out, a.Value)
			continue
		}
		inner := onlyValue(w.sr.evaluate(a.Value, f))
		if i > 0 || inner.kind != composite || inner.expr.Kind != ir.List || inner.frame != f {
			return out
		}
		for _, b := range inner.expr.Args {
			if b.Spread {
				return out
			}
			out = append(out, b.Value)
		}
	}
	return out
}

// isOwnScript reports whether an argument is the path of a file that comes with the server, and no option.
func (w *walker) isOwnScript(x *ir.Expr, f *frame) bool {
	if v := onlyValue(w.sr.evaluate(x, f)); v.kind == constant {
		return path.Ext(v.text) != "" && !strings.HasPrefix(v.text, "-") && !strings.HasPrefix(v.text, "/") && !strings.HasPrefix(v.text, "~")
	}
	w.parts = maxPathParts
	return w.isBesideProgram(x, 0)
}
