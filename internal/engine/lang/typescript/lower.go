package typescript

import (
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

// lowerer reads the syntax of one file into a program.
type lowerer struct {
	ir.Writer
	t     *syntax.Tree
	prog  *ir.Program
	mod   *ir.Module
	scope *ir.Scope
	class *ir.Class // whose body is being read
	cases bool      // a switch is nearer than a loop, so that break ends it
	// exports says that the module offers the variables that are being declared.
	exports bool
	// yields says that yield hands out an element. In a literal it may stand for await, as compilers write it.
	yields bool
}

func lowerFile(prog *ir.Program, t *syntax.Tree, path string) *ir.Module {
	file := &ir.File{Path: path, Source: t.Source, Broken: t.Broken}
	m := prog.AddFile(file, path)
	l := &lowerer{Writer: ir.To(&m.Body), t: t, prog: prog, mod: m, scope: m.Scope}
	l.lowerBlock(0)
	return m
}

func (l *lowerer) lowerBody(n syntax.Node) []ir.Stmt { return l.Apart(func() { l.lowerStmt(n) }) }

func (l *lowerer) lowerBlock(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		l.lowerStmt(c)
	}
}

func (l *lowerer) lowerStmt(n syntax.Node) {
	switch l.t.Kind(n) {
	case "import_statement":
		l.bindImports(n)
	case "export_statement":
		l.lowerExport(n)
	case "lexical_declaration":
		l.lowerDeclarators(n, l.scope)
	case "variable_declaration":
		l.lowerDeclarators(n, l.varScope())
	case "function_declaration", "generator_function_declaration":
		f := l.lowerFunction(n, nil)
		f.Name = l.t.Text(l.t.Field(n, "name"))
		l.scope.Bind(f.Name, &ir.Binding{Func: f})
	case "class_declaration", "abstract_class_declaration":
		l.lowerClass(n)
	case "interface_declaration":
		l.lowerInterface(n)
	case "enum_declaration":
		l.lowerEnum(n)
	case "return_statement":
		l.lowerReturn(l.t.First(n))
	case "if_statement":
		l.lowerIf(n)
	case "switch_statement":
		l.lowerSwitch(n)
	case "for_in_statement":
		l.withScope(func() { l.lowerForIn(n) })
	case "catch_clause":
		l.withScope(func() {
			l.bindTarget(l.t.Field(n, "parameter"), &ir.Expr{Scope: l.scope})
			l.Maybe(ir.Catch, func() { l.lowerBlock(l.t.Field(n, "body")) })
		})
	case "try_statement":
		l.Maybe(ir.Try, func() { l.lowerStmt(l.t.Field(n, "body")) })
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if l.t.FieldOf(c) != "body" {
				l.lowerStmt(c)
			}
		}
	case "for_statement", "while_statement", "do_statement":
		l.inLoop(func() { l.withScope(func() { l.lowerBlock(n) }) })
	case "throw_statement":
		l.lowerBlock(n)
		l.Throw()
	case "statement_block":
		l.withScope(func() { l.lowerBlock(n) })
	case "finally_clause", "labeled_statement", "else_clause", "expression_statement", "ambient_declaration", "with_statement":
		l.lowerBlock(n)
	case "yield_expression":
		if x := l.lowerExpr(n); l.yields {
			l.Yield(x, strings.HasPrefix(l.t.Text(n), "yield*"))
		} else {
			l.Do(x)
		}
	case "internal_module", "module":
		l.lowerBlock(l.t.Field(n, "body"))
	case "continue_statement":
		l.Jump()
	case "break_statement":
		if !l.cases && l.t.Field(n, "label") == syntax.None {
			l.Jump()
		}
	case "type_alias_declaration", "empty_statement", "statement_identifier",
		"debugger_statement", "function_signature", "hash_bang_line", "import_alias":
	case "binary_expression", "ternary_expression":
		l.lowerChoice(n)
	default:
		l.Do(l.lowerExpr(n))
	}
}

// inLoop adds a loop whose body is what read adds.
func (l *lowerer) inLoop(read func()) {
	outer := l.cases
	l.cases = false
	l.Maybe(ir.Loop, read)
	l.cases = outer
}

// withScope reads what has names of its own: a block, a loop.
func (l *lowerer) withScope(read func()) {
	outer := l.scope
	l.scope = ir.NewScope(outer)
	read()
	l.scope = outer
}

// varScope is the scope of names declared with var: that of the function, the class or the module.
func (l *lowerer) varScope() *ir.Scope {
	s := l.scope
	for s.Func == nil && s.Class == nil && s.Up != nil {
		s = s.Up
	}
	return s
}

