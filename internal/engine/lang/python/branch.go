package python

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

// lowerIf reads if and elif: as a branch where a condition compares something with constants.
func (l *lowerer) lowerIf(n syntax.Node) { l.lowerElifChain(n, l.t.Field(n, "alternative")) }

// lowerElifChain reads one condition, what follows it, and the clauses from the next one on as its alternative.
func (l *lowerer) lowerElifChain(n, next syntax.Node) {
	cond := l.lowerExpr(l.t.Field(n, "condition"))
	l.Do(cond)
	then := l.lowerBody(l.t.Field(n, "consequence"))
	l.Add(ir.If(cond, then, l.Apart(func() {
		for next != syntax.None && l.t.FieldOf(next) != "alternative" {
			next = l.t.Next(next)
		}
		switch {
		case next == syntax.None:
		case l.t.Kind(next) == "elif_clause":
			l.lowerElifChain(next, l.t.Next(next))
		default:
			l.lowerBlock(l.t.Field(next, "body"))
		}
	})))
}

func (l *lowerer) lowerMatch(n syntax.Node) {
	subject := l.lowerExpr(l.t.Field(n, "subject"))
	l.Do(subject)
	s := ir.Stmt{Step: ir.Branch, X: subject}
	body := l.t.Field(n, "body")
	if body == syntax.None {
		body = n
	}
	for c := l.t.First(body); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "case_clause" {
			continue
		}
		then := l.lowerBody(l.t.Field(c, "consequence"))
		values := l.casePatterns(c)
		if values == nil {
			s.Rest = append(s.Rest, then...)
			continue
		}
		s.Arms = append(s.Arms, ir.Arm{Values: values, Body: then})
	}
	l.Add(s)
}

// casePatterns returns the constants of a case; nil for one that fits anything.
func (l *lowerer) casePatterns(n syntax.Node) (out []*ir.Expr) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "case_pattern", "union_pattern":
			inner := l.casePatterns(c)
			if inner == nil {
				return nil
			}
			out = append(out, inner...)
		case "string", "concatenated_string", "attribute", "integer":
			out = append(out, l.lowerExpr(c))
		case "dotted_name":
			x := l.lowerDottedName(c)
			if x.Kind == ir.Name {
				return nil // binds the name
			}
			out = append(out, x)
		}
	}
	return out
}
