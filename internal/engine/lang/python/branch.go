package python

import (
	"strings"

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
	condition := l.t.Field(n, "condition")
	cond := l.lowerExpr(condition)
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
	subject, values, negated, only := l.readComparison(condition)
	l.Add(ir.Test{Subject: subject, Values: values, Negated: negated, Partly: !only}.Branch(cond, then, rest))
}

// readComparison reads x == "a", x in ("a", "b"), x != "a", and those joined by and, or. only says
// that nothing else is asked.
func (l *lowerer) readComparison(n syntax.Node) (subject *ir.Expr, values []*ir.Expr, negated, only bool) {
	if n == syntax.None {
		return nil, nil, false, false
	}
	switch l.t.Kind(n) {
	case "parenthesized_expression":
		return l.readComparison(l.t.First(n))
	case "comparison_operator":
		left := l.t.First(n)
		op := l.t.Next(left)
		if op == syntax.None || l.t.Next(op) == syntax.None || l.t.Next(l.t.Next(op)) != syntax.None {
			return nil, nil, false, false
		}
		if !l.isPlainOperand(left) || !l.isPlainOperand(l.t.Next(op)) {
			return nil, nil, false, false
		}
		x, v := l.lowerExpr(left), l.lowerExpr(l.t.Next(op))
		switch l.t.Text(op) {
		case "==":
			if x.Kind == ir.String {
				x, v = v, x
			}
			return x, []*ir.Expr{v}, false, true
		case "!=":
			return x, []*ir.Expr{v}, true, true
		case "in":
			return x, listElements(v), false, true
		case "not in":
			return x, listElements(v), true, true
		}
	case "boolean_operator":
		x, v, neg, _ := l.readComparison(l.t.Field(n, "left"))
		y, w, neg2, _ := l.readComparison(l.t.Field(n, "right"))
		if l.t.Text(l.t.Field(n, "operator")) == "and" {
			if x == nil {
				x, v, neg = y, w, neg2
			}
			if neg {
				return nil, nil, false, false
			}
			return x, v, neg, false
		}
		if x != nil && y != nil && ir.Same(x, y) && !neg && !neg2 {
			return x, append(v, w...), false, true
		}
	}
	return nil, nil, false, false
}

// isPlainOperand reports whether an operand is a name, a member, or constants: it has been read once as part of the
// condition, and reading what holds more a second time would double the work with each level.
func (l *lowerer) isPlainOperand(n syntax.Node) bool {
	for range 10 {
		switch l.t.Kind(n) {
		case "identifier", "integer", "none", "true", "false":
			return true
		case "string":
			return l.t.Field(n, "interpolation") == syntax.None && !strings.HasPrefix(l.t.Text(n), "f")
		case "attribute":
			n = l.t.Field(n, "object")
		case "list", "tuple", "set":
			for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
				if k := l.t.Kind(c); k != "string" && k != "attribute" && k != "identifier" {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
	return false
}

func listElements(x *ir.Expr) []*ir.Expr {
	if x == nil || x.Kind != ir.List {
		return []*ir.Expr{x}
	}
	var out []*ir.Expr
	for _, a := range x.Args {
		out = append(out, a.Value)
	}
	return out
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
