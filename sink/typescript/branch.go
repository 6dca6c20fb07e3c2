package typescript

import (
	"gauntlet/internal/program"
	"gauntlet/internal/syntax"
)

func (l *lowerer) ifs(n syntax.Node) {
	condition := l.t.Field(n, "condition")
	l.Do(l.expr(condition))
	then := l.body(l.t.Field(n, "consequence"))
	rest := l.body(l.t.Field(n, "alternative"))
	subject, values, negated, only := l.compared(condition)
	l.Add(program.Test{Subject: subject, Values: values, Negated: negated, Partly: !only}.Branch(then, rest))
}

// compared reads x === "a", x !== "a", ["a", "b"].includes(x), and those joined by && and ||.
// only says that nothing else is asked.
func (l *lowerer) compared(n syntax.Node) (subject *program.Expr, values []*program.Expr, negated, only bool) {
	if n == syntax.None {
		return nil, nil, false, false
	}
	switch l.t.Kind(n) {
	case "parenthesized_expression":
		return l.compared(l.t.First(n))
	case "call_expression":
		fn := l.t.Field(n, "function")
		if l.t.Kind(fn) != "member_expression" || l.t.Text(l.t.Field(fn, "property")) != "includes" {
			return nil, nil, false, false
		}
		list, arg := l.t.Field(fn, "object"), l.t.First(l.t.Field(n, "arguments"))
		if l.t.Kind(list) != "array" || arg == syntax.None || !l.plain(arg) {
			return nil, nil, false, false
		}
		for c := l.t.First(list); c != syntax.None; c = l.t.Next(c) {
			if !l.plain(c) {
				return nil, nil, false, false
			}
			values = append(values, l.expr(c))
		}
		return l.expr(arg), values, false, true
	case "binary_expression":
		left, right := l.t.Field(n, "left"), l.t.Field(n, "right")
		switch l.t.Text(l.t.Field(n, "operator")) {
		case "===", "==":
			x, v := l.subject(left, right)
			return x, v, false, true
		case "!==", "!=":
			x, v := l.subject(left, right)
			return x, v, true, true
		case "&&":
			x, v, neg, _ := l.compared(left)
			if x == nil {
				x, v, neg, _ = l.compared(right)
			}
			if neg {
				return nil, nil, false, false
			}
			return x, v, false, false
		case "||":
			x, v, neg, _ := l.compared(left)
			y, w, neg2, _ := l.compared(right)
			if x != nil && y != nil && program.Same(x, y) && !neg && !neg2 {
				return x, append(v, w...), false, true
			}
		}
	}
	return nil, nil, false, false
}

// subject tells what is compared from what it is compared with, whichever side it stands on.
func (l *lowerer) subject(left, right syntax.Node) (*program.Expr, []*program.Expr) {
	if left == syntax.None || right == syntax.None || !l.plain(left) || !l.plain(right) {
		return nil, nil
	}
	x, v := l.expr(left), l.expr(right)
	if x.Kind == program.String {
		x, v = v, x
	}
	if v.Kind != program.String && v.Kind != program.Attr && v.Kind != program.Name {
		return nil, nil
	}
	return x, []*program.Expr{v}
}

// plain reports whether an operand is a name, a member or a constant: it has been read once as
// part of the condition, and reading what holds more a second time would double the work with each level.
func (l *lowerer) plain(n syntax.Node) bool {
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

// switches reads a switch. A case without a body falls through to the next.
func (l *lowerer) switches(n syntax.Node) {
	subject := l.expr(l.t.Field(n, "value"))
	l.Do(subject)
	s := program.Stmt{Step: program.Branch, X: subject}
	var waiting []*program.Expr
	defaults := false
	outer := l.scope
	l.scope = program.NewScope(outer)
	defer func() { l.scope = outer }()
	for c := l.t.First(l.t.Field(n, "body")); c != syntax.None; c = l.t.Next(c) {
		value := l.t.Field(c, "value")
		if value != syntax.None {
			waiting = append(waiting, l.expr(value))
		} else {
			defaults = true
		}
		then := l.cases(c)
		if len(then) == 0 && l.t.Next(c) != syntax.None && !l.hasBody(c) {
			continue
		}
		if defaults {
			s.Rest = append(s.Rest, then...)
		}
		if len(waiting) > 0 {
			s.Arms = append(s.Arms, program.Arm{Values: waiting, Body: then})
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

func (l *lowerer) cases(c syntax.Node) []program.Stmt {
	return l.Apart(func() {
		for b := l.t.First(c); b != syntax.None; b = l.t.Next(b) {
			if l.t.FieldOf(b) != "value" {
				l.stmt(b)
			}
		}
	})
}
