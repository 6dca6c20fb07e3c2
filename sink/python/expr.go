package python

import (
	"strings"

	"gauntlet/internal/program"
	"gauntlet/internal/syntax"
)

// expr reads an expression; nil for no node.
func (l *lowerer) expr(n syntax.Node) *program.Expr {
	if n == syntax.None {
		return nil
	}
	x := &program.Expr{Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
	switch l.t.Kind(n) {
	case "identifier":
		x.Kind, x.Text = program.Name, l.t.Text(n)
	case "dotted_name":
		return l.dotted(n)
	case "string":
		l.str(x, n)
	case "concatenated_string":
		x.Kind = program.Template
		l.parts(x, n)
	case "integer", "float", "true", "false", "none", "ellipsis":
		x.Kind, x.Text = program.Literal, l.t.Text(n)
	case "attribute":
		x.Kind, x.X, x.Text = program.Attr, l.expr(l.t.Field(n, "object")), l.t.Text(l.t.Field(n, "attribute"))
	case "subscript", "generic_type":
		l.subscript(x, n)
	case "call":
		x.Kind, x.X = program.Call, l.expr(l.t.Field(n, "function"))
		l.args(x, l.t.Field(n, "arguments"))
		l.prog.Calls = append(l.prog.Calls, x)
	case "await", "parenthesized_expression", "type", "list_splat", "dictionary_splat", "expression_list", "yield", "member_type":
		return l.inside(x, n)
	case "list", "tuple", "set", "pattern_list":
		x.Kind = program.List
		l.parts(x, n)
	case "dictionary":
		l.dictionary(x, n)
	case "binary_operator":
		l.binary(x, n)
	case "boolean_operator":
		x.Kind = program.Either
		l.parts(x, n)
	case "conditional_expression":
		x.Kind = program.Either
		l.parts(x, n)
	case "lambda":
		l.lambda(x, n)
	case "assignment", "augmented_assignment":
		return l.assignment(n)
	case "named_expression":
		value := l.expr(l.t.Field(n, "value"))
		l.assign(l.t.Field(n, "name"), value)
		return value
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		l.comprehension(x, n)
	case "as_pattern": // except Error as e
		l.parts(x, n)
		l.assign(l.t.Field(n, "alias"), &program.Expr{Scope: l.scope, Start: x.Start, End: x.End})
	case "pair":
		x.Args = []program.Arg{{Value: l.expr(l.t.Field(n, "key"))}, {Value: l.expr(l.t.Field(n, "value"))}}
	default:
		l.parts(x, n)
	}
	return x
}

// inside returns the one part of a node that stands for it, or all of them as a list.
func (l *lowerer) inside(x *program.Expr, n syntax.Node) *program.Expr {
	if c := l.t.First(n); c != syntax.None && l.t.Next(c) == syntax.None {
		return l.expr(c)
	}
	x.Kind = program.List
	l.parts(x, n)
	return x
}

func (l *lowerer) parts(x *program.Expr, n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if field := l.t.FieldOf(c); field == "operator" || field == "operators" {
			continue
		}
		kind := l.t.Kind(c)
		x.Args = append(x.Args, program.Arg{Value: l.expr(c), Spread: kind == "list_splat" || kind == "dictionary_splat"})
	}
}

func (l *lowerer) dotted(n syntax.Node) *program.Expr {
	var x *program.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		e := &program.Expr{Kind: program.Name, Text: l.t.Text(c), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(c)}
		if x != nil {
			e.Kind, e.X = program.Attr, x
		}
		x = e
	}
	if x == nil {
		return &program.Expr{Scope: l.scope}
	}
	return x
}

// str reads a string; one with interpolations is a template.
func (l *lowerer) str(x *program.Expr, n syntax.Node) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			x.Args = append(x.Args, program.Arg{Value: &program.Expr{Kind: program.String, Text: text.String(), Scope: l.scope, Start: x.Start, End: x.End}})
			text.Reset()
		}
	}
	raw := false
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "string_start":
			raw = strings.ContainsAny(l.t.Text(c), "rR")
		case "string_content":
			if raw {
				text.WriteString(l.t.Text(c))
			} else {
				text.WriteString(unescape(l.t.Text(c)))
			}
		case "interpolation":
			flush()
			inner := l.t.Field(c, "expression")
			if inner == syntax.None {
				inner = l.t.First(c)
			}
			x.Args = append(x.Args, program.Arg{Value: l.expr(inner)})
		}
	}
	if x.Args == nil {
		x.Kind, x.Text = program.String, text.String()
		return
	}
	flush()
	x.Kind = program.Template
}

// unescape resolves the escapes that names, modes and statements are written with; others stay.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\\`, `\`, `\"`, `"`, `\'`, `'`, "\\\n", "").Replace(s)
}

