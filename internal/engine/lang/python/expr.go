package python

import (
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

// lowerExpr reads an expression; nil for no node.
func (l *lowerer) lowerExpr(n syntax.Node) *ir.Expr {
	if n == syntax.None {
		return nil
	}
	x := &ir.Expr{Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
	switch l.t.Kind(n) {
	case "identifier":
		x.Kind, x.Text = ir.Name, l.t.Text(n)
	case "dotted_name":
		return l.lowerDottedName(n)
	case "string":
		l.lowerString(x, n)
	case "concatenated_string":
		x.Kind = ir.Template
		l.lowerParts(x, n)
	case "integer", "float", "true", "false", "none", "ellipsis":
		x.Kind, x.Text = ir.Literal, l.t.Text(n)
	case "attribute":
		x.Kind, x.X, x.Text = ir.Attr, l.lowerExpr(l.t.Field(n, "object")), l.t.Text(l.t.Field(n, "attribute"))
	case "subscript", "generic_type":
		l.lowerSubscript(x, n)
	case "call":
		x.Kind, x.X = ir.Call, l.lowerExpr(l.t.Field(n, "function"))
		l.lowerArgs(x, l.t.Field(n, "arguments"))
		runHandedOver(x)
		l.prog.Calls = append(l.prog.Calls, x)
	case "await", "parenthesized_expression", "type", "list_splat", "dictionary_splat", "expression_list", "yield", "member_type":
		return l.unwrapNode(x, n)
	case "list", "tuple", "set", "pattern_list":
		x.Kind = ir.List
		l.lowerParts(x, n)
	case "dictionary":
		l.lowerDict(x, n)
	case "binary_operator":
		l.lowerBinary(x, n)
	case "boolean_operator":
		x.Kind, x.Text = ir.Either, "||"
		if l.t.Text(l.t.Field(n, "operator")) == "and" {
			x.Text = "&&"
		}
		l.lowerParts(x, n)
	case "not_operator":
		x.Text = "!"
		l.lowerParts(x, n)
	case "comparison_operator":
		x.Text = l.operators(n)
		l.lowerParts(x, n)
	case "conditional_expression": // a if x else b
		x.Kind, x.Text = ir.Either, "?"
		if l.lowerParts(x, n); len(x.Args) == 3 {
			x.X, x.Args = x.Args[1].Value, []ir.Arg{x.Args[0], x.Args[2]}
		}
	case "lambda":
		l.lowerLambda(x, n)
	case "assignment", "augmented_assignment":
		return l.lowerAssignment(n)
	case "named_expression":
		value := l.lowerExpr(l.t.Field(n, "value"))
		l.bindTarget(l.t.Field(n, "name"), value)
		return value
	case "list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension":
		l.lowerComprehension(x, n)
	case "as_pattern": // except Error as e
		l.lowerParts(x, n)
		l.bindTarget(l.t.Field(n, "alias"), &ir.Expr{Scope: l.scope, Start: x.Start, End: x.End})
	case "pair":
		x.Args = []ir.Arg{{Value: l.lowerExpr(l.t.Field(n, "key"))}, {Value: l.lowerExpr(l.t.Field(n, "value"))}}
	default:
		l.lowerParts(x, n)
	}
	return x
}

// unwrapNode returns the one part of a node that stands for it, or all of them as a list.
func (l *lowerer) unwrapNode(x *ir.Expr, n syntax.Node) *ir.Expr {
	if c := l.t.First(n); c != syntax.None && l.t.Next(c) == syntax.None {
		return l.lowerExpr(c)
	}
	x.Kind = ir.List
	l.lowerParts(x, n)
	return x
}

func (l *lowerer) lowerParts(x *ir.Expr, n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if field := l.t.FieldOf(c); field == "operator" || field == "operators" {
			continue
		}
		x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c), Spread: isSplat(l.t.Kind(c))})
	}
}

func isSplat(kind string) bool { return kind == "list_splat" || kind == "dictionary_splat" }

func (l *lowerer) lowerDottedName(n syntax.Node) *ir.Expr {
	var x *ir.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		e := &ir.Expr{Kind: ir.Name, Text: l.t.Text(c), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(c)}
		if x != nil {
			e.Kind, e.X = ir.Attr, x
		}
		x = e
	}
	if x == nil {
		return &ir.Expr{Scope: l.scope}
	}
	return x
}

// lowerString reads a string; one with interpolations is a template.
func (l *lowerer) lowerString(x *ir.Expr, n syntax.Node) {
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			x.Args = append(x.Args, ir.Arg{Value: &ir.Expr{Kind: ir.String, Text: text.String(), Scope: l.scope, Start: x.Start, End: x.End}})
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
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(inner)})
		}
	}
	if x.Args == nil {
		x.Kind, x.Text = ir.String, text.String()
		return
	}
	flush()
	x.Kind = ir.Template
}

// unescape resolves the escapes that names, modes and statements are written with; others stay.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\\`, `\`, `\"`, `"`, `\'`, `'`, "\\\n", "").Replace(s)
}

// lowerSubscript reads x[key]; a constant string is a member.
func (l *lowerer) lowerSubscript(x *ir.Expr, n syntax.Node) {
	value := l.t.Field(n, "value")
	if value == syntax.None {
		value = l.t.First(n)
	}
	x.X = l.lowerExpr(value)
	for c := l.t.Next(value); c != syntax.None; c = l.t.Next(c) {
		x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c)})
	}
	x.Kind = ir.Index
	if len(x.Args) == 1 && x.Args[0].Value.Kind == ir.List { // a type's parameters
		x.Args = x.Args[0].Value.Args
	}
	if len(x.Args) == 1 && x.Args[0].Value.Kind == ir.String {
		x.Kind, x.Text, x.Args = ir.Attr, x.Args[0].Value.Text, nil
	}
}

