package callgraph

import (
	"path"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// selves are the names that languages have for the program that runs; "" for one that needs no script.
var selves = map[string]string{"process.execPath": "node", "process.argv0": "node", "sys.executable": "python", "os.Executable()": ""}

// ownProgram returns the script or the program where what is started is part of the server itself: a script that comes with it, under a
// fixed interpreter or the one that runs the server. What it does is in no shell's or caller's hand; else "".
func (w *walker) ownProgram(argv, e *ir.Expr) string {
	parts, _ := w.commandParts(argv, e)
	if len(parts) == 0 {
		return ""
	}
	v := onlyValue(w.sr.evaluate(parts[0].x, parts[0].f))
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
	if !ProgramOf(name).Script || len(parts) < 2 || !w.isOwnScript(parts[1].x, parts[1].f) {
		return ""
	}
	return name
}

// isOwnScript reports whether an argument is the path of a file that comes with the server, and no option.
func (w *walker) isOwnScript(x *ir.Expr, f *frame) bool {
	if v := onlyValue(w.sr.evaluate(x, f)); v.kind == constant {
		return path.Ext(v.text) != "" && !strings.HasPrefix(v.text, "-") && !strings.HasPrefix(v.text, "/") && !strings.HasPrefix(v.text, "~")
	}
	w.parts = maxPathParts
	return w.isBesideProgram(x, 0)
}
