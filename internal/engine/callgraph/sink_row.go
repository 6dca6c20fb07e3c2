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
	switch r.kind {
	case "tag", "file":
		w.recordTags(e, r, shown)
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

// recordTags records what a call does by the tags of its row, or by the mode in which it opens a file.
func (w *walker) recordTags(e *ir.Expr, r *Row, shown string) {
	tags, strength := r.tags, sink.Strong
	if r.kind == "file" {
		mode := w.modeOf(r.Argument("mode", e))
		if tags = tagsOfMode(mode); mode == "" {
			strength = sink.Weak
		}
	}
	if r.weak {
		strength = sink.Weak
	}
	if p := r.Argument("path", e); p != nil {
		strength = min(strength, strengthOfPath(w.sr.Text(p, w.f), len(tags) == 1 && tags[0] == capability.FSRead))
		for _, text := range w.sr.texts(p, w.f) {
			if t := tailOf(text); secretPath.MatchString(t) {
				w.recordSink(e, capability.SecretAccess, sink.Strong, "secret_file", t)
			}
		}
	}
	for _, role := range []string{"code", "page"} {
		if areAll(w.sr.evaluate(r.Argument(role, e), w.f), constant, function) {
			strength = sink.Weak // the caller chooses nothing of it; what a function of the source does is read by itself
		}
	}
	for _, tag := range tags {
		w.recordSink(e, tag, strength, "ast_sink", shown)
	}
}

// tagsOfMode returns what can be done to a file that is opened in a mode; "" is not known before it runs.
func tagsOfMode(mode string) (tags []capability.Tag) {
	write := strings.ContainsAny(mode, "wax+")
	if !write || strings.ContainsAny(mode, "r+") {
		tags = append(tags, capability.FSRead)
	}
	if write || mode == "" {
		tags = append(tags, capability.FSWrite)
	}
	return tags
}

// modeOf returns the letters of a mode: a constant, or flags such as os.O_RDWR|os.O_CREATE; none is given to read.
func (w *walker) modeOf(m *ir.Expr) (mode string) {
	if m == nil {
		return "r"
	}
	if text, ok := w.sr.Constant(m, w.f); ok {
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
