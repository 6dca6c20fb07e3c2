package reach

import (
	"regexp"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// pathOf returns the path that a call is about: an argument, or what the method belongs to.
func pathOf(e *program.Expr, r *row) *program.Expr {
	if r.args["path"].name == "self" && e.X.Kind == program.Attr {
		return e.X.X
	}
	return role(r, "path", e.Args)
}

// Parts of a path are looked into so deep, and so many of them for one question.
const (
	maxPath      = 6
	maxPathParts = 500
)

// deeper takes a part of a path from what may be looked at.
func (w *walker) deeper(p *program.Expr, depth int) bool {
	w.parts--
	return p != nil && depth <= maxPath && w.parts >= 0
}

// serversOwn reports whether a file is the server's and none that its caller means.
func (w *walker) serversOwn(p *program.Expr) bool {
	w.parts = maxPathParts
	return w.ownFile(p) || w.temporary(p, 0)
}

// ownFile reports whether a path is fixed in the source: a template, a file beside the
// program. What the tool reads there is the server's, not the caller's.
func (w *walker) ownFile(p *program.Expr) bool {
	if v := only(w.en.values(p, w.f)); v.kind == constant {
		return !strings.HasPrefix(v.text, "/") && !strings.HasPrefix(v.text, "~")
	}
	return w.beside(p, 0)
}

func (w *walker) beside(p *program.Expr, depth int) bool {
	if !w.deeper(p, depth) {
		return false
	}
	switch p.Kind {
	case program.String, program.Literal:
		return true
	case program.Name:
		switch p.Text {
		case "__dirname", "__filename", "__file__":
			return true
		}
		if x := w.en.written(p); x != p {
			return w.beside(x, depth+1)
		}
	case program.Attr:
		return p.X != nil && (p.Text == "url" || p.Text == "dirname" || p.Text == "parent") && w.beside(p.X, depth+1) || p.X != nil && p.X.Text == "import.meta"
	case program.Call, program.New, program.Template, program.Other, program.Index:
		for _, a := range p.Args {
			if !w.beside(a.Value, depth+1) {
				return false
			}
		}
		return len(p.Args) > 0 || p.X != nil && p.X.Kind == program.Attr && w.beside(p.X.X, depth+1)
	}
	return false
}

// temporary reports whether a path leads to a temporary file: one made for the call, of which
// nothing is left, or nothing that anybody asked for.
func (w *walker) temporary(p *program.Expr, depth int) bool {
	if !w.deeper(p, depth) {
		return false
	}
	for _, v := range w.en.values(p, w.f) {
		if v.kind == outside {
			made, _, _ := strings.Cut(v.text, "(")
			if r := w.en.conv.Table.find(made); r != nil && r.kind == "temp" {
				return true
			}
		}
	}
	switch p.Kind {
	case program.Name:
		if x := w.en.written(p); x != p {
			return w.temporary(x, depth+1)
		}
	case program.Attr:
		return w.temporary(p.X, depth+1)
	case program.Call, program.New, program.Template, program.Other:
		for _, a := range p.Args {
			if w.temporary(a.Value, depth+1) {
				return true
			}
		}
	}
	return false
}

// secretPath is a file that holds credentials, whoever's they are.
var secretPath = regexp.MustCompile(`(^|[/\\])(\.env(\.[a-z]+)?|\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519)|(etc[/\\])?(shadow|gshadow)|\.aws[/\\]credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.ssh([/\\].*)?|.*\.(pem|p12|pfx|keystore|jks))$`)

func (w *walker) secretFile(e, p *program.Expr) {
	texts := []string{}
	for _, v := range w.en.values(p, w.f) {
		if v.kind == constant {
			texts = append(texts, v.text)
		}
	}
	if len(texts) == 0 {
		w.parts = maxPathParts
		if text, _ := w.ending(p, w.f, 0); text != "" {
			texts = append(texts, text)
		}
	}
	for _, t := range texts {
		if secretPath.MatchString(t) {
			w.record(e, capability.SecretAccess, sink.Strong, "secret_file", strings.ReplaceAll(t, hole, "*"))
		}
	}
}

// hole stands for a part of a path that is known at run time only.
const hole = "\x00"

// ending returns the end of a path, as far as the source holds it: "/.ssh/id_rsa" of
// join(home, ".ssh", "id_rsa"). It begins with a hole where it is not the whole path.
func (w *walker) ending(p *program.Expr, f *frame, depth int) (text string, whole bool) {
	if !w.deeper(p, depth) {
		return hole, false
	}
	switch v := only(w.en.values(p, f)); {
	case v.kind == constant:
		return v.text, true
	case v.kind == composite && v.expr.Kind == program.Template:
		return w.joined(v.expr.Args, "", v.frame, depth)
	}
	switch p.Kind {
	case program.Name:
		if x := w.en.written(p); x != p {
			return w.ending(x, f, depth+1)
		}
	case program.Template:
		return w.joined(p.Args, "", f, depth)
	case program.Other: // an operator: Path.home() / ".ssh"
		return w.joined(p.Args, "/", f, depth)
	case program.Call, program.New:
		for _, v := range w.en.values(p.X, f) { // path.join, normalize, str
			if r := w.en.conv.Table.find(v.text); v.kind == outside && r != nil && r.kind == "pure" {
				return w.joined(p.Args, "/", f, depth)
			}
		}
	}
	return hole, false
}

func (w *walker) joined(parts []program.Arg, between string, f *frame, depth int) (text string, whole bool) {
	whole = true
	for i, a := range parts {
		t, ok := w.ending(a.Value, f, depth+1)
		switch {
		case !ok || a.Spread:
			text, whole = t, false
		case i == 0:
			text = t
		default:
			text += between + t
		}
	}
	return text, whole
}