func (l *lowerer) lowerForIn(n syntax.Node) {
	right := l.lowerExpr(l.t.Field(n, "right"))
	l.Do(right)
	left, element, inner := l.t.Field(n, "left"), &ir.Expr{Kind: ir.Index, X: right, Scope: l.scope}, l.scope
	switch l.t.Text(l.t.Field(n, "kind")) {
	case "":
		l.assignTarget(left, element)
	case "var":
		l.scope = l.varScope()
		l.bindTarget(left, element)
		l.scope = inner
	default:
		l.bindTarget(left, element)
	}
	l.inLoop(func() { l.lowerStmt(l.t.Field(n, "body")) })
}

func (l *lowerer) lowerDeclarators(n syntax.Node, in *ir.Scope) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "variable_declarator" {
			l.lowerDeclarator(c, in)
		}
	}
}

// lowerDeclarator binds names in a scope; their values see the names around them.
func (l *lowerer) lowerDeclarator(n syntax.Node, in *ir.Scope) {
	exports := l.exports
	l.exports = false // what is declared inside of the value is not
	value := l.lowerExpr(l.t.Field(n, "value"))
	l.Do(value)
	l.exports = exports
	inner := l.scope
	l.scope = in
	defer func() { l.scope = inner }()
	name := l.t.Field(n, "name")
	if t := l.lowerType(l.t.Field(n, "type")); t != nil && (value == nil || value.Kind == ir.Other) {
		l.bindTarget(name, t)
		return
	}
	if value == nil {
		if l.t.Kind(name) == "identifier" { // so that an inner function's assignment finds it
			l.export(name)
			if _, ok := l.scope.Names[l.t.Text(name)]; !ok {
				l.scope.Names[l.t.Text(name)] = nil
			}
		}
		return
	}
	if value.Text == hidden && value.Scope.Class.Name == "" {
		value.Scope.Class.Name = l.t.Text(name)
	}
	if value.Func != nil && value.Func.Name == "" && value.Kind == ir.Function {
		value.Func.Name = l.t.Text(name)
	}
	l.bindTarget(name, value)
}

// export offers a variable that is being declared, where its declaration says so.
func (l *lowerer) export(name syntax.Node) {
	if l.exports {
		l.exportName(l.t.Text(name), l.t.Text(name))
	}
}

func (l *lowerer) bindTarget(target syntax.Node, value *ir.Expr) {
	if value == nil {
		return
	}
	switch l.t.Kind(target) {
	case "identifier", "shorthand_property_identifier_pattern":
		l.scope.Bind(l.t.Text(target), &ir.Binding{Value: value})
		l.Set(l.nameAt(target), value)
		l.export(target)
	case "object_pattern":
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.bindMember(c, value)
		}
	case "array_pattern":
		i := 0
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.bindTarget(c, &ir.Expr{Kind: ir.Index, X: value, Scope: l.scope, Start: value.Start, End: value.End,
				Args: []ir.Arg{{Value: &ir.Expr{Kind: ir.Literal, Text: strconv.Itoa(i), Scope: l.scope}}}})
			i++
		}
	case "assignment_pattern":
		l.bindTarget(l.t.Field(target, "left"), value)
	case "rest_pattern", "parenthesized_expression":
		l.bindTarget(l.t.First(target), value)
	case "lexical_declaration", "variable_declaration", "variable_declarator":
		l.bindTarget(l.t.First(target), value)
	}
}

func (l *lowerer) bindMember(c syntax.Node, value *ir.Expr) {
	member := func(name string) *ir.Expr {
		return &ir.Expr{Kind: ir.Attr, X: value, Text: name, Scope: l.scope, Start: l.t.Start(c), End: l.t.End(c)}
	}
	switch l.t.Kind(c) {
	case "shorthand_property_identifier_pattern":
		l.bindTarget(c, member(l.t.Text(c)))
	case "pair_pattern":
		l.bindTarget(l.t.Field(c, "value"), member(l.propertyKey(l.t.Field(c, "key"))))
	case "object_assignment_pattern":
		left := l.t.Field(c, "left")
		l.Do(l.lowerExpr(l.t.Field(c, "right")))
		l.bindTarget(left, member(l.t.Text(left)))
	case "rest_pattern":
		l.bindTarget(l.t.First(c), value)
	}
}

// assignTarget reads an assignment to something that exists: a variable, this.x, exports.x.
func (l *lowerer) assignTarget(target syntax.Node, value *ir.Expr) {
	switch l.t.Kind(target) {
	case "identifier":
		name := l.t.Text(target)
		l.Set(l.nameAt(target), value)
		for s := l.scope; s != nil; s = s.Up {
			if _, ok := s.Names[name]; ok {
				s.Bind(name, &ir.Binding{Value: value})
				return
			}
		}
		l.mod.Scope.Bind(name, &ir.Binding{Value: value})
	case "member_expression":
		l.Set(l.lowerExpr(target), value)
		object, name := l.t.Field(target, "object"), l.t.Text(l.t.Field(target, "property"))
		switch text := l.t.Text(object); {
		case l.t.Kind(object) == "this":
			if l.class != nil {
				l.class.Fields[name] = append(l.class.Fields[name], value)
			}
		case text == "exports" || text == "module.exports":
			l.setExport(name, value)
		case text == "module" && name == "exports":
			l.mod.Exports["="] = value
		case l.t.Kind(object) == "identifier":
			l.scope.SetMember(text, name, value)
		}
	case "subscript_expression":
		x := l.lowerExpr(target)
		l.Set(x, value)
		l.scope.SetElement(x, value)
	default:
		l.bindTarget(target, value)
	}
}

