package typescript

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

func (l *lowerer) lowerIf(n syntax.Node) {
	condition := l.t.Field(n, "condition")
	cond := l.lowerExpr(condition)
	l.Do(cond)
	then := l.lowerBody(l.t.Field(n, "consequence"))
	rest := l.lowerBody(l.t.Field(n, "alternative"))
	subject, values, negated, only := l.readComparison(condition)
	l.Add(ir.Test{Subject: subject, Values: values, Negated: negated, Partly: !only}.Branch(cond, then, rest))
}

// readComparison reads x === "a", x !== "a", ["a", "b"].includes(x), and those joined by && and ||.
// only says that nothing else is asked.
func (l *lowerer) readComparison(n syntax.Node) (subject *ir.Expr, values []*ir.Expr, negated, only bool) {
	if n == syntax.None {
		return nil, nil, false, false
	}
	switch l.t.Kind(n) {
	case "parenthesized_expression":
		return l.readComparison(l.t.First(n))
	case "call_expression":
		fn := l.t.Field(n, "function")
		if l.t.Kind(fn) != "member_expression" || l.t.Text(l.t.Field(fn, "property")) != "includes" {
			return nil, nil, false, false
		}
		list, arg := l.t.Field(fn, "object"), l.t.First(l.t.Field(n, "arguments"))
		if l.t.Kind(list) != "array" || arg == syntax.None || !l.isPlainOperand(arg) {
			return nil, nil, false, false
		}
		for c := l.t.First(list); c != syntax.None; c = l.t.Next(c) {
			if !l.isPlainOperand(c) {
				return nil, nil, false, false
			}
			values = append(values, l.lowerExpr(c))
		}
		return l.lowerExpr(arg), values, false, true
	case "binary_expression":
		left, right := l.t.Field(n, "left"), l.t.Field(n, "right")
		switch l.t.Text(l.t.Field(n, "operator")) {
		case "===", "==":
			x, v := l.comparisonSides(left, right)
			return x, v, false, true
		case "!==", "!=":
			x, v := l.comparisonSides(left, right)
			return x, v, true, true
		case "&&":
			x, v, neg, _ := l.readComparison(left)
			if x == nil {
				x, v, neg, _ = l.readComparison(right)
			}
			if neg {
				return nil, nil, false, false
			}
			return x, v, false, false
		case "||":
			x, v, neg, _ := l.readComparison(left)
			y, w, neg2, _ := l.readComparison(right)
			if x != nil && y != nil && ir.Same(x, y) && !neg && !neg2 {
				return x, append(v, w...), false, true
			}
		}
	}
	return nil, nil, false, false
}

// comparisonSides tells what is compared from what it is compared with, whichever side it stands on.
func (l *lowerer) comparisonSides(left, right syntax.Node) (*ir.Expr, []*ir.Expr) {
	if left == syntax.None || right == syntax.None || !l.isPlainOperand(left) || !l.isPlainOperand(right) {
		return nil, nil
	}
	x, v := l.lowerExpr(left), l.lowerExpr(right)
	if x.Kind == ir.String {
		x, v = v, x
	}
	if v.Kind != ir.String && v.Kind != ir.Attr && v.Kind != ir.Name {
		return nil, nil
	}
	return x, []*ir.Expr{v}
}

// isPlainOperand reports whether an operand is a name, a member or a constant: it has been read once as
// part of the condition, and reading what holds more a second time would double the work with each level.
func (l *lowerer) isPlainOperand(n syntax.Node) bool {
	for range 10 {
		switch l.t.Kind(n) {
		case "identifier", "this", "string", "number", "null", "undefined", "true", "false":
			return true
		case "member_expression", "subscript_expression":
			if i := l.t.Field(n, "index"); i != syntax.None && l.t.Kind(i) != "string" {
				return false
			}
			n = l.t.Field(n, "object")
		case "non_null_expression", "parenthesized_expression":
			n = l.t.First(n)
		default:
			return false
		}
	}
	return false
}

// lowerSwitch reads a switch. A case without a body falls through to the next.
func (l *lowerer) lowerSwitch(n syntax.Node) {
	subject := l.lowerExpr(l.t.Field(n, "value"))
	l.Do(subject)
	s := ir.Stmt{Step: ir.Branch, X: subject}
	var waiting []*ir.Expr
	defaults := false
	outer, cases := l.scope, l.cases
	l.scope, l.cases = ir.NewScope(outer), true
	defer func() { l.scope, l.cases = outer, cases }()
	for c := l.t.First(l.t.Field(n, "body")); c != syntax.None; c = l.t.Next(c) {
		value := l.t.Field(c, "value")
		if value != syntax.None {
			waiting = append(waiting, l.lowerExpr(value))
		} else {
			defaults = true
		}
		then := l.lowerCase(c)
		if len(then) == 0 && l.t.Next(c) != syntax.None && !l.hasBody(c) {
			continue
		}
		if defaults {
			s.Rest = append(s.Rest, then...)
		}
		if len(waiting) > 0 {
			s.Arms = append(s.Arms, ir.Arm{Values: waiting, Body: then})
		}
		waiting, defaults = nil, false
	}
	l.Add(s)
}

func (l *lowerer) hasBody(c syntax.Node) bool {
	for b := l.t.First(c); b != syntax.None; b = l.t.Next(b) {
		if l.t.FieldOf(b) != "value" {
			return true
		}
	}
	return false
}

func (l *lowerer) lowerCase(c syntax.Node) []ir.Stmt {
	return l.Apart(func() {
		for b := l.t.First(c); b != syntax.None; b = l.t.Next(b) {
			if l.t.FieldOf(b) != "value" {
				l.lowerStmt(b)
			}
		}
	})
}
