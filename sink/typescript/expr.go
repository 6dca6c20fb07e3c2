package typescript

import (
	"strconv"
	"strings"
	"unicode/utf8"

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
	case "identifier", "this", "super", "shorthand_property_identifier", "import":
		x.Kind, x.Text = program.Name, l.t.Text(n)
	case "undefined", "number", "regex", "true", "false", "null":
		x.Kind, x.Text = program.Literal, l.t.Text(n)
	case "string":
		x.Kind, x.Text = program.String, unquote(l.t.Text(n))
	case "template_string":
		l.template(x, n)
	case "member_expression":
		x.Kind, x.X, x.Text = program.Attr, l.expr(l.t.Field(n, "object")), l.t.Text(l.t.Field(n, "property"))
	case "meta_property":
		x.Kind, x.Text = program.Name, "import.meta"
	case "subscript_expression":
		l.subscript(x, n)
	case "call_expression":
		l.call(x, n)
	case "new_expression":
		x.Kind, x.X = program.New, l.expr(l.t.Field(n, "constructor"))
		l.args(x, l.t.Field(n, "arguments"))
		l.prog.Calls = append(l.prog.Calls, x)
	case "object":
		l.object(x, n)
	case "array":
		x.Kind = program.List
		l.parts(x, n)
	case "arrow_function", "function_expression", "generator_function", "function":
		x.Kind, x.Func = program.Function, l.function(n, nil)
		if name := l.t.Field(n, "name"); name != syntax.None {
			x.Func.Name = l.t.Text(name)
			x.Func.Scope.Bind(x.Func.Name, &program.Binding{Func: x.Func})
		}
	case "class":
		l.classValue(x, n)
	case "assignment_expression":
		return l.assignment(x, n)
	case "augmented_assignment_expression":
		right := l.expr(l.t.Field(n, "right"))
		if op := l.t.Text(l.t.Field(n, "operator")); op == "||=" || op == "??=" || op == "&&=" {
			l.set(l.t.Field(n, "left"), right)
		}
		return right
	case "binary_expression":
		l.binary(x, n)
	case "ternary_expression":
		x.Kind = program.Either
		l.Do(l.expr(l.t.Field(n, "condition")))
		x.Args = []program.Arg{{Value: l.expr(l.t.Field(n, "consequence"))}, {Value: l.expr(l.t.Field(n, "alternative"))}}
	case "await_expression", "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression",
		"spread_element", "yield_expression", "instantiation_expression", "expression_statement":
		return l.expr(l.t.First(n))
	case "type_assertion":
		var last *program.Expr
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if l.t.Kind(c) != "type_arguments" {
				last = l.expr(c)
			}
		}
		return last
	case "sequence_expression":
		return l.sequence(n)
	case "type_arguments", "type_annotation", "type_parameters":
		return nil
	default:
		l.parts(x, n)
	}
	return x
}

func (l *lowerer) parts(x *program.Expr, n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.FieldOf(c) == "operator" {
			continue
		}
		if v := l.expr(c); v != nil {
			x.Args = append(x.Args, program.Arg{Value: v, Spread: l.t.Kind(c) == "spread_element"})
		}
	}
}

// sequence computes all parts; the last one is the value.
func (l *lowerer) sequence(n syntax.Node) *program.Expr {
	var last *program.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if last != nil && last.Kind != program.Literal {
			l.Do(last)
		}
		last = l.expr(c)
	}
	return last
}

// template reads `…${x}…`. The text between the substitutions is taken by place, since not
// every grammar has nodes for it.
func (l *lowerer) template(x *program.Expr, n syntax.Node) {
	at := x.Start + 1
	text := func(end int32) {
		if at < end {
			s := &program.Expr{Kind: program.String, Text: unescape(string(l.t.Source[at:end])), Scope: l.scope, Start: at, End: end}
			x.Args = append(x.Args, program.Arg{Value: s})
		}
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) != "template_substitution" {
			continue
		}
		text(l.t.Start(c))
		x.Args = append(x.Args, program.Arg{Value: l.expr(l.t.First(c))})
		at = l.t.End(c)
	}
	text(x.End - 1)
	switch {
	case len(x.Args) == 0:
		x.Kind = program.String
	case len(x.Args) == 1 && x.Args[0].Value != nil && x.Args[0].Value.Kind == program.String:
		x.Kind, x.Text, x.Args = program.String, x.Args[0].Value.Text, nil
	default:
		x.Kind = program.Template
	}
}

