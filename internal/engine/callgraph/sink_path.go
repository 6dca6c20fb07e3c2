package callgraph

import (
	"path"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// A piece is a part of a text, such as a path, a statement or a command line, in the order in which they stand in it.
type piece struct {
	kind pieceKind
	text string // of fixed
}

type pieceKind uint8

const (
	unknownPiece pieceKind = iota
	fixedPiece             // written in the source
	placePiece             // where the program itself lies: __dirname, import.meta.url
	tempPiece              // a file or directory that is made for the call
	madePiece              // nothing: what stands before went through a function that may change it
)

// Parts of a text are looked into so deep, and so many of them for one question.
const (
	maxPath      = 10
	maxPathParts = 500
)

// piecesOf returns what a text is made of.
func (w *walker) piecesOf(x *ir.Expr, f *frame) []piece {
	left := maxPathParts
	return w.takeApart(x, f, &left, 0)
}

func (w *walker) takeApart(x *ir.Expr, f *frame, left *int, depth int) []piece {
	if *left--; x == nil || depth > maxPath || *left < 0 {
		return []piece{{}}
	}
	vs := w.sr.evaluate(x, f)
	for _, v := range vs {
		if made, _, _ := strings.Cut(v.text, "("); v.kind == outside && w.rowKind(made) == "temp" {
			return []piece{{kind: tempPiece}}
		}
	}
	switch v := onlyValue(vs); {
	case v.kind == constant:
		return []piece{{fixedPiece, v.text}}
	case v.kind == composite && v.expr.Kind == ir.Template:
		return w.joinPieces(v.expr.Args, "", v.frame, left, depth)
	}
	switch x.Kind {
	case ir.Literal:
		return []piece{{fixedPiece, x.Text}}
	case ir.Name:
		switch x.Text {
		case "__dirname", "__filename", "__file__":
			return []piece{{kind: placePiece}}
		}
		if d := w.sr.Definition(x); d != x {
			return w.takeApart(d, f, left, depth+1)
		}
	case ir.Attr:
		if x.X == nil || x.X.Text == "import.meta" {
			return []piece{{kind: placePiece}}
		}
		if of := w.takeApart(x.X, f, left, depth+1); isTemporary(of) || x.Text == "url" || x.Text == "dirname" || x.Text == "parent" {
			return of
		}
	case ir.Index: // an element: the variable of a loop over a list of places
		if list := w.sr.Definition(x.X); len(x.Args) == 0 && list.Kind == ir.List && len(list.Args) > 0 {
			var all [][]piece
			for _, a := range list.Args {
				all = append(all, w.takeApart(a.Value, f, left, depth+1))
			}
			if !slices.ContainsFunc(all, func(ps []piece) bool { return !isOwnData(ps) }) {
				return all[0]
			}
		}
	case ir.Template:
		return w.joinPieces(x.Args, "", f, left, depth)
	case ir.Other: // an operator: Path.home() / ".ssh"
		return w.joinPieces(x.Args, "/", f, left, depth)
	case ir.Call, ir.New:
		return w.callPieces(x, f, left, depth)
	}
	return []piece{{}}
}

// callPieces is what a function makes of texts: a path that it joins, or one that it may change.
func (w *walker) callPieces(x *ir.Expr, f *frame, left *int, depth int) (out []piece) {
	if x.X != nil && x.X.Kind == ir.Attr { // here.joinpath("data", name), and not path.join
		if of := w.takeApart(x.X.X, f, left, depth+1); isFixed(of) || isTemporary(of) {
			out = append(of, piece{fixedPiece, "/"})
		}
	}
	out = append(out, w.joinPieces(x.Args, "/", f, left, depth)...)
	if len(out) == 0 {
		return []piece{{}}
	}
	if slices.ContainsFunc(w.sr.outsides(x.X, f), func(name string) bool { return w.rowKind(name) == "pure" }) {
		return out
	}
	return append(out, piece{kind: madePiece})
}

func (w *walker) joinPieces(parts []ir.Arg, between string, f *frame, left *int, depth int) (out []piece) {
	for i, a := range parts {
		if i > 0 && between != "" {
			out = append(out, piece{fixedPiece, between})
		}
		out = append(out, w.takeApart(a.Value, f, left, depth+1)...)
		if a.Spread {
			out = append(out, piece{})
		}
	}
	return out
}

func (w *walker) rowKind(name string) string { return w.sr.conv.Table.findRow(name).Kind() }

// headOf returns the text that pieces begin with.
func headOf(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.kind != fixedPiece {
			break
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// tailOf returns the text that pieces end with, "*" in front where that is not all.
func tailOf(pieces []piece) (tail string) {
	for _, p := range slices.Backward(pieces) {
		if p.kind != fixedPiece {
			return "*" + tail
		}
		tail = p.text + tail
	}
	return tail
}

// isFixed reports whether nothing of a text is unknown but where the program lies.
func isFixed(pieces []piece) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool { return p.kind == unknownPiece || p.kind == tempPiece })
}

// isTemporary reports whether a path leads to a temporary file: one made for the call, of which nothing is left, or nothing that anybody
// asked for.
func isTemporary(pieces []piece) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool { return p.kind == tempPiece })
}

