package callgraph

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// pathArgument returns the path that a call is about: an argument, or what the method belongs to.
func pathArgument(e *ir.Expr, r *Row) *ir.Expr {
	if r.args["path"].name == "self" && e.X.Kind == ir.Attr {
		return e.X.X
	}
	return argumentFor(r, "path", e.Args)
}

// Parts of a path are looked into so deep, and so many of them for one question.
const (
	maxPath      = 10
	maxPathParts = 500
)

// spendPathPart takes a part of a path from what may be looked at.
func (w *walker) spendPathPart(p *ir.Expr, depth int) bool {
	w.parts--
	return p != nil && depth <= maxPath && w.parts >= 0
}

// isServersOwnPath reports whether a file is the server's and none that its caller means.
func (w *walker) isServersOwnPath(p *ir.Expr) bool {
	w.parts = maxPathParts
	return w.isOwnFile(p) || w.isTemporary(p, 0)
}

// isOwnFile reports whether a path is fixed in the source: a template, a file beside the
// program. What the tool reads there is the server's, not the caller's.
func (w *walker) isOwnFile(p *ir.Expr) bool {
	if v := onlyValue(w.sr.evaluate(p, w.f)); v.kind == constant {
		return !strings.HasPrefix(v.text, "/") && !strings.HasPrefix(v.text, "~")
	}
	return w.isBesideProgram(p, 0)
}

func (w *walker) isBesideProgram(p *ir.Expr, depth int) bool {
	if !w.spendPathPart(p, depth) {
		return false
	}
	switch p.Kind {
	case ir.String, ir.Literal:
		return true
	case ir.Name:
		switch p.Text {
		case "__dirname", "__filename", "__file__":
			return true
		}
		if x := w.sr.definitionOf(p); x != p {
			return w.isBesideProgram(x, depth+1)
		}
	case ir.Attr:
		return p.X != nil && (p.Text == "url" || p.Text == "dirname" || p.Text == "parent") && w.isBesideProgram(p.X, depth+1) || p.X != nil && p.X.Text == "import.meta"
	case ir.Call, ir.New, ir.Template, ir.Other, ir.Index:
		for _, a := range p.Args {
			if !w.isBesideProgram(a.Value, depth+1) {
				return false
			}
		}
		return len(p.Args) > 0 || p.X != nil && p.X.Kind == ir.Attr && w.isBesideProgram(p.X.X, depth+1)
	}
	return false
}

// isTemporary reports whether a path leads to a temporary file: one made for the call, of which
// nothing is left, or nothing that anybody asked for.
func (w *walker) isTemporary(p *ir.Expr, depth int) bool {
	if !w.spendPathPart(p, depth) {
		return false
	}
	for _, v := range w.sr.evaluate(p, w.f) {
		if v.kind == outside {
			made, _, _ := strings.Cut(v.text, "(")
			if r := w.sr.conv.Table.findRow(made); r != nil && r.kind == "temp" {
				return true
			}
		}
	}
	switch p.Kind {
	case ir.Name:
		if x := w.sr.definitionOf(p); x != p {
			return w.isTemporary(x, depth+1)
		}
	case ir.Attr:
		return w.isTemporary(p.X, depth+1)
	case ir.Call, ir.New, ir.Template, ir.Other:
		for _, a := range p.Args {
			if w.isTemporary(a.Value, depth+1) {
				return true
			}
		}
	}
	return false
}

// secretPath is a file that holds credentials, whoever's they are.
var secretPath = lazyregexp.New(`(^|[/\\])(\.env(\.[a-z]+)?|\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519)|(etc[/\\])?(shadow|gshadow)|\.aws[/\\]credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.ssh([/\\].*)?|.*\.(pem|p12|pfx|keystore|jks))$`)

func (w *walker) recordSecretFile(e, p *ir.Expr) {
	texts := []string{}
	for _, v := range w.sr.evaluate(p, w.f) {
		if v.kind == constant {
			texts = append(texts, v.text)
		}
	}
	if len(texts) == 0 {
		w.parts = maxPathParts
		if text, _ := w.constantSuffix(p, w.f, 0); text != "" {
			texts = append(texts, text)
		}
	}
	for _, t := range texts {
		if secretPath.MatchString(t) {
			w.recordSink(e, capability.SecretAccess, sink.Strong, "secret_file", strings.ReplaceAll(t, hole, "*"))
		}
	}
}

// hole stands for a part of a path that is known at run time only.
const hole = "\x00"

// constantSuffix returns the end of a path, as far as the source holds it: "/.ssh/id_rsa" of
// join(home, ".ssh", "id_rsa"). It begins with a hole where it is not the whole path.
func (w *walker) constantSuffix(p *ir.Expr, f *frame, depth int) (text string, whole bool) {
	if !w.spendPathPart(p, depth) {
		return hole, false
	}
	switch v := onlyValue(w.sr.evaluate(p, f)); {
	case v.kind == constant:
		return v.text, true
	case v.kind == composite && v.expr.Kind == ir.Template:
		return w.joinedSuffix(v.expr.Args, "", v.frame, depth)
	}
	switch p.Kind {
	case ir.Name:
		if x := w.sr.definitionOf(p); x != p {
			return w.constantSuffix(x, f, depth+1)
		}
	case ir.Template:
		return w.joinedSuffix(p.Args, "", f, depth)
	case ir.Other: // an operator: Path.home() / ".ssh"
		return w.joinedSuffix(p.Args, "/", f, depth)
	case ir.Call, ir.New:
		for _, v := range w.sr.evaluate(p.X, f) { // path.join, normalize, str
			if r := w.sr.conv.Table.findRow(v.text); v.kind == outside && r != nil && r.kind == "pure" {
				return w.joinedSuffix(p.Args, "/", f, depth)
			}
		}
	}
	return hole, false
}

func (w *walker) joinedSuffix(parts []ir.Arg, between string, f *frame, depth int) (text string, whole bool) {
	whole = true
	for i, a := range parts {
		t, ok := w.constantSuffix(a.Value, f, depth+1)
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
