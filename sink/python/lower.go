package python

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
	scope *program.Scope
	class *program.Class // whose method is being read
	self  string         // the name of its receiver
}

// lower adds the module of a file to the program.
func lower(prog *program.Program, t *syntax.Tree, path string) *program.Module {
	file := &program.File{Path: path, Source: t.Source, Broken: t.Broken}
	m := prog.AddFile(file, moduleName(path))
	l := &lowerer{Writer: program.To(&m.Body), t: t, prog: prog, file: file, scope: m.Scope}
	l.block(0)
	return m
}

// body reads statements into a list of their own.
func (l *lowerer) body(n syntax.Node) []program.Stmt {
	if n == syntax.None {
		return nil
	}
	return l.Apart(func() {
		if k := l.t.Kind(n); k == "block" || k == "module" {
			l.block(n)
		} else {
			l.stmt(n)
		}
	})
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
	case "import_from_statement":
		l.importsFrom(n)
	case "function_definition":
		l.function(n, nil)
	case "class_definition":
		l.classDef(n)
	case "decorated_definition":
		l.decorated(n)
	case "return_statement":
		l.Return(l.expr(l.t.First(n)))
	case "if_statement":
		l.ifs(n)
	case "match_statement":
		l.match(n)
	case "for_statement":
		right := l.expr(l.t.Field(n, "right"))
		l.Do(right)
		l.assign(l.t.Field(n, "left"), &program.Expr{Kind: program.Index, X: right, Scope: l.scope})
		l.Maybe(func() { l.clauses(n) })
	case "while_statement":
		l.Maybe(func() { l.clauses(n) })
	case "raise_statement":
		l.clauses(n)
		l.Return(nil)
	case "with_statement":
		l.with(n)
	case "expression_statement":
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			l.Do(l.expr(c))
		}
	case "global_statement", "nonlocal_statement", "pass_statement", "future_import_statement":
	default:
		l.clauses(n)
	}
}

// clauses reads the parts of a statement whose own meaning does not matter.
func (l *lowerer) clauses(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch field := l.t.FieldOf(c); {
		case l.t.Kind(c) == "block" && l.t.Kind(n) == "try_statement":
			l.Maybe(func() { l.block(c) }) // it may end anywhere
		case l.t.Kind(c) == "block":
			l.block(c)
		case strings.HasPrefix(l.t.Kind(c), "except"):
			l.Maybe(func() { l.clauses(c) })
		case strings.HasSuffix(l.t.Kind(c), "_clause"):
			l.clauses(c)
		case strings.HasSuffix(l.t.Kind(c), "_statement") || strings.HasSuffix(l.t.Kind(c), "_definition"):
			l.stmt(c)
		case field != "left" && field != "right":
			l.Do(l.expr(c))
		}
	}
}

func (l *lowerer) imports(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		name, alias := l.t.Text(c), ""
		if l.t.Kind(c) == "aliased_import" {
			name, alias = l.t.Text(l.t.Field(c, "name")), l.t.Text(l.t.Field(c, "alias"))
		}
		module := name
		if alias == "" { // import a.b binds a
			alias, _, _ = strings.Cut(name, ".")
			module = alias
		}
		l.scope.Bind(alias, &program.Binding{Import: &program.Import{Module: module, Scope: l.scope, Start: l.t.Start(c)}})
	}
}

func (l *lowerer) importsFrom(n syntax.Node) {
	module := l.t.Text(l.t.Field(n, "module_name"))
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "wildcard_import" {
			if m := l.scope.Module; m != nil {
				m.All = append(m.All, &program.Import{Module: module, Scope: l.scope})
			}
			continue
		}
		if l.t.FieldOf(c) != "name" {
			continue
		}
		name := l.t.Text(c)
		alias := name
		if l.t.Kind(c) == "aliased_import" {
			name, alias = l.t.Text(l.t.Field(c, "name")), l.t.Text(l.t.Field(c, "alias"))
		}
		l.scope.Bind(alias, &program.Binding{Import: &program.Import{Module: module, Member: name, Scope: l.scope, Start: l.t.Start(c)}})
	}
}

