package python

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

// lowerIf reads if and elif: as a branch where a condition compares something with constants.
func (l *lowerer) lowerIf(n syntax.Node) {
	var alternatives []syntax.Node
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.FieldOf(c) == "alternative" {
			alternatives = append(alternatives, c)
		}
	}
	l.lowerElifChain(n, alternatives)
}

// lowerElifChain reads one condition, what follows it, and the clauses behind as its alternative.
func (l *lowerer) lowerElifChain(n syntax.Node, alternatives []syntax.Node) {
	cond := l.lowerExpr(l.t.Field(n, "condition"))
	l.Do(cond)
	then := l.lowerBody(l.t.Field(n, "consequence"))
	var rest []ir.Stmt
	if len(alternatives) > 0 {
		rest = l.Apart(func() {
			if next := alternatives[0]; l.t.Kind(next) == "elif_clause" {
				l.lowerElifChain(next, alternatives[1:])
			} else {
				l.lowerBlock(l.t.Field(next, "body"))
			}
		})
	}
	l.Add(ir.If(cond, then, rest))
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
func (l *lowerer) casePatterns(n syntax.Node) []*ir.Expr {
	var out []*ir.Expr
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
