package typescript

import (
	"strconv"
	"strings"

	"gauntlet/internal/program"
	"gauntlet/internal/syntax"
)

// lowerer reads the syntax of one file into a program.
type lowerer struct {
	program.Writer
	t     *syntax.Tree
	prog  *program.Program
	file  *program.File
	mod   *program.Module
	scope *program.Scope
	class *program.Class // whose body is being read
}

func lower(prog *program.Program, t *syntax.Tree, path string) *program.Module {
	file := &program.File{Path: path, Source: t.Source, Broken: t.Broken}
	m := prog.AddFile(file, path)
	l := &lowerer{Writer: program.To(&m.Body), t: t, prog: prog, file: file, mod: m, scope: m.Scope}
	l.block(0)
	return m
}

func (l *lowerer) body(n syntax.Node) []program.Stmt {
	if n == syntax.None {
		return nil
	}
	return l.Apart(func() { l.stmt(n) })
}

func (l *lowerer) block(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		l.stmt(c)
	}
}

func (l *lowerer) stmt(n syntax.Node) {
	switch l.t.Kind(n) {
	case "import_statement":
		l.imports(n)
	case "export_statement":
		l.exports(n)
	case "lexical_declaration":
		l.declarators(n, l.scope)
	case "variable_declaration":
		l.declarators(n, l.home())
	case "function_declaration", "generator_function_declaration":
		f := l.function(n, nil)
		f.Name = l.t.Text(l.t.Field(n, "name"))
		l.scope.Bind(f.Name, &program.Binding{Func: f})
	case "class_declaration", "abstract_class_declaration":
		l.classDef(n)
	case "interface_declaration":
		l.interfaceDef(n)
	case "enum_declaration":
		l.enum(n)
	case "return_statement":
		x := l.expr(l.t.First(n))
		l.Return(x)
	case "if_statement":
		l.ifs(n)
	case "switch_statement":
		l.switches(n)
	case "for_in_statement":
		l.scoped(func() { l.forIn(n) })
	case "catch_clause":
		l.scoped(func() {
			l.assign(l.t.Field(n, "parameter"), &program.Expr{Scope: l.scope})
			l.Maybe(func() { l.block(l.t.Field(n, "body")) })
		})
	case "try_statement": // it may end anywhere
		l.Maybe(func() { l.stmt(l.t.Field(n, "body")) })
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if l.t.FieldOf(c) != "body" {
				l.stmt(c)
			}
		}
	case "for_statement", "while_statement", "do_statement":
		l.Maybe(func() { l.scoped(func() { l.block(n) }) })
	case "throw_statement":
		l.block(n)
		l.Return(nil)
	case "statement_block":
		l.scoped(func() { l.block(n) })
	case "finally_clause", "labeled_statement", "else_clause", "expression_statement", "ambient_declaration", "with_statement":
		l.block(n)
	case "internal_module", "module":
		l.block(l.t.Field(n, "body"))
	case "type_alias_declaration", "empty_statement", "break_statement", "continue_statement", "statement_identifier",
		"debugger_statement", "function_signature", "hash_bang_line", "import_alias":
	default:
		l.Do(l.expr(n))
	}
}

// scoped reads what has names of its own: a block, a loop.
func (l *lowerer) scoped(read func()) {
	outer := l.scope
	l.scope = program.NewScope(outer)
	read()
	l.scope = outer
}

// home is the scope of names declared with var: that of the function, the class or the module.
func (l *lowerer) home() *program.Scope {
	s := l.scope
	for s.Func == nil && s.Class == nil && s.Up != nil {
		s = s.Up
	}
	return s
}

func (l *lowerer) forIn(n syntax.Node) {
	right := l.expr(l.t.Field(n, "right"))
	l.Do(right)
	left, element, inner := l.t.Field(n, "left"), &program.Expr{Kind: program.Index, X: right, Scope: l.scope}, l.scope
	switch l.t.Text(l.t.Field(n, "kind")) {
	case "":
		l.set(left, element)
	case "var":
		l.scope = l.home()
		l.assign(left, element)
		l.scope = inner
	default:
		l.assign(left, element)
	}
	l.Maybe(func() { l.stmt(l.t.Field(n, "body")) })
}