func (l *lowerer) decorated(n syntax.Node) {
	var decorators []*program.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "decorator":
			decorators = append(decorators, l.expr(l.t.First(c)))
		case "function_definition":
			l.function(c, decorators)
		case "class_definition":
			l.classDef(c)
		}
	}
}

// function reads def; a method's receiver becomes the parameter with the index -1.
func (l *lowerer) function(n syntax.Node, decorators []*program.Expr) {
	f := &program.Func{Name: l.t.Text(l.t.Field(n, "name")), Decorators: decorators, Start: l.t.Start(n), End: l.t.End(n)}
	up, inClass := l.scope, l.scope.Class
	if inClass != nil {
		up = inClass.Scope.Up // a method does not see the names of its class
		f.Class = inClass
		inClass.Methods[f.Name] = f
	} else {
		l.scope.Bind(f.Name, &program.Binding{Func: f})
	}
	f.Scope = program.NewScope(up)
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer = f.Scope, program.To(&f.Body)
	if inClass != nil {
		inner.class, inner.self = inClass, ""
	}
	inner.params(f, l.t.Field(n, "parameters"), inClass != nil && !static(decorators))
	if r := l.t.Field(n, "return_type"); r != syntax.None {
		f.Result = []*program.Expr{l.typ(r)}
	}
	f.Getter = inClass != nil && property(decorators)
	f.Broken = l.t.HasError(n)
	inner.block(l.t.Field(n, "body"))
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func static(decorators []*program.Expr) bool {
	for _, d := range decorators {
		if d.Kind == program.Name && d.Text == "staticmethod" {
			return true
		}
	}
	return false
}

func property(decorators []*program.Expr) bool {
	for _, d := range decorators {
		switch d.Text {
		case "property", "cached_property", "computed_field":
			return true
		}
	}
	return false
}

func (l *lowerer) params(f *program.Func, n syntax.Node, method bool) {
	if n == syntax.None {
		return
	}
	index := 0
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		p := &program.Param{Index: index, Func: f}
		name := c
		switch l.t.Kind(c) {
		case "identifier":
		case "default_parameter", "typed_default_parameter":
			name = l.t.Field(c, "name")
			p.Value = l.expr(l.t.Field(c, "value"))
			p.Type = l.typ(l.t.Field(c, "type"))
		case "typed_parameter":
			name = l.t.First(c)
			p.Type = l.typ(l.t.Field(c, "type"))
		case "list_splat_pattern", "dictionary_splat_pattern":
			p.Rest = true
			name = l.t.First(c)
		default:
			continue
		}
		if name != syntax.None && strings.HasSuffix(l.t.Kind(name), "splat_pattern") {
			p.Rest, name = true, l.t.First(name)
		}
		p.Name = l.t.Text(name)
		if method && len(f.Params) == 0 && !p.Rest {
			p.Index, l.self = -1, p.Name
		} else {
			index++
		}
		f.Params = append(f.Params, p)
		l.scope.Bind(p.Name, &program.Binding{Param: p})
	}
}

