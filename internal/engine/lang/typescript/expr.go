package typescript

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gauntlet/internal/engine/callgraph"
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
	case "identifier", "this", "super", "shorthand_property_identifier", "import":
		x.Kind, x.Text = ir.Name, l.t.Text(n)
	case "undefined", "number", "regex", "true", "false", "null":
		x.Kind, x.Text = ir.Literal, l.t.Text(n)
	case "string":
		x.Kind, x.Text = ir.String, unquote(l.t.Text(n))
	case "template_string":
		l.lowerTemplate(x, n)
	case "member_expression":
		x.Kind, x.X, x.Text = ir.Attr, l.lowerExpr(l.t.Field(n, "object")), l.t.Text(l.t.Field(n, "property"))
	case "meta_property":
		x.Kind, x.Text = ir.Name, "import.meta"
	case "subscript_expression":
		x.Subscript(l.lowerExpr(l.t.Field(n, "object")), l.lowerExpr(l.t.Field(n, "index")))
	case "call_expression":
		l.lowerCall(x, n)
	case "new_expression":
		x.Kind, x.X = ir.New, l.lowerExpr(l.t.Field(n, "constructor"))
		l.lowerParts(x, l.t.Field(n, "arguments"))
		l.prog.Calls = append(l.prog.Calls, x)
	case "object":
		l.lowerObject(x, n)
	case "array":
		x.Kind = ir.List
		l.lowerParts(x, n)
	case "arrow_function", "function_expression", "generator_function", "function":
		x.Kind, x.Func = ir.Function, l.lowerFunction(n, nil)
		if name := l.t.Field(n, "name"); name != syntax.None {
			x.Func.Name = l.t.Text(name)
			x.Func.Scope.Bind(x.Func.Name, &ir.Binding{Func: x.Func})
		}
	case "class":
		x.Kind, x.Text, x.Scope = ir.Name, hidden, l.lowerClass(n).Scope
	case "assignment_expression":
		return l.lowerAssignment(x, n)
	case "augmented_assignment_expression":
		right := l.lowerExpr(l.t.Field(n, "right"))
		switch op := l.t.Text(l.t.Field(n, "operator")); op {
		case "||=", "??=", "&&=": // what was there, or the other
			x.Kind, x.Text = ir.Either, strings.TrimSuffix(op, "=")
			x.Args = []ir.Arg{{Value: l.lowerExpr(l.t.Field(n, "left"))}, {Value: right}}
			l.assignTarget(l.t.Field(n, "left"), x)
			return x
		case "+=": // what was there is a part of it
			x.Kind, x.Args = ir.Template, []ir.Arg{{Value: l.lowerExpr(l.t.Field(n, "left"))}, {Value: right}}
			l.assignTarget(l.t.Field(n, "left"), x)
			return x
		}
		return right
	case "binary_expression":
		l.lowerBinary(x, n)
	case "ternary_expression":
		x.Kind, x.Text, x.X = ir.Either, "?", l.lowerExpr(l.t.Field(n, "condition"))
		x.Args = []ir.Arg{{Value: l.lowerExpr(l.t.Field(n, "consequence"))}, {Value: l.lowerExpr(l.t.Field(n, "alternative"))}}
	case "await_expression", "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
		"spread_element", "yield_expression", "instantiation_expression", "expression_statement":
		return l.lowerExpr(l.t.First(n))
	case "type_assertion":
		var last *ir.Expr
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if l.t.Kind(c) != "type_arguments" {
				last = l.lowerExpr(c)
			}
		}
		return last
	case "unary_expression":
		x.Text = l.t.Text(l.t.Field(n, "operator"))
		l.lowerParts(x, n)
	case "sequence_expression":
		return l.lowerSequence(n)
	case "type_arguments", "type_annotation", "type_parameters":
		return nil
	default:
		l.lowerParts(x, n)
	}
	return x
}

func (l *lowerer) lowerParts(x *ir.Expr, n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.FieldOf(c) == "operator" {
			continue
		}
		if v := l.lowerExpr(c); v != nil {
			x.Args = append(x.Args, ir.Arg{Value: v, Spread: l.t.Kind(c) == "spread_element"})
		}
	}
}

// lowerSequence computes all parts; the last one is the value.
func (l *lowerer) lowerSequence(n syntax.Node) *ir.Expr {
	var last *ir.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if last != nil && last.Kind != ir.Literal {
			l.Do(last)
		}
		last = l.lowerExpr(c)
	}
	return last
}

// lowerTemplate reads `…${x}…`. The text between the substitutions is taken by place, since not
// every grammar has nodes for it.
func (l *lowerer) lowerTemplate(x *ir.Expr, n syntax.Node) {
	at := x.Start + 1
	text := func(end int32) {
		if at < end {
			s := &ir.Expr{Kind: ir.String, Text: unescape(string(l.t.Source[at:end])), Scope: l.scope, Start: at, End: end}
			x.Args = append(x.Args, ir.Arg{Value: s})
		}
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "template_substitution" {
			continue
		}
		text(l.t.Start(c))
		x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(l.t.First(c))})
		at = l.t.End(c)
	}
	text(x.End - 1)
	switch {
	case len(x.Args) == 0:
		x.Kind = ir.String
	case len(x.Args) == 1 && x.Args[0].Value != nil && x.Args[0].Value.Kind == ir.String:
		x.Kind, x.Text, x.Args = ir.String, x.Args[0].Value.Text, nil
	default:
		x.Kind = ir.Template
	}
}

