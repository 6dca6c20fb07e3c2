package typescript

import (
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

func (l *lowerer) lowerIf(n syntax.Node) {
	cond := l.lowerExpr(l.t.Field(n, "condition"))
	l.Do(cond)
	then := l.lowerBody(l.t.Field(n, "consequence"))
	rest := l.lowerBody(l.t.Field(n, "alternative"))
	l.Add(ir.If(cond, then, rest))
}

// lowerReturn reads return a ? b : c as a branch with two returns: what holds of b holds where a does.
func (l *lowerer) lowerReturn(n syntax.Node) {
	for n != syntax.None && l.t.Kind(n) == "parenthesized_expression" {
		n = l.t.First(n)
	}
	if n == syntax.None || l.t.Kind(n) != "ternary_expression" {
		l.Return(l.lowerExpr(n))
		return
	}
	l.branchOn(n, "condition", func() { l.lowerReturn(l.t.Field(n, "consequence")) }, func() { l.lowerReturn(l.t.Field(n, "alternative")) })
}

// lowerChoice reads an expression that stands for a branch: within(root, file) || fail().
func (l *lowerer) lowerChoice(n syntax.Node) {
	if l.t.Kind(n) == "ternary_expression" {
		l.branchOn(n, "condition", func() { l.lowerStmt(l.t.Field(n, "consequence")) }, func() { l.lowerStmt(l.t.Field(n, "alternative")) })
		return
	}
	right := func() { l.lowerStmt(l.t.Field(n, "right")) }
	switch l.t.Text(l.t.Field(n, "operator")) {
	case "&&":
		l.branchOn(n, "left", right, func() {})
	case "||":
		l.branchOn(n, "left", func() {}, right)
	default:
		l.Do(l.lowerExpr(n))
	}
}

func (l *lowerer) branchOn(n syntax.Node, condition string, then, rest func()) {
	cond := l.lowerExpr(l.t.Field(n, condition))
	l.Do(cond)
	l.Add(ir.If(cond, l.Apart(then), l.Apart(rest)))
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
		falls := l.t.Next(c) != syntax.None
		then := l.Apart(func() {
			for b := l.t.First(c); b != syntax.None; b = l.t.Next(b) {
				if l.t.FieldOf(b) != "value" {
					falls = false
					l.lowerStmt(b)
				}
			}
		})
		if falls {
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
