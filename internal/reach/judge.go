package reach

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// sink records what a row says of a call. It returns false when the row does not apply after
// all: a method called execute that is given no statement.
func (w *walker) sink(e *program.Expr, r *row, name string, anyone bool) bool {
	shown := short(name) + "()"
	strength := sink.Strong
	switch r.kind {
	case "tag":
		if r.weak {
			strength = sink.Weak
		}
		if p := pathOf(e, r); p != nil {
			if w.serversOwn(p) {
				strength = sink.Weak
			}
			w.secretFile(e, p)
		}
		if code := role(r, "code", e.Args); code != nil && w.fixed(code) {
			strength = sink.Weak
		}
		for _, tag := range r.tags {
			w.record(e, tag, strength, "ast_sink", shown)
		}
	case "file":
		w.opens(e, r, shown)
	case "sql":
		return w.sql(e, r, shown, anyone)
	case "spawn":
		w.spawn(e, r, shown)
	case "env":
		w.envCall(e, r)
	}
	return true
}

// fixed reports whether code that is handed over is written in the source: a string or a
// function. The caller chooses nothing of it; what a function of the source does is read by itself.
func (w *walker) fixed(code *program.Expr) bool {
	vs := w.en.values(code, w.f)
	for _, v := range vs {
		if v.kind != constant && v.kind != function {
			return false
		}
	}
	return len(vs) > 0
}

func (w *walker) record(e *program.Expr, tag capability.Tag, s sink.Strength, kind, name string) {
	w.out.calls = append(w.out.calls, found{Call: sink.Call{Tag: tag, Strength: s, Kind: kind, Name: name, At: place(w.file, e)}})
}

// short leaves out the path of a Go package: "github.com/x/y/z.F" is "z.F".
func short(name string) string {
	head, _, _ := strings.Cut(name, "(")
	host, _, _ := strings.Cut(head, "/")
	if !strings.Contains(host, ".") || host == head {
		return name
	}
	return name[strings.LastIndexByte(head, '/')+1:]
}

// opens reads the mode in which a file is opened.
func (w *walker) opens(e *program.Expr, r *row, shown string) {
	strength := sink.Strong
	if p := pathOf(e, r); p != nil {
		if w.serversOwn(p) {
			strength = sink.Weak
		}
		w.secretFile(e, p)
	}
	m := role(r, "mode", e.Args)
	if m == nil {
		w.record(e, capability.FSRead, strength, "ast_sink", shown)
		return
	}
	mode := w.modeOf(m)
	write := strings.ContainsAny(mode, "wax+")
	read := mode == "" || strings.ContainsAny(mode, "r+") || !write
	if mode == "" { // not known before it runs
		strength = sink.Weak
		write = true
	}
	if read {
		w.record(e, capability.FSRead, strength, "ast_sink", shown)
	}
	if write {
		w.record(e, capability.FSWrite, strength, "ast_sink", shown)
	}
}

// modeOf returns the letters of a mode: a constant, or flags such as os.O_RDWR|os.O_CREATE.
func (w *walker) modeOf(m *program.Expr) string {
	if v := only(w.en.values(m, w.f)); v.kind == constant {
		return v.text
	}
	var b strings.Builder
	var flags func(e *program.Expr)
	flags = func(e *program.Expr) {
		if e == nil {
			return
		}
		if e.Kind == program.Attr || e.Kind == program.Name {
			switch e.Text {
			case "O_RDONLY":
				b.WriteString("r")
			case "O_WRONLY", "O_CREATE", "O_CREAT", "O_APPEND", "O_TRUNC":
				b.WriteString("w")
			case "O_RDWR":
				b.WriteString("+")
			}
			return
		}
		for _, a := range e.Args {
			flags(a.Value)
		}
	}
	flags(m)
	return b.String()
}

// text returns the constant text of an expression, or as much of it as comes before the
// first part that is not constant.
func (w *walker) text(x *program.Expr) (head string, whole bool) {
	vs := w.en.values(x, w.f)
	v := only(vs)
	switch v.kind {
	case constant:
		return v.text, true
	case composite:
		if v.expr.Kind == program.Template {
			return w.head(v, 0), false
		}
	}
	return "", false
}

func (w *walker) head(v value, depth int) string {
	if depth > 8 || len(v.expr.Args) == 0 {
		return ""
	}
	var b strings.Builder
	for _, part := range v.expr.Args {
		p := only(w.en.values(part.Value, v.frame))
		if p.kind == constant {
			b.WriteString(p.text)
			continue
		}
		if p.kind == composite && p.expr.Kind == program.Template {
			b.WriteString(w.head(p, depth+1))
		}
		break
	}
	return b.String()
}