// isOwnData reports whether a path leads into a directory of the server's own package, whatever file of it is chosen: what is read there
// came with the server. What is written there comes from its callers.
func isOwnData(pieces []piece) bool {
	for i, p := range pieces {
		switch {
		case i == 0 && p.kind != placePiece || p.kind == unknownPiece || p.kind == tempPiece:
			return false
		case p.kind == fixedPiece && strings.Trim(p.text, "./\\") != "":
			return true
		}
	}
	return false
}

// pathArgument returns the path that a call is about: an argument, or what the method belongs to.
func pathArgument(e *ir.Expr, r *Row) *ir.Expr {
	if r.args["path"].name == "self" && e.X.Kind == ir.Attr {
		return e.X.X
	}
	return argumentFor(r, "path", e.Args)
}

// isOwnFile reports whether a path is fixed in the source: a template, a file beside the program. What the tool reads there is the
// server's, not the caller's.
func (w *walker) isOwnFile(x *ir.Expr, f *frame) bool {
	if text, ok := w.sr.constant(x, f); ok {
		return !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~")
	}
	return isFixed(w.piecesOf(x, f))
}

// isOwnScript reports whether an argument is the path of a file that comes with the server, and no option.
func (w *walker) isOwnScript(x *ir.Expr, f *frame) bool {
	text, ok := w.sr.constant(x, f)
	return w.isOwnFile(x, f) && (!ok || path.Ext(text) != "" && !strings.HasPrefix(text, "-"))
}

// strengthOfPath returns how much it says that a call reads or writes a file: little of one that is the server's, and not its caller's.
func (w *walker) strengthOfPath(p *ir.Expr, reads bool) sink.Strength {
	if pieces := w.piecesOf(p, w.f); w.isOwnFile(p, w.f) || isTemporary(pieces) || reads && isOwnData(pieces) {
		return sink.Weak
	}
	return sink.Strong
}

// secretPath is a file that holds credentials, whoever's they are.
var secretPath = lazyregexp.New(`(^|[/\\])(\.env(\.[a-z]+)?|\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519)|(etc[/\\])?(shadow|gshadow)|\.aws[/\\]credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.ssh([/\\].*)?|.*\.(pem|p12|pfx|keystore|jks))$`)

func (w *walker) recordSecretFile(e, p *ir.Expr) {
	texts := w.sr.constants(p, w.f)
	if len(texts) == 0 {
		texts = []string{tailOf(w.piecesOf(p, w.f))}
	}
	for _, t := range texts {
		if secretPath.MatchString(t) {
			w.recordSink(e, capability.SecretAccess, sink.Strong, "secret_file", t)
		}
	}
}