func (l *lowerer) lowerArgs(x *ir.Expr, n syntax.Node) {
	if n == syntax.None {
		return
	}
	if l.t.Kind(n) != "argument_list" { // f(x for x in y)
		x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(n)})
		return
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "keyword_argument" {
			x.Args = append(x.Args, ir.Arg{Name: l.t.Text(l.t.Field(c, "name")), Value: l.lowerExpr(l.t.Field(c, "value"))})
		} else {
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c), Spread: isSplat(l.t.Kind(c))})
		}
	}
}

func (l *lowerer) lowerDict(x *ir.Expr, n syntax.Node) {
	x.Kind = ir.Object
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "pair" {
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c), Spread: true})
			continue
		}
		a := ir.Arg{Value: l.lowerExpr(l.t.Field(c, "value"))}
		if key := l.lowerExpr(l.t.Field(c, "key")); key != nil && key.Kind == ir.String {
			a.Name = key.Text
		} else {
			a.Key = key
		}
		x.Args = append(x.Args, a)
	}
	l.prog.Objects = append(l.prog.Objects, x)
}

// lowerBinary joins strings and lists; whatever else it computes is data.
func (l *lowerer) lowerBinary(x *ir.Expr, n syntax.Node) {
	left, right := l.lowerExpr(l.t.Field(n, "left")), l.lowerExpr(l.t.Field(n, "right"))
	x.Args = []ir.Arg{{Value: left}, {Value: right}}
	switch op := l.t.Text(l.t.Field(n, "operator")); {
	case op == "+" && left.Kind == ir.List:
		x.Kind = ir.List
		x.Args = append(append([]ir.Arg{}, left.Args...), ir.Arg{Value: right, Spread: true})
	case op == "+", op == "%" && (left.Kind == ir.String || left.Kind == ir.Template):
		x.Kind = ir.Template
	case op == "|" && right.Kind == ir.Object:
		x.Kind = ir.Object
		x.Args = []ir.Arg{{Value: left, Spread: true}, {Value: right, Spread: true}}
	default:
		x.Kind, x.Text = ir.Other, op
	}
}

func (l *lowerer) lowerLambda(x *ir.Expr, n syntax.Node) {
	f := &ir.Func{Start: x.Start, End: x.End, Lambda: true, Scope: ir.NewScope(l.scope)}
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer = f.Scope, ir.To(&f.Body)
	inner.lowerParams(f, l.t.Field(n, "parameters"), false)
	inner.Return(inner.lowerExpr(l.t.Field(n, "body")))
	x.Kind, x.Func = ir.Function, f
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func (l *lowerer) lowerAssignment(n syntax.Node) *ir.Expr {
	left, right := l.t.Field(n, "left"), l.lowerExpr(l.t.Field(n, "right"))
	if l.t.Kind(n) == "augmented_assignment" {
		right = l.augmented(l.lowerExpr(left), right, n)
	}
	if t := l.t.Field(n, "type"); t != syntax.None {
		typ := l.lowerType(t)
		l.bindTarget(left, typ)
		l.Do(right)
		if c := l.scope.Class; c != nil && l.t.Kind(left) == "identifier" {
			c.Noted = append(c.Noted, ir.Field{Name: l.t.Text(left), Type: l.lowerNoted(t), Value: right})
		}
		if right != nil && right.Kind != ir.Literal {
			l.bindTarget(left, right)
		}
		return nil
	}
	l.bindTarget(left, right)
	return right
}

// augmented is the value of left += right, of which left is a part.
func (l *lowerer) augmented(left, right *ir.Expr, n syntax.Node) *ir.Expr {
	x := &ir.Expr{Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n), Args: []ir.Arg{{Value: left}, {Value: right}}}
	switch {
	case left == nil || right == nil || l.t.Text(l.t.Field(n, "operator")) != "+=":
	case right.Kind == ir.List:
		x.Kind, x.Args[0].Spread, x.Args[1].Spread = ir.List, true, true
	default:
		x.Kind = ir.Template
	}
	return x
}

// operators returns the words of a comparison: "==", "not in"; several of them joined by a space.
func (l *lowerer) operators(n syntax.Node) string {
	var words []string
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.FieldOf(c) == "operators" {
			words = append(words, l.t.Text(c))
		}
	}
	return strings.Join(words, " ")
}

// lowerComprehension reads [f(x) for x in xs if g(x)], whose variables are its own.
func (l *lowerer) lowerComprehension(x *ir.Expr, n syntax.Node) {
	outer := l.scope
	l.scope = ir.NewScope(outer)
	defer func() { l.scope = outer }()
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "for_in_clause" {
			continue
		}
		right := l.lowerExpr(l.t.Field(c, "right"))
		x.Args = append(x.Args, ir.Arg{Value: right})
		l.bindTarget(l.t.Field(c, "left"), &ir.Expr{Kind: ir.Index, X: right, Scope: l.scope})
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "if_clause" {
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c)})
		}
	}
	body := l.lowerExpr(l.t.Field(n, "body"))
	x.Kind, x.N = ir.List, ir.Comprehension
	x.Args = []ir.Arg{{Value: body}, {Value: &ir.Expr{Args: x.Args, Scope: l.scope}}}
}