func (l *lowerer) subscript(x *program.Expr, n syntax.Node) {
	x.X = l.expr(l.t.Field(n, "object"))
	key := l.expr(l.t.Field(n, "index"))
	if key != nil && key.Kind == program.String {
		x.Kind, x.Text = program.Attr, key.Text
		return
	}
	x.Kind = program.Index
	if key != nil {
		x.Args = []program.Arg{{Value: key}}
	}
}

func (l *lowerer) call(x *program.Expr, n syntax.Node) {
	x.Kind, x.X = program.Call, l.expr(l.t.Field(n, "function"))
	args := l.t.Field(n, "arguments")
	if x.X != nil && x.X.Kind == program.Name && x.X.Text == "await" {
		// The grammar takes await (x).y() outside of async functions for a call.
		x.Kind, x.X = program.Either, nil
		l.args(x, args)
		return
	}
	if x.X == nil {
		x.X = &program.Expr{Scope: l.scope}
	}
	if args != syntax.None && l.t.Kind(args) == "template_string" { // sql`…`
		x.Args = []program.Arg{{Value: l.expr(args)}}
	} else {
		l.args(x, args)
	}
	l.prog.Calls = append(l.prog.Calls, x)
	l.exportCall(x)
}

func (l *lowerer) args(x *program.Expr, n syntax.Node) {
	if n == syntax.None {
		return
	}
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if v := l.expr(c); v != nil {
			x.Args = append(x.Args, program.Arg{Value: v, Spread: l.t.Kind(c) == "spread_element"})
		}
	}
}

func (l *lowerer) object(x *program.Expr, n syntax.Node) {
	x.Kind = program.Object
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "pair":
			a := program.Arg{Value: l.expr(l.t.Field(c, "value"))}
			key := l.t.Field(c, "key")
			if key != syntax.None && l.t.Kind(key) == "computed_property_name" {
				a.Key = l.expr(l.t.First(key))
				if a.Key != nil && a.Key.Kind == program.String {
					a.Name, a.Key = a.Key.Text, nil
				}
			} else {
				a.Name = l.key(key)
			}
			if a.Value != nil && a.Value.Kind == program.Function && a.Value.Func.Name == "" {
				a.Value.Func.Name = a.Name
			}
			x.Args = append(x.Args, a)
		case "shorthand_property_identifier":
			x.Args = append(x.Args, program.Arg{Name: l.t.Text(c), Value: l.expr(c)})
		case "spread_element":
			x.Args = append(x.Args, program.Arg{Value: l.expr(c), Spread: true})
		case "method_definition":
			f := l.function(c, nil)
			f.Name = l.key(l.t.Field(c, "name"))
			f.Scope.Bind("this", &program.Binding{Value: x})
			f.Getter = l.getter(c)
			m := &program.Expr{Kind: program.Function, Func: f, Scope: l.scope, Start: f.Start, End: f.End}
			x.Args = append(x.Args, program.Arg{Name: f.Name, Value: m})
		}
	}
	l.prog.Objects = append(l.prog.Objects, x)
}

// key is the text of a property's name.
func (l *lowerer) key(n syntax.Node) string {
	if n == syntax.None {
		return ""
	}
	if l.t.Kind(n) == "string" {
		return unquote(l.t.Text(n))
	}
	return l.t.Text(n)
}

func (l *lowerer) classValue(x *program.Expr, n syntax.Node) {
	c := l.classDef(n)
	x.Kind, x.Text = program.Name, hidden
	x.Scope = c.Scope
}

func (l *lowerer) assignment(x *program.Expr, n syntax.Node) *program.Expr {
	right := l.expr(l.t.Field(n, "right"))
	left := l.t.Field(n, "left")
	if right == nil {
		return x
	}
	if right.Kind == program.Function && right.Func.Name == "" && l.t.Kind(left) == "member_expression" {
		right.Func.Name = l.t.Text(l.t.Field(left, "property"))
	}
	if k := l.t.Kind(left); k == "subscript_expression" || k == "member_expression" && l.t.Kind(l.t.Field(left, "object")) == "call_expression" {
		l.Do(l.expr(left))
	}
	l.set(left, right)
	return right
}

func (l *lowerer) binary(x *program.Expr, n syntax.Node) {
	left, right := l.expr(l.t.Field(n, "left")), l.expr(l.t.Field(n, "right"))
	if left == nil || right == nil {
		return
	}
	x.Args = []program.Arg{{Value: left}, {Value: right}}
	switch l.t.Text(l.t.Field(n, "operator")) {
	case "+":
		x.Kind = program.Template
	case "||", "??", "&&":
		x.Kind = program.Either
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