func (l *lowerer) lowerCall(x *ir.Expr, n syntax.Node) {
	x.Kind, x.X = ir.Call, l.lowerExpr(l.t.Field(n, "function"))
	args := l.t.Field(n, "arguments")
	if x.X != nil && x.X.Kind == ir.Name && x.X.Text == "await" {
		// The grammar takes await (x).y() outside of async functions for a call.
		x.Kind, x.X = ir.Either, nil
		l.lowerParts(x, args)
		return
	}
	if x.X == nil {
		x.X = &ir.Expr{Scope: l.scope}
	}
	if l.t.Kind(args) == "template_string" { // sql`…`
		x.Args = []ir.Arg{{Value: l.lowerExpr(args)}}
	} else {
		l.lowerParts(x, args)
	}
	if name := x.X.Text; spreaders[name] || name == "assign" && x.X.X.Is(ir.Name) && x.X.X.Text == "Object" && x.Arg(0).Is(ir.Object) {
		x.Kind, x.X = ir.Object, nil
		for i := range x.Args {
			x.Args[i].Spread = true
		}
		l.prog.Objects = append(l.prog.Objects, x)
		return
	}
	l.prog.Calls = append(l.prog.Calls, x)
	l.exportCall(x)
}

// spreaders are what compilers make of { ...a, ...b }.
var spreaders = callgraph.Names("__spreadValues __spreadProps _objectSpread _object_spread _object_spread_props __assign _extends")

func (l *lowerer) lowerObject(x *ir.Expr, n syntax.Node) {
	x.Kind = ir.Object
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "pair":
			a := ir.Arg{Value: l.lowerExpr(l.t.Field(c, "value"))}
			key := l.t.Field(c, "key")
			if key != syntax.None && l.t.Kind(key) == "computed_property_name" {
				a.Key = l.lowerExpr(l.t.First(key))
				if a.Key != nil && a.Key.Kind == ir.String {
					a.Name, a.Key = a.Key.Text, nil
				}
			} else {
				a.Name = l.propertyKey(key)
			}
			if a.Value != nil && a.Value.Kind == ir.Function && a.Value.Func.Name == "" {
				a.Value.Func.Name = a.Name
			}
			x.Args = append(x.Args, a)
		case "shorthand_property_identifier":
			x.Args = append(x.Args, ir.Arg{Name: l.t.Text(c), Value: l.lowerExpr(c)})
		case "spread_element":
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(c), Spread: true})
		case "method_definition":
			f := l.lowerFunction(c, nil)
			f.Name = l.propertyKey(l.t.Field(c, "name"))
			f.Scope.Bind("this", &ir.Binding{Value: x})
			f.Getter = l.isGetter(c)
			m := &ir.Expr{Kind: ir.Function, Func: f, Scope: l.scope, Start: f.Start, End: f.End}
			x.Args = append(x.Args, ir.Arg{Name: f.Name, Value: m})
		}
	}
	l.prog.Objects = append(l.prog.Objects, x)
}

func (l *lowerer) propertyKey(n syntax.Node) string {
	if l.t.Kind(n) == "string" {
		return unquote(l.t.Text(n))
	}
	return l.t.Text(n)
}

func (l *lowerer) lowerAssignment(x *ir.Expr, n syntax.Node) *ir.Expr {
	right := l.lowerExpr(l.t.Field(n, "right"))
	left := l.t.Field(n, "left")
	if right == nil {
		return x
	}
	if right.Kind == ir.Function && right.Func.Name == "" && l.t.Kind(left) == "member_expression" {
		right.Func.Name = l.t.Text(l.t.Field(left, "property"))
	}
	if k := l.t.Kind(left); k == "subscript_expression" || k == "member_expression" && l.t.Kind(l.t.Field(left, "object")) == "call_expression" {
		l.Do(l.lowerExpr(left))
	}
	l.assignTarget(left, right)
	return right
}

func (l *lowerer) lowerBinary(x *ir.Expr, n syntax.Node) {
	left, right := l.lowerExpr(l.t.Field(n, "left")), l.lowerExpr(l.t.Field(n, "right"))
	if left == nil || right == nil {
		return
	}
	x.Args = []ir.Arg{{Value: left}, {Value: right}}
	switch x.Text = l.t.Text(l.t.Field(n, "operator")); x.Text {
	case "+":
		x.Kind, x.Text = ir.Template, ""
	case "||", "??", "&&":
		x.Kind = ir.Either
	}
}

// unquote takes the quotes and resolves the escapes.
func unquote(s string) string {
	if len(s) >= 2 {
		s = s[1 : len(s)-1]
	}
	return unescape(s)
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '\n':
		case 'x', 'u':
			i += codePoint(&b, s[i:])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// codePoint writes what \xHH, \uHHHH or \u{…} means, s beginning with the letter, and returns how much of s behind
// the letter it took.
func codePoint(b *strings.Builder, s string) int {
	digits, skip := "", 0
	switch {
	case s[0] == 'x' && len(s) >= 3:
		digits, skip = s[1:3], 2
	case strings.HasPrefix(s, "u{"):
		if end := strings.IndexByte(s, '}'); end > 0 {
			digits, skip = s[2:end], end
		}
	case len(s) >= 5:
		digits, skip = s[1:5], 4
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || v > utf8.MaxRune {
		b.WriteByte(s[0])
		return 0
	}
	b.WriteRune(rune(v))
	return skip
}