// typ reads an annotation: what is named in it, through Optional, Union and Annotated.
func (l *lowerer) typ(n syntax.Node) *program.Expr {
	if n == syntax.None {
		return nil
	}
	x := l.expr(n)
	return &program.Expr{Kind: program.Type, X: named(x), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
}

func named(x *program.Expr) *program.Expr {
	if x == nil {
		return nil
	}
	switch x.Kind {
	case program.Index:
		switch x.X.Text {
		case "Optional", "Union", "Annotated":
			out := &program.Expr{Kind: program.Either, Scope: x.Scope}
			for _, a := range x.Args {
				out.Args = append(out.Args, program.Arg{Value: named(a.Value)})
			}
			return out
		}
		return x.X
	case program.Other, program.Either, program.List: // A | B
		out := &program.Expr{Kind: program.Either, Scope: x.Scope}
		for _, a := range x.Args {
			out.Args = append(out.Args, program.Arg{Value: named(a.Value)})
		}
		return out
	case program.Name, program.Attr:
		return x
	}
	return nil
}

func (l *lowerer) classDef(n syntax.Node) {
	c := &program.Class{Name: l.t.Text(l.t.Field(n, "name")), Methods: map[string]*program.Func{}, Fields: map[string][]*program.Expr{}, Start: l.t.Start(n)}
	l.scope.Bind(c.Name, &program.Binding{Class: c})
	if s := l.t.Field(n, "superclasses"); s != syntax.None {
		for b := l.t.First(s); b != syntax.None; b = l.t.Next(b) {
			if l.t.Kind(b) != "keyword_argument" {
				c.Bases = append(c.Bases, l.expr(b))
			}
		}
	}
	c.Scope = program.NewScope(l.scope)
	c.Scope.Class = c
	inner := *l
	inner.scope = c.Scope
	inner.block(l.t.Field(n, "body"))
	for name, bindings := range c.Scope.Names {
		for _, b := range bindings {
			if b.Value != nil {
				c.Fields[name] = append(c.Fields[name], b.Value)
			}
		}
	}
	l.prog.Classes = append(l.prog.Classes, c)
}

// assign binds the names of a target, and the fields of self.
func (l *lowerer) assign(target syntax.Node, value *program.Expr) {
	if target == syntax.None || value == nil {
		return
	}
	switch l.t.Kind(target) {
	case "identifier":
		l.scope.Bind(l.t.Text(target), &program.Binding{Value: value})
	case "attribute":
		object := l.t.Field(target, "object")
		name := l.t.Text(l.t.Field(target, "attribute"))
		if l.class != nil && l.t.Text(object) == l.self && l.self != "" {
			l.class.Fields[name] = append(l.class.Fields[name], value)
		}
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		i := 0
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.assign(c, &program.Expr{Kind: program.Index, X: value, Scope: l.scope, Start: value.Start, End: value.End,
				Args: []program.Arg{{Value: &program.Expr{Kind: program.Literal, Text: strconv.Itoa(i), Scope: l.scope}}}})
			i++
		}
	case "subscript": // table["x"] = f
		l.store(target, value)
	case "as_pattern_target", "parenthesized_expression":
		l.assign(l.t.First(target), value)
	}
}

// store adds table[key] = value to what the name can stand for.
func (l *lowerer) store(target syntax.Node, value *program.Expr) {
	object := l.t.Field(target, "value")
	if l.t.Kind(object) != "identifier" {
		return
	}
	key := l.expr(l.t.Field(target, "subscript"))
	if key == nil || key.Kind != program.String {
		return
	}
	made := &program.Expr{Kind: program.Object, Scope: l.scope, Start: value.Start, End: value.End, Args: []program.Arg{{Name: key.Text, Value: value}}}
	if bindings, at := l.scope.Find(l.t.Text(object)); at != nil {
		for _, b := range bindings {
			if b.Value != nil && b.Value.Kind == program.Object {
				b.Value.Args = append(b.Value.Args, made.Args...)
				return
			}
		}
	}
}

func (l *lowerer) with(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "with_clause" {
			for item := l.t.First(c); item != syntax.None; item = l.t.Next(item) {
				l.withItem(l.t.Field(item, "value"))
			}
		}
	}
	l.block(l.t.Field(n, "body"))
}

func (l *lowerer) withItem(n syntax.Node) {
	if n == syntax.None {
		return
	}
	if l.t.Kind(n) != "as_pattern" {
		l.Do(l.expr(n))
		return
	}
	value := l.expr(l.t.First(n))
	l.Do(value)
	l.assign(l.t.Field(n, "alias"), value)
}
