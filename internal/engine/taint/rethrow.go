package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// A handler may let the errors of a check pass and keep the rest to itself, told apart by what they say:
//
//	catch (e) { if (e.message.includes("blocked")) throw e; }
//
// Where each error that the body throws itself is thrown again, what its conditions refuse stays refused.

// hostGuards are what such a check of a host makes sure. A host that could not be looked up is not asked either; a path that
// could not be resolved may be one that is made later, so for paths the handler's other way counts.
const hostGuards = hostAllowed | hostResolved | hostLiteral | dottedOnly

// throwsAgain reports whether a handler throws all errors that a body throws on a condition of its own.
func (r *reader) throwsAgain(handler, body []ir.Stmt) bool {
	thrown, known := r.thrownIn(body, 2)
	if !known || len(thrown) == 0 {
		return false
	}
	var conditions []*ir.Expr
	for i := range handler {
		s := &handler[i]
		if s.Step == ir.Branch && s.Block == ir.Plain && s.Cond != nil && !s.Negate && len(s.Arms) == 1 && throwsOnly(s.Arms[0].Body) {
			conditions = append(conditions, s.Cond)
		}
	}
	return !slices.ContainsFunc(thrown, func(e *ir.Expr) bool {
		return !slices.ContainsFunc(conditions, func(c *ir.Expr) bool { return r.isTrueOf(c, e, 0) })
	})
}

// throwsOnly reports whether a body ends with an error, whatever else it does.
func throwsOnly(body []ir.Stmt) bool {
	return len(body) > 0 && body[len(body)-1].Step == ir.Return && body[len(body)-1].Throws
}

// thrownIn returns the errors that a body throws, and those of the functions of the program that it calls so deep; known is false for
// one that is not made where it is thrown.
func (r *reader) thrownIn(body []ir.Stmt, calls int) (thrown []*ir.Expr, known bool) {
	known = true
	var before *ir.Expr // what was computed last is what is thrown
	ir.EachStmt(body, func(s *ir.Stmt) {
		switch {
		case s.Step == ir.Return && s.Throws:
			thrown = append(thrown, before)
			known = known && before.Is(ir.Call, ir.New)
			before = nil
		case s.Step == ir.Do:
			before = s.X
		default:
			before = nil
		}
	})
	if calls == 0 {
		return thrown, known
	}
	ir.EachExpr(body, func(e *ir.Expr) {
		e.Search(maxPartsDeep, func(x *ir.Expr) (found, into bool) {
			if x.Kind != ir.Call || !r.spend() {
				return false, x.Kind != ir.Function
			}
			for _, callee := range r.a.g.Callees(x, r.ctx) {
				if callee.Func != nil {
					more, all := r.thrownIn(callee.Func.Body, calls-1)
					thrown, known = append(thrown, more...), known && all
				}
			}
			return false, true
		})
	})
	return thrown, known
}

// isTrueOf reports whether a condition of a handler holds of an error, as far as that can be read from where the error is made.
func (r *reader) isTrueOf(cond, thrown *ir.Expr, depth int) bool {
	if cond == nil || depth > 8 {
		return false
	}
	part := func(a ir.Arg) bool { return r.isTrueOf(a.Value, thrown, depth+1) }
	switch {
	case cond.Is(ir.Other, ir.Either) && cond.Text == "&&":
		return !slices.ContainsFunc(cond.Args, func(a ir.Arg) bool { return !part(a) })
	case cond.Is(ir.Other, ir.Either) && cond.Text == "||":
		return slices.ContainsFunc(cond.Args, part)
	case cond.Is(ir.Other) && cond.Text == "" && len(cond.Args) == 1:
		return part(cond.Args[0])
	case cond.Is(ir.Other) && cond.Text == "instanceof" && len(cond.Args) == 2:
		return isOfClass(thrown, cond.Args[1].Value)
	case cond.Is(ir.Call) && cond.X.Is(ir.Name) && cond.X.Text == "isinstance":
		return isOfClass(thrown, cond.Arg(1))
	case cond.Is(ir.Other) && cond.Text == "in" && len(cond.Args) == 2: // "blocked" in str(e)
		return r.says(thrown, cond.Args[1].Value, cond.Args[0].Value, strings.Contains)
	case cond.Calls() == "includes" && cond.X.Is(ir.Attr):
		return r.says(thrown, cond.X.X, cond.Arg(0), strings.Contains)
	case (cond.Calls() == "startsWith" || cond.Calls() == "startswith") && cond.X.Is(ir.Attr):
		return r.says(thrown, cond.X.X, cond.Arg(0), strings.HasPrefix)
	}
	return false
}

// isOfClass reports whether an error is made as one of a class; those whose names say so are an Error.
func isOfClass(thrown, class *ir.Expr) bool {
	if !class.Is(ir.Name) {
		return false
	}
	made := thrown.Calls()
	return made == class.Text || class.Text == "Exception" || class.Text == "Error" && strings.HasSuffix(made, "Error")
}

// says reports whether the message of an error, which a condition asks for, has a text in it.
func (r *reader) says(thrown, asked, text *ir.Expr, has func(message, text string) bool) bool {
	isMessage := asked.Is(ir.Attr) && asked.Text == "message" || asked.Calls() == "str" || asked.Calls() == "String"
	want, ok := r.a.g.Constant(text, callgraph.Context{})
	return isMessage && r.silently(asked).isClean() && ok && want != "" && has(message(thrown), want)
}

// message returns what an error says, as far as the source fixes it.
func message(thrown *ir.Expr) string {
	first := thrown.Arg(0)
	switch {
	case first.Is(ir.String):
		return first.Text
	case first.Is(ir.Template):
		var out strings.Builder
		for _, part := range first.Args {
			if part.Value.Is(ir.String) {
				out.WriteString(part.Value.Text)
			} else {
				out.WriteString(unknownText)
			}
		}
		return out.String()
	}
	return ""
}