func (l *lowerer) nameAt(n syntax.Node) *ir.Expr {
	return &ir.Expr{Kind: ir.Name, Text: l.t.Text(n), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
}

// lowerFunction reads parameters and body of a function, a method or an arrow.
func (l *lowerer) lowerFunction(n syntax.Node, method *ir.Class) *ir.Func {
	f := &ir.Func{Class: method, Start: l.t.Start(n), End: l.t.End(n), Scope: ir.NewScope(l.scope)}
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer, inner.yields = f.Scope, ir.To(&f.Body), l.t.Kind(n) != "generator_function"
	if method != nil {
		p := &ir.Param{Name: "this", Index: -1, Func: f}
		f.Params = append(f.Params, p)
		f.Scope.Bind("this", &ir.Binding{Param: p})
	}
	if p := l.t.Field(n, "parameter"); p != syntax.None { // x => …
		inner.lowerParam(f, p, p, 0)
	} else if ps := l.t.Field(n, "parameters"); ps != syntax.None {
		index := 0
		for c := l.t.First(ps); c != syntax.None; c = l.t.Next(c) {
			if k := l.t.Kind(c); k == "decorator" || k == "required_parameter" && l.t.Kind(l.t.Field(c, "pattern")) == "this" {
				continue // f(this: Server, path: string) says of what type "this" is: no argument is for it
			}
			inner.lowerParam(f, c, c, index)
			index++
		}
	}
	if r := l.lowerType(l.t.Field(n, "return_type")); r != nil {
		f.Result = []*ir.Expr{r}
	}
	f.Broken = l.t.HasError(n)
	body := l.t.Field(n, "body")
	if body == syntax.None {
		f.Abstract = true
	} else if l.t.Kind(body) == "statement_block" {
		inner.lowerBlock(body)
	} else {
		f.Lambda = true
		x := inner.lowerExpr(body)
		f.Body = append(f.Body, ir.Stmt{Step: ir.Return, X: x})
	}
	l.prog.Funcs = append(l.prog.Funcs, f)
	return f
}

// lowerParam reads a parameter; one that takes its argument apart has a name that nobody can write.
func (l *lowerer) lowerParam(f *ir.Func, n, pattern syntax.Node, index int) {
	p := &ir.Param{Index: index, Func: f}
	property := false
	switch l.t.Kind(n) {
	case "required_parameter", "optional_parameter":
		pattern = l.t.Field(n, "pattern")
		p.Type = l.lowerType(l.t.Field(n, "type"))
		p.Value = l.lowerExpr(l.t.Field(n, "value"))
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			property = property || l.t.Kind(c) == "accessibility_modifier" || l.t.Kind(c) == "override_modifier"
		}
		property = property || strings.HasPrefix(l.t.Text(n), "readonly ")
	case "assignment_pattern":
		pattern = l.t.Field(n, "left")
		p.Value = l.lowerExpr(l.t.Field(n, "right"))
	case "rest_pattern":
		p.Rest, pattern = true, l.t.First(n)
	}
	if pattern == syntax.None {
		return
	}
	if l.t.Kind(pattern) == "rest_pattern" {
		p.Rest, pattern = true, l.t.First(pattern)
	}
	f.Params = append(f.Params, p)
	if l.t.Kind(pattern) == "identifier" {
		p.Name = l.t.Text(pattern)
		l.scope.Bind(p.Name, &ir.Binding{Param: p})
		if property && l.class != nil {
			value := &ir.Expr{Kind: ir.Name, Text: p.Name, Scope: l.scope, Start: l.t.Start(pattern), End: l.t.End(pattern)}
			l.class.Fields[p.Name] = append(l.class.Fields[p.Name], value)
			this := &ir.Expr{Kind: ir.Name, Text: "this", Scope: l.scope, Start: value.Start, End: value.End}
			l.Set(&ir.Expr{Kind: ir.Attr, Text: p.Name, X: this, Scope: l.scope, Start: value.Start, End: value.End}, value)
		}
		return
	}
	p.Name = "\x00" + strconv.Itoa(index)
	l.scope.Bind(p.Name, &ir.Binding{Param: p})
	l.bindTarget(pattern, &ir.Expr{Kind: ir.Name, Text: p.Name, Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)})
}
