package callgraph

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// applyRow records what a row says of a call. It returns false when the row does not apply after
// all: a method called execute that is given no statement.
func (w *walker) applyRow(e *ir.Expr, r *Row, name string, anyone bool) bool {
	shown := shortenGoPath(strings.ReplaceAll(name, inMemory, "")) + "()"
	strength := sink.Strong
	switch r.kind {
	case "tag":
		if r.weak {
			strength = sink.Weak
		}
		if p := pathArgument(e, r); p != nil {
			strength = min(strength, w.strengthOfPath(p, r.reads()))
			w.recordSecretFile(e, p)
		}
		for _, role := range []string{"code", "page"} {
			if areAll(w.sr.evaluate(argumentFor(r, role, e.Args), w.f), constant, function) {
				strength = sink.Weak // the caller chooses nothing of it; what a function of the source does is read by itself
			}
		}
		for _, tag := range r.tags {
			w.recordSink(e, tag, strength, "ast_sink", shown)
		}
	case "file":
		w.recordFileMode(e, r, shown)
	case "sql":
		written := sink.Strong
		if strings.Contains(name, inMemory) {
			written = sink.Weak // what is written is gone when the process ends
		}
		return w.recordStatement(e, r, shown, anyone, written)
	case "spawn":
		w.recordSpawn(e, r, shown)
	case "env":
		w.recordEnvCall(e, r)
	}
	return true
}

func (w *walker) recordSink(e *ir.Expr, tag capability.Tag, s sink.Strength, kind, name string) {
	w.out.calls = append(w.out.calls, found{Call: sink.Call{Tag: tag, Strength: s, Kind: kind, Name: name, At: PlaceOf(e)}})
}

// shortenGoPath leaves out the path of a Go package: "github.com/x/y/z.F" is "z.F".
func shortenGoPath(name string) string {
	head, _, _ := strings.Cut(name, "(")
	host, _, _ := strings.Cut(head, "/")
	if !strings.Contains(host, ".") || host == head {
		return name
	}
	return name[strings.LastIndexByte(head, '/')+1:]
}

// recordFileMode reads the mode in which a file is opened.
func (w *walker) recordFileMode(e *ir.Expr, r *Row, shown string) {
	mode := "r"
	if m := argumentFor(r, "mode", e.Args); m != nil {
		mode = w.modeOf(m)
	}
	write := mode == "" || strings.ContainsAny(mode, "wax+") // "" is not known before it runs
	read := mode == "" || strings.ContainsAny(mode, "r+") || !write
	strength := sink.Strong
	if p := pathArgument(e, r); p != nil {
		strength = w.strengthOfPath(p, !write)
		w.recordSecretFile(e, p)
	}
	if mode == "" {
		strength = sink.Weak
	}
	if read {
		w.recordSink(e, capability.FSRead, strength, "ast_sink", shown)
	}
	if write {
		w.recordSink(e, capability.FSWrite, strength, "ast_sink", shown)
	}
}

// modeOf returns the letters of a mode: a constant, or flags such as os.O_RDWR|os.O_CREATE.
func (w *walker) modeOf(m *ir.Expr) (mode string) {
	if text, ok := w.sr.constant(m, w.f); ok {
		return text
	}
	m.Search(maxNesting, func(e *ir.Expr) (found, into bool) {
		if !e.Is(ir.Attr, ir.Name) {
			return false, true
		}
		mode += modeFlags[e.Text]
		return false, false
	})
	return mode
}

// modeFlags are the letters for which flags stand.
var modeFlags = map[string]string{"O_RDONLY": "r", "O_WRONLY": "w", "O_CREATE": "w", "O_CREAT": "w", "O_APPEND": "w", "O_TRUNC": "w", "O_RDWR": "+"}

// Knows reports whether the row names an argument of that role, whether or not a call has it.
func (r *Row) Knows(role string) bool {
	_, ok := r.args[role]
	return ok
}

// reads reports whether all that a call of a row does is to read files.
func (r *Row) reads() bool { return len(r.tags) == 1 && r.tags[0] == capability.FSRead }