// subscript reads x[key]; a constant string is a member.
func (l *lowerer) subscript(x *program.Expr, n syntax.Node) {
	value := l.t.Field(n, "value")
	if value == syntax.None {
		value = l.t.First(n)
	}
	x.X = l.expr(value)
	for c := l.t.Next(value); c != syntax.None; c = l.t.Next(c) {
		x.Args = append(x.Args, program.Arg{Value: l.expr(c)})
	}
	x.Kind = program.Index
	if len(x.Args) == 1 && x.Args[0].Value.Kind == program.List { // a type's parameters
		x.Args = x.Args[0].Value.Args
	}
	if len(x.Args) == 1 && x.Args[0].Value.Kind == program.String {
		x.Kind, x.Text, x.Args = program.Attr, x.Args[0].Value.Text, nil
	}
}

func (l *lowerer) args(x *program.Expr, n syntax.Node) {
	if n == syntax.None {
		return
	}
	if l.t.Kind(n) != "argument_list" { // f(x for x in y)
		x.Args = append(x.Args, program.Arg{Value: l.expr(n)})
		return
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "keyword_argument":
			x.Args = append(x.Args, program.Arg{Name: l.t.Text(l.t.Field(c, "name")), Value: l.expr(l.t.Field(c, "value"))})
		case "list_splat", "dictionary_splat":
			x.Args = append(x.Args, program.Arg{Value: l.expr(c), Spread: true})
		default:
			x.Args = append(x.Args, program.Arg{Value: l.expr(c)})
		}
	}
}

func (l *lowerer) dictionary(x *program.Expr, n syntax.Node) {
	x.Kind = program.Object
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "pair" {
			x.Args = append(x.Args, program.Arg{Value: l.expr(c), Spread: true})
			continue
		}
		a := program.Arg{Value: l.expr(l.t.Field(c, "value"))}
		if key := l.expr(l.t.Field(c, "key")); key != nil && key.Kind == program.String {
			a.Name = key.Text
		} else {
			a.Key = key
		}
		x.Args = append(x.Args, a)
	}
	l.prog.Objects = append(l.prog.Objects, x)
}

// binary joins strings and lists; whatever else it computes is data.
func (l *lowerer) binary(x *program.Expr, n syntax.Node) {
	left, right := l.expr(l.t.Field(n, "left")), l.expr(l.t.Field(n, "right"))
	x.Args = []program.Arg{{Value: left}, {Value: right}}
	switch op := l.t.Text(l.t.Field(n, "operator")); {
	case op == "+" && left.Kind == program.List:
		x.Kind = program.List
		x.Args = append(append([]program.Arg{}, left.Args...), program.Arg{Value: right, Spread: true})
	case op == "+", op == "%" && (left.Kind == program.String || left.Kind == program.Template):
		x.Kind = program.Template
	case op == "|" && right.Kind == program.Object:
		x.Kind = program.Object
		x.Args = []program.Arg{{Value: left, Spread: true}, {Value: right, Spread: true}}
	case op == "/": // pathlib
		x.Kind = program.Other
	}
}

func (l *lowerer) lambda(x *program.Expr, n syntax.Node) {
	f := &program.Func{Start: x.Start, End: x.End, Lambda: true, Scope: program.NewScope(l.scope)}
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer = f.Scope, program.To(&f.Body)
	inner.params(f, l.t.Field(n, "parameters"), false)
	inner.Return(inner.expr(l.t.Field(n, "body")))
	x.Kind, x.Func = program.Function, f
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func (l *lowerer) assignment(n syntax.Node) *program.Expr {
	left, right := l.t.Field(n, "left"), l.expr(l.t.Field(n, "right"))
	if t := l.t.Field(n, "type"); t != syntax.None {
		typ := l.typ(t)
		l.assign(left, typ)
		l.Do(right)
		if right != nil && right.Kind != program.Literal {
			l.assign(left, right)
		}
		return nil
	}
	l.assign(left, right)
	return right
}

func (l *lowerer) comprehension(x *program.Expr, n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "for_in_clause" {
			continue
		}
		right := l.expr(l.t.Field(c, "right"))
		x.Args = append(x.Args, program.Arg{Value: right})
		l.assign(l.t.Field(c, "left"), &program.Expr{Kind: program.Index, X: right, Scope: l.scope})
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "for_in_clause" {
			x.Args = append(x.Args, program.Arg{Value: l.expr(c)})
		}
	}
	if l.t.Kind(n) != "dictionary_comprehension" {
		x.Kind = program.List
		body := l.expr(l.t.Field(n, "body"))
		x.Args = append(x.Args[:0:0], program.Arg{Value: body}, program.Arg{Value: &program.Expr{Args: x.Args, Scope: l.scope}})
	}
}
