package callgraph

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
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

// Text returns what is known of the text that an expression is.
func (ev *evaluator) Text(x *ir.Expr, f Context) string {
	left := maxPathParts
	return ev.takeApart(x, f, &left, 0)
}

func (ev *evaluator) texts(x *ir.Expr, f *frame) (out []string) {
	left := maxPathParts
	for _, v := range ev.evaluate(x, f) {
		if text, ok := ev.textOf(v, &left, 0); ok {
			out = append(out, text)
		}
	}
	if out == nil {
		out = []string{ev.takeApart(x, f, &left, 0)}
	}
	return out
}

// EndsIn reports whether one of the texts that an expression can be is known to end in one of some characters.
func (ev *evaluator) EndsIn(x *ir.Expr, f Context, characters string) bool {
	return slices.ContainsFunc(ev.texts(x, f), func(text string) bool {
		return text != "" && strings.IndexByte(characters, text[len(text)-1]) >= 0
	})
}

func (ev *evaluator) textOf(v value, left *int, depth int) (text string, ok bool) {
	switch {
	case v.kind == constant:
		return fixedPart(v.text), true
	case v.kind == composite && v.expr.Kind == ir.Template:
		return ev.joinParts(v.expr.Args, "", v.frame, left, depth), true
	}
	return "", false
}

func (ev *evaluator) takeApart(x *ir.Expr, f *frame, left *int, depth int) string {
	if *left--; x == nil || depth > maxPath || *left < 0 {
		return unknownPart
	}
	vs := ev.evaluate(x, f)
	for _, v := range vs {
		if made, _, _ := strings.Cut(v.text, "("); v.kind == outside && ev.rowKind(made) == "temp" {
			return tempPart
		}
	}
	if text, ok := ev.textOf(onlyValue(vs), left, depth); ok {
		return text
	}
	switch x.Kind {
	case ir.Literal:
		return fixedPart(x.Text)
	case ir.Name:
		switch x.Text {
		case "__dirname", "__filename", "__file__":
			return placePart
		}
		if d := ev.Definition(x); d != x {
			return ev.takeApart(d, f, left, depth+1)
		}
	case ir.Attr:
		if x.X == nil || x.X.Text == "import.meta" {
			return placePart
		}
		if of := ev.takeApart(x.X, f, left, depth+1); isTemporary(of) || x.Text == "url" || x.Text == "dirname" || x.Text == "parent" {
			return of
		}
	case ir.Index: // an element: the variable of a loop over a list of places
		if list := ev.Definition(x.X); len(x.Args) == 0 && list.Kind == ir.List && len(list.Args) > 0 {
			first := ev.takeApart(list.Args[0].Value, f, left, depth+1)
			isOther := func(a ir.Arg) bool { return !isOwnData(ev.takeApart(a.Value, f, left, depth+1)) }
			if isOwnData(first) && !slices.ContainsFunc(list.Args[1:], isOther) {
				return first
			}
		}
	case ir.Template:
		return ev.joinParts(x.Args, "", f, left, depth)
	case ir.Other: // an operator: Path.home() / ".ssh"
		return ev.joinParts(x.Args, "/", f, left, depth)
	case ir.Call, ir.New:
		return ev.partsOfCall(x, f, left, depth)
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

// partsOfCall is what a function makes of texts: a path that it joins, or one that it may change. What a method gives back is also made of what it
// belongs to.
func (ev *evaluator) partsOfCall(x *ir.Expr, f *frame, left *int, depth int) (out string) {
	names := ev.outsides(x.X, f)
	isMember := func(name string) bool { return strings.Contains(name, "()") }
	if x.X.Is(ir.Attr) { // here.joinpath("data", name), and not path.join
		if of := ev.takeApart(x.X.X, f, left, depth+1); isFixed(of) || isTemporary(of) {
			out = of + "/"
		} else if slices.ContainsFunc(names, isMember) || len(ev.evaluate(x.X, f)) == 0 {
			out = of
		}
	}
	if out == "" && len(x.Args) == 0 {
		return unknownPart
	}
	out += ev.joinParts(x.Args, "/", f, left, depth)
	if slices.ContainsFunc(names, func(name string) bool {
		return ev.rowKind(name) == "pure" && (!isMember(name) || ev.conv.Language == "python") // path.join(a, b).replace(…) is a text
	}) {
		return out
	}
	return out + madePart
}

func (ev *evaluator) joinParts(args []ir.Arg, between string, f *frame, left *int, depth int) string {
	var parts []string
	for _, a := range args {
		text := ev.takeApart(a.Value, f, left, depth+1)
		if a.Spread {
			text += unknownPart
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, between)
}

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