func (l *lowerer) declarators(n syntax.Node, in *program.Scope) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "variable_declarator" {
			l.declare(c, in)
		}
	}
}

// declare binds names in a scope; their values see the names around them.
func (l *lowerer) declare(n syntax.Node, in *program.Scope) {
	value := l.expr(l.t.Field(n, "value"))
	l.Do(value)
	inner := l.scope
	l.scope = in
	defer func() { l.scope = inner }()
	name := l.t.Field(n, "name")
	if t := l.typ(l.t.Field(n, "type")); t != nil && (value == nil || value.Kind == program.Other) {
		l.assign(name, t)
		return
	}
	if value == nil {
		if l.t.Kind(name) == "identifier" { // so that an inner function's assignment finds it
			if _, ok := l.scope.Names[l.t.Text(name)]; !ok {
				l.scope.Names[l.t.Text(name)] = nil
			}
		}
		return
	}
	if value.Text == hidden && value.Scope.Class.Name == "" {
		value.Scope.Class.Name = l.t.Text(name)
	}
	if value.Func != nil && value.Func.Name == "" && value.Kind == program.Function {
		value.Func.Name = l.t.Text(name)
	}
	l.assign(name, value)
}

// assign binds the names of a pattern.
func (l *lowerer) assign(target syntax.Node, value *program.Expr) {
	if target == syntax.None || value == nil {
		return
	}
	switch l.t.Kind(target) {
	case "identifier", "shorthand_property_identifier_pattern":
		l.scope.Bind(l.t.Text(target), &program.Binding{Value: value})
	case "object_pattern":
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.assignMember(c, value)
		}
	case "array_pattern":
		i := 0
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.assign(c, &program.Expr{Kind: program.Index, X: value, Scope: l.scope, Start: value.Start, End: value.End,
				Args: []program.Arg{{Value: &program.Expr{Kind: program.Literal, Text: strconv.Itoa(i), Scope: l.scope}}}})
			i++
		}
	case "assignment_pattern":
		l.assign(l.t.Field(target, "left"), value)
	case "rest_pattern", "parenthesized_expression":
		l.assign(l.t.First(target), value)
	case "lexical_declaration", "variable_declaration", "variable_declarator":
		l.assign(l.t.First(target), value)
	}
}

func (l *lowerer) assignMember(c syntax.Node, value *program.Expr) {
	member := func(name string) *program.Expr {
		return &program.Expr{Kind: program.Attr, X: value, Text: name, Scope: l.scope, Start: l.t.Start(c), End: l.t.End(c)}
	}
	switch l.t.Kind(c) {
	case "shorthand_property_identifier_pattern":
		l.assign(c, member(l.t.Text(c)))
	case "pair_pattern":
		l.assign(l.t.Field(c, "value"), member(l.key(l.t.Field(c, "key"))))
	case "object_assignment_pattern":
		left := l.t.Field(c, "left")
		l.Do(l.expr(l.t.Field(c, "right")))
		l.assign(left, member(l.t.Text(left)))
	case "rest_pattern":
		l.assign(l.t.First(c), value)
	}
}

// set reads an assignment to something that exists: a variable, this.x, exports.x.
func (l *lowerer) set(target syntax.Node, value *program.Expr) {
	switch l.t.Kind(target) {
	case "identifier":
		name := l.t.Text(target)
		for s := l.scope; s != nil; s = s.Up {
			if _, ok := s.Names[name]; ok {
				s.Bind(name, &program.Binding{Value: value})
				return
			}
		}
		l.mod.Scope.Bind(name, &program.Binding{Value: value})
	case "member_expression":
		object, name := l.t.Field(target, "object"), l.t.Text(l.t.Field(target, "property"))
		switch text := l.t.Text(object); {
		case l.t.Kind(object) == "this":
			if l.class != nil {
				l.class.Fields[name] = append(l.class.Fields[name], value)
			}
		case text == "exports" || text == "module.exports":
			l.export(name, value)
		case text == "module" && name == "exports":
			l.mod.Exports["="] = value
		case l.t.Kind(object) == "identifier":
			l.setMember(text, name, value)
		}
	case "subscript_expression":
		if key := l.expr(l.t.Field(target, "index")); key != nil && key.Kind == program.String && l.t.Kind(l.t.Field(target, "object")) == "identifier" {
			l.setMember(l.t.Text(l.t.Field(target, "object")), key.Text, value)
		}
	default:
		l.assign(target, value)
	}
}

