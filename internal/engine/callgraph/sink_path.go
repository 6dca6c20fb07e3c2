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

// What is known of a text that a program makes, such as a path, a statement or a command line, is a text in which these stand for the parts
// that the source does not hold.
const (
	unknownPart = "\x00"
	placePart   = "\x01" // where the program itself lies: __dirname, import.meta.url
	tempPart    = "\x02" // a file or directory that is made for the call
	madePart    = "\x03" // nothing: what stands before went through a function that may change it
	anyPart     = unknownPart + placePart + tempPart + madePart
)

// Parts of a text are looked into so deep, and so many of them for one question; of a text that the source holds, so much at either end.
const (
	maxPath      = 10
	maxPathParts = 500
	maxPartText  = 2_000
)

// textOfParts returns what is known of the text that an expression is.
func (w *walker) textOfParts(x *ir.Expr, f *frame) string {
	left := maxPathParts
	return w.takeApart(x, f, &left, 0)
}

func (w *walker) takeApart(x *ir.Expr, f *frame, left *int, depth int) string {
	if *left--; x == nil || depth > maxPath || *left < 0 {
		return unknownPart
	}
	vs := w.sr.evaluate(x, f)
	for _, v := range vs {
		if made, _, _ := strings.Cut(v.text, "("); v.kind == outside && w.rowKind(made) == "temp" {
			return tempPart
		}
	}
	switch v := onlyValue(vs); {
	case v.kind == constant:
		return fixedPart(v.text)
	case v.kind == composite && v.expr.Kind == ir.Template:
		return w.joinParts(v.expr.Args, "", v.frame, left, depth)
	}
	switch x.Kind {
	case ir.Literal:
		return fixedPart(x.Text)
	case ir.Name:
		switch x.Text {
		case "__dirname", "__filename", "__file__":
			return placePart
		}
		if d := w.sr.Definition(x); d != x {
			return w.takeApart(d, f, left, depth+1)
		}
	case ir.Attr:
		if x.X == nil || x.X.Text == "import.meta" {
			return placePart
		}
		if of := w.takeApart(x.X, f, left, depth+1); isTemporary(of) || x.Text == "url" || x.Text == "dirname" || x.Text == "parent" {
			return of
		}
	case ir.Index: // an element: the variable of a loop over a list of places
		if list := w.sr.Definition(x.X); len(x.Args) == 0 && list.Kind == ir.List && len(list.Args) > 0 {
			first := w.takeApart(list.Args[0].Value, f, left, depth+1)
			isOther := func(a ir.Arg) bool { return !isOwnData(w.takeApart(a.Value, f, left, depth+1)) }
			if isOwnData(first) && !slices.ContainsFunc(list.Args[1:], isOther) {
				return first
			}
		}
	case ir.Template:
		return w.joinParts(x.Args, "", f, left, depth)
	case ir.Other: // an operator: Path.home() / ".ssh"
		return w.joinParts(x.Args, "/", f, left, depth)
	case ir.Call, ir.New:
		return w.partsOfCall(x, f, left, depth)
	}
	return unknownPart
}

// fixedPart is a text that the source holds. One that holds what stands for other parts is not taken at its word: "\x02" makes no path temporary.
func fixedPart(text string) string {
	if len(text) > 2*maxPartText {
		text = text[:maxPartText] + unknownPart + text[len(text)-maxPartText:]
	}
	return unmarked.Replace(text)
}

var unmarked = strings.NewReplacer(placePart, unknownPart, tempPart, unknownPart, madePart, unknownPart)

// partsOfCall is what a function makes of texts: a path that it joins, or one that it may change.
func (w *walker) partsOfCall(x *ir.Expr, f *frame, left *int, depth int) (out string) {
	if x.X != nil && x.X.Kind == ir.Attr { // here.joinpath("data", name), and not path.join
		if of := w.takeApart(x.X.X, f, left, depth+1); isFixed(of) || isTemporary(of) {
			out = of + "/"
		}
	}
	if out == "" && len(x.Args) == 0 {
		return unknownPart
	}
	out += w.joinParts(x.Args, "/", f, left, depth)
	if slices.ContainsFunc(w.sr.outsides(x.X, f), func(name string) bool { return w.rowKind(name) == "pure" }) {
		return out
	}
	return out + madePart
}

func (w *walker) joinParts(args []ir.Arg, between string, f *frame, left *int, depth int) string {
	var parts []string
	for _, a := range args {
		text := w.takeApart(a.Value, f, left, depth+1)
		if a.Spread {
			text += unknownPart
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, between)
}

func (w *walker) rowKind(name string) string { return w.sr.conv.Table.findRow(name).Kind() }

// headOf returns what a text is known to begin with.
func headOf(text string) string {
	if i := strings.IndexAny(text, anyPart); i >= 0 {
		return text[:i]
	}
	return text
}

// tailOf returns what a text is known to end with, "*" in front where that is not all.
func tailOf(text string) string {
	if i := strings.LastIndexAny(text, anyPart); i >= 0 {
		return "*" + text[i+1:]
	}
	return text
}

// isFixed reports whether nothing of a text is unknown but where the program lies.
func isFixed(text string) bool { return !strings.ContainsAny(text, unknownPart+tempPart) }

// isTemporary reports whether a path leads to a temporary file: one made for the call, of which nothing is left, or nothing that anybody
// asked for.
func isTemporary(path string) bool { return strings.Contains(path, tempPart) }

// isOwnData reports whether a path leads into a directory of the server's own package, whatever file of it is chosen: what is read there
// came with the server. What is written there comes from its callers.
func isOwnData(path string) bool {
	below, own := strings.CutPrefix(path, placePart)
	if i := strings.IndexAny(below, unknownPart+tempPart); i >= 0 {
		below = below[:i]
	}
	return own && strings.Trim(below, "./\\"+placePart+madePart) != ""
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
	return isFixed(w.textOfParts(x, f))
}

// isOwnScript reports whether an argument is the path of a file that comes with the server, and no option.
func (w *walker) isOwnScript(x *ir.Expr, f *frame) bool {
	text, ok := w.sr.constant(x, f)
	return w.isOwnFile(x, f) && (!ok || path.Ext(text) != "" && !strings.HasPrefix(text, "-"))
}

// strengthOfPath returns how much it says that a call reads or writes a file: little of one that is the server's, and not its caller's.
func (w *walker) strengthOfPath(p *ir.Expr, reads bool) sink.Strength {
	if text := w.textOfParts(p, w.f); w.isOwnFile(p, w.f) || isTemporary(text) || reads && isOwnData(text) {
		return sink.Weak
	}
	return sink.Strong
}

// secretPath is a file that holds credentials, whoever's they are.
var secretPath = lazyregexp.New(`(^|[/\\])(\.env(\.[a-z]+)?|\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519)|(etc[/\\])?(shadow|gshadow)|\.aws[/\\]credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.ssh([/\\].*)?|.*\.(pem|p12|pfx|keystore|jks))$`)

func (w *walker) recordSecretFile(e, p *ir.Expr) {
	texts := w.sr.constants(p, w.f)
	if len(texts) == 0 {
		texts = []string{tailOf(w.textOfParts(p, w.f))}
	}
	for _, t := range texts {
		if secretPath.MatchString(t) {
			w.recordSink(e, capability.SecretAccess, sink.Strong, "secret_file", t)
		}
	}
}
