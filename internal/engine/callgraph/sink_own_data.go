package callgraph

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
)

// reads reports whether all that a call of a row does is to read files.
func (r *Row) reads() bool { return len(r.tags) == 1 && r.tags[0] == capability.FSRead }

// isServersOwnData reports whether a path leads into a directory of the server's own package, whatever file of it is chosen: what
// is read there came with the server. What is written there comes from its callers.
func (w *walker) isServersOwnData(p *ir.Expr) bool {
	w.parts = maxPathParts
	return w.isInOwnDirectory(p, 0)
}

// isInOwnDirectory reports whether a path is joined of a place beside the program, a directory that the source names, and anything.
func (w *walker) isInOwnDirectory(p *ir.Expr, depth int) bool {
	if !w.spendPathPart(p, depth) {
		return false
	}
	switch p.Kind {
	case ir.Name:
		if x := w.sr.definitionOf(p); x != p {
			return w.isInOwnDirectory(x, depth+1)
		}
	case ir.Index: // an element: the variable of a loop over a list of places
		list := w.sr.definitionOf(p.X)
		if len(p.Args) > 0 || list.Kind != ir.List || len(list.Args) == 0 {
			return false
		}
		for _, a := range list.Args {
			if !w.isInOwnDirectory(a.Value, depth+1) {
				return false
			}
		}
		return true
	case ir.Call, ir.New, ir.Template, ir.Other:
		parts := p.Args
		if p.X != nil && p.X.Kind == ir.Attr && w.isProgramsPlace(p.X.X, depth+1) { // here.joinpath("data", name)
			parts = append([]ir.Arg{{Value: p.X.X}}, parts...)
		}
		if len(parts) == 0 {
			return false
		}
		if w.isInOwnDirectory(parts[0].Value, depth+1) {
			return true
		}
		return w.isProgramsPlace(parts[0].Value, depth+1) && w.beginsWithDirectory(parts[1:])
	}
	return false
}

// beginsWithDirectory reports whether the first part of a path that does not only go up is a name that the source holds.
func (w *walker) beginsWithDirectory(parts []ir.Arg) bool {
	for _, a := range parts {
		v := onlyValue(w.sr.evaluate(a.Value, w.f))
		if v.kind != constant || a.Spread {
			return false
		}
		if strings.Trim(v.text, "./\\") != "" {
			return true
		}
	}
	return false
}

// isProgramsPlace reports whether a path is that of the program or of a directory around it, and not one that only the working
// directory places.
func (w *walker) isProgramsPlace(p *ir.Expr, depth int) bool {
	if !w.spendPathPart(p, depth) {
		return false
	}
	switch p.Kind {
	case ir.Name:
		switch p.Text {
		case "__dirname", "__filename", "__file__":
			return true
		}
		if x := w.sr.definitionOf(p); x != p {
			return w.isProgramsPlace(x, depth+1)
		}
	case ir.Attr:
		return p.X != nil && (p.X.Text == "import.meta" || w.isProgramsPlace(p.X, depth+1))
	case ir.Call, ir.New, ir.Template, ir.Other, ir.Index:
		if !w.isBesideProgram(p, depth) {
			return false
		}
		for _, a := range p.Args {
			if w.isProgramsPlace(a.Value, depth+1) {
				return true
			}
		}
		return p.X != nil && p.X.Kind == ir.Attr && w.isProgramsPlace(p.X.X, depth+1)
	}
	return false
}