// setMember adds name.member = value to the object that the name was given.
func (l *lowerer) setMember(name, member string, value *program.Expr) {
	bindings, _ := l.scope.Find(name)
	for _, b := range bindings {
		if b.Value != nil && b.Value.Kind == program.Object {
			b.Value.Args = append(b.Value.Args, program.Arg{Name: member, Value: value})
			return
		}
		if b.Class != nil { // static members written behind the class
			b.Class.Fields[member] = append(b.Class.Fields[member], value)
			return
		}
	}
}

// function reads parameters and body of a function, a method or an arrow.
func (l *lowerer) function(n syntax.Node, method *program.Class) *program.Func {
	f := &program.Func{Class: method, Start: l.t.Start(n), End: l.t.End(n), Scope: program.NewScope(l.scope)}
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer = f.Scope, program.To(&f.Body)
	if method != nil {
		p := &program.Param{Name: "this", Index: -1, Func: f}
		f.Params = append(f.Params, p)
		f.Scope.Bind("this", &program.Binding{Param: p})
	}
	if p := l.t.Field(n, "parameter"); p != syntax.None { // x => …
		inner.param(f, p, p, 0)
	} else if ps := l.t.Field(n, "parameters"); ps != syntax.None {
		index := 0
		for c := l.t.First(ps); c != syntax.None; c = l.t.Next(c) {
			if k := l.t.Kind(c); k == "decorator" {
				continue
			}
			inner.param(f, c, c, index)
			index++
		}
	}
	if r := l.typ(l.t.Field(n, "return_type")); r != nil {
		f.Result = []*program.Expr{r}
	}
	f.Broken = l.t.HasError(n)
	body := l.t.Field(n, "body")
	if body == syntax.None {
		f.Abstract = true
	} else if l.t.Kind(body) == "statement_block" {
		inner.block(body)
	} else {
		f.Lambda = true
		x := inner.expr(body)
		f.Body = append(f.Body, program.Stmt{Step: program.Return, X: x})
	}
	l.prog.Funcs = append(l.prog.Funcs, f)
	return f
}

// param reads a parameter; one that takes its argument apart has a name that nobody can write.
func (l *lowerer) param(f *program.Func, n, pattern syntax.Node, index int) {
	p := &program.Param{Index: index, Func: f}
	property := false
	switch l.t.Kind(n) {
	case "required_parameter", "optional_parameter":
		pattern = l.t.Field(n, "pattern")
		p.Type = l.typ(l.t.Field(n, "type"))
		p.Value = l.expr(l.t.Field(n, "value"))
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			property = property || l.t.Kind(c) == "accessibility_modifier" || l.t.Kind(c) == "override_modifier"
		}
		property = property || strings.HasPrefix(l.t.Text(n), "readonly ")
	case "assignment_pattern":
		pattern = l.t.Field(n, "left")
		p.Value = l.expr(l.t.Field(n, "right"))
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
	if k := l.t.Kind(pattern); k == "identifier" || k == "this" {
		p.Name = l.t.Text(pattern)
		l.scope.Bind(p.Name, &program.Binding{Param: p})
		if property && l.class != nil {
			l.class.Fields[p.Name] = append(l.class.Fields[p.Name], &program.Expr{Kind: program.Name, Text: p.Name, Scope: l.scope})
		}
		return
	}
	p.Name = "\x00" + strconv.Itoa(index)
	l.scope.Bind(p.Name, &program.Binding{Param: p})
	l.assign(pattern, &program.Expr{Kind: program.Name, Text: p.Name, Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)})
}
