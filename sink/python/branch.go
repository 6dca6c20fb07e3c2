package python

import (
	"strings"

	"gauntlet/internal/program"
	"gauntlet/internal/syntax"
)

// ifs reads if and elif: as a branch where a condition compares something with constants.
func (l *lowerer) ifs(n syntax.Node) {
	var alternatives []syntax.Node
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.FieldOf(c) == "alternative" {
			alternatives = append(alternatives, c)
		}
	}
	l.chain(n, alternatives)
}

// chain reads one condition, what follows it, and the clauses behind as its alternative.
func (l *lowerer) chain(n syntax.Node, alternatives []syntax.Node) {
	condition := l.t.Field(n, "condition")
	l.Do(l.expr(condition))
	then := l.body(l.t.Field(n, "consequence"))
	var rest []program.Stmt
	if len(alternatives) > 0 {
		rest = l.Apart(func() {
			if next := alternatives[0]; l.t.Kind(next) == "elif_clause" {
				l.chain(next, alternatives[1:])
			} else {
				l.block(l.t.Field(next, "body"))
			}
		})
	}
	subject, values, negated, only := l.compared(condition)
	l.Add(program.Test{Subject: subject, Values: values, Negated: negated, Partly: !only}.Branch(then, rest))
}

// compared reads x == "a", x in ("a", "b"), x != "a", and those joined by and, or. only says
// that nothing else is asked.
func (l *lowerer) compared(n syntax.Node) (subject *program.Expr, values []*program.Expr, negated, only bool) {
	if n == syntax.None {
		return nil, nil, false, false
	}
	switch l.t.Kind(n) {
	case "parenthesized_expression":
		return l.compared(l.t.First(n))
	case "comparison_operator":
		left := l.t.First(n)
		op := l.t.Next(left)
		if op == syntax.None || l.t.Next(op) == syntax.None || l.t.Next(l.t.Next(op)) != syntax.None {
			return nil, nil, false, false
		}
		if !l.plain(left) || !l.plain(l.t.Next(op)) {
			return nil, nil, false, false
		}
		x, v := l.expr(left), l.expr(l.t.Next(op))
		switch l.t.Text(op) {
		case "==":
			if x.Kind == program.String {
				x, v = v, x
			}
			return x, []*program.Expr{v}, false, true
		case "!=":
			return x, []*program.Expr{v}, true, true
		case "in":
			return x, elements(v), false, true
		case "not in":
			return x, elements(v), true, true
		}
	case "boolean_operator":
		x, v, neg, _ := l.compared(l.t.Field(n, "left"))
		y, w, neg2, _ := l.compared(l.t.Field(n, "right"))
		if l.t.Text(l.t.Field(n, "operator")) == "and" {
			if x == nil {
				x, v, neg = y, w, neg2
			}
			if neg {
				return nil, nil, false, false
			}
			return x, v, neg, false
		}
		if x != nil && y != nil && program.Same(x, y) && !neg && !neg2 {
			return x, append(v, w...), false, true
		}
	}
	return nil, nil, false, false
}

// plain reports whether an operand is a name, a member, or constants: it has been read once as part of the
// condition, and reading what holds more a second time would double the work with each level.
func (l *lowerer) plain(n syntax.Node) bool {
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

func elements(x *program.Expr) []*program.Expr {
	if x == nil || x.Kind != program.List {
		return []*program.Expr{x}
	}
	var out []*program.Expr
	for _, a := range x.Args {
		out = append(out, a.Value)
	}
	return out
}

func (l *lowerer) match(n syntax.Node) {
	subject := l.expr(l.t.Field(n, "subject"))
	l.Do(subject)
	s := program.Stmt{Step: program.Branch, X: subject}
	body := l.t.Field(n, "body")
	if body == syntax.None {
		body = n
	}
	for c := l.t.First(body); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "case_clause" {
			continue
		}
		then := l.body(l.t.Field(c, "consequence"))
		values := l.patterns(c)
		if values == nil {
			s.Rest = append(s.Rest, then...)
			continue
		}
		s.Arms = append(s.Arms, program.Arm{Values: values, Body: then})
	}
	l.Add(s)
}

// patterns returns the constants of a case; nil for one that fits anything.
func (l *lowerer) patterns(n syntax.Node) []*program.Expr {
	var out []*program.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "case_pattern", "union_pattern":
			inner := l.patterns(c)
			if inner == nil {
				return nil
			}
			out = append(out, inner...)
		case "string", "concatenated_string", "attribute", "integer":
			out = append(out, l.expr(c))
		case "dotted_name":
			x := l.dotted(c)
			if x.Kind == program.Name {
				return nil // binds the name
			}
			out = append(out, x)
		}
	}
	return out
}
