package python

import (
	"slices"
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
	scope *ir.Scope
	class *ir.Class // whose method is being read
	self  string    // the name of its receiver
}

func lowerFile(prog *ir.Program, t *syntax.Tree, path string) *ir.Module {
	file := &ir.File{Path: path, Source: t.Source, Broken: t.Broken}
	m := prog.AddFile(file, moduleName(path))
	l := &lowerer{Writer: ir.To(&m.Body), t: t, prog: prog, scope: m.Scope}
	l.lowerBlock(0)
	return m
}

// lowerBody reads statements into a list of their own.
func (l *lowerer) lowerBody(n syntax.Node) []ir.Stmt {
	return l.Apart(func() {
		if k := l.t.Kind(n); k == "block" || k == "module" {
			l.lowerBlock(n)
		} else {
			l.lowerStmt(n)
		}
	})
}

func (l *lowerer) lowerBlock(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		l.lowerStmt(c)
	}
}

func (l *lowerer) lowerStmt(n syntax.Node) {
	switch l.t.Kind(n) {
	case "import_statement":
		l.bindImports(n)
	case "import_from_statement":
		l.bindFromImports(n)
	case "function_definition":
		l.lowerFunction(n, nil)
	case "class_definition":
		l.lowerClass(n)
	case "decorated_definition":
		l.lowerDecorated(n)
	case "return_statement":
		l.Return(l.lowerExpr(l.t.First(n)))
	case "if_statement":
		l.lowerIf(n)
	case "match_statement":
		l.lowerMatch(n)
	case "for_statement":
		right := l.lowerExpr(l.t.Field(n, "right"))
		l.Do(right)
		l.bindTarget(l.t.Field(n, "left"), &ir.Expr{Kind: ir.Index, X: right, Scope: l.scope})
		l.Maybe(ir.Loop, func() { l.lowerClauses(n) })
	case "while_statement":
		l.Maybe(ir.Loop, func() { l.lowerClauses(n) })
	case "raise_statement":
		l.lowerClauses(n)
		l.Throw()
	case "assert_statement":
		cond := l.lowerExpr(l.t.First(n))
		l.Do(cond)
		l.Add(ir.Stmt{Step: ir.Branch, Cond: cond, Arms: []ir.Arm{{}}, Rest: l.Apart(l.Throw)})
	case "with_statement":
		l.lowerWith(n)
	case "expression_statement":
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if l.t.Kind(c) == "yield" {
				l.Yield(l.lowerExpr(c), strings.HasPrefix(l.t.Text(c), "yield from"))
			} else {
				l.Do(l.lowerExpr(c))
			}
		}
	case "break_statement", "continue_statement":
		l.Jump()
	case "global_statement", "nonlocal_statement", "pass_statement", "future_import_statement":
	default:
		l.lowerClauses(n)
	}
}

// lowerClauses reads the parts of a statement whose own meaning does not matter.
func (l *lowerer) lowerClauses(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch field := l.t.FieldOf(c); {
		case l.t.Kind(c) == "block" && l.t.Kind(n) == "try_statement":
			l.Maybe(ir.Try, func() { l.lowerBlock(c) })
		case l.t.Kind(c) == "block":
			l.lowerBlock(c)
		case strings.HasPrefix(l.t.Kind(c), "except"):
			l.Maybe(ir.Catch, func() { l.lowerClauses(c) })
		case strings.HasSuffix(l.t.Kind(c), "_clause"):
			l.lowerClauses(c)
		case strings.HasSuffix(l.t.Kind(c), "_statement") || strings.HasSuffix(l.t.Kind(c), "_definition"):
			l.lowerStmt(c)
		case field != "left" && field != "right":
			l.Do(l.lowerExpr(c))
		}
	}
}

func (l *lowerer) bindImports(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		module, alias := l.renamed(c)
		if alias == module { // import a.b binds a
			module, _, _ = strings.Cut(module, ".")
			alias = module
		}
		l.scope.Bind(alias, &ir.Binding{Import: &ir.Import{Module: module, Scope: l.scope, Start: l.t.Start(c)}})
	}
}

// renamed returns the name of what is imported, and under which name.
func (l *lowerer) renamed(n syntax.Node) (name, alias string) {
	if l.t.Kind(n) == "aliased_import" {
		return l.t.Text(l.t.Field(n, "name")), l.t.Text(l.t.Field(n, "alias"))
	}
	return l.t.Text(n), l.t.Text(n)
}

func (l *lowerer) bindFromImports(n syntax.Node) {
	module := l.t.Text(l.t.Field(n, "module_name"))
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if m := l.scope.Module; l.t.Kind(c) == "wildcard_import" && m != nil {
			m.All = append(m.All, &ir.Import{Module: module, Scope: l.scope})
		} else if l.t.FieldOf(c) == "name" {
			name, alias := l.renamed(c)
			l.scope.Bind(alias, &ir.Binding{Import: &ir.Import{Module: module, Member: name, Scope: l.scope, Start: l.t.Start(c)}})
		}
	}
}

func (l *lowerer) lowerDecorated(n syntax.Node) {
	var decorators []*ir.Expr
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "decorator":
			decorators = append(decorators, l.lowerExpr(l.t.First(c)))
		case "function_definition":
			l.lowerFunction(c, decorators)
		case "class_definition":
			l.lowerClass(c)
		}
	}
}

// lowerFunction reads def; a method's receiver becomes the parameter with the index -1.
func (l *lowerer) lowerFunction(n syntax.Node, decorators []*ir.Expr) {
	f := &ir.Func{Name: l.t.Text(l.t.Field(n, "name")), Decorators: decorators, Start: l.t.Start(n), End: l.t.End(n)}
	up, inClass := l.scope, l.scope.Class
	if inClass != nil {
		up = inClass.Scope.Up // a method does not see the names of its class
		f.Class = inClass
		inClass.Methods[f.Name] = f
	} else {
		l.scope.Bind(f.Name, &ir.Binding{Func: f})
	}
	f.Scope = ir.NewScope(up)
	f.Scope.Func = f
	inner := *l
	inner.scope, inner.Writer = f.Scope, ir.To(&f.Body)
	if inClass != nil {
		inner.class, inner.self = inClass, ""
	}
	inner.lowerParams(f, l.t.Field(n, "parameters"), inClass != nil && !isDecorated(decorators, "staticmethod"))
	if r := l.t.Field(n, "return_type"); r != syntax.None {
		f.Result = []*ir.Expr{l.lowerType(r)}
	}
	f.Getter = inClass != nil && isDecorated(decorators, "property", "cached_property", "computed_field")
	f.Broken = l.t.HasError(n)
	inner.lowerBlock(l.t.Field(n, "body"))
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func isDecorated(decorators []*ir.Expr, names ...string) bool {
	return slices.ContainsFunc(decorators, func(d *ir.Expr) bool { return slices.Contains(names, d.Text) })
}

func (l *lowerer) lowerParams(f *ir.Func, n syntax.Node, method bool) {
	index := 0
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		p := &ir.Param{Index: index, Func: f}
		name := c
		switch l.t.Kind(c) {
		case "identifier":
		case "default_parameter", "typed_default_parameter":
			name = l.t.Field(c, "name")
			p.Value = l.lowerExpr(l.t.Field(c, "value"))
			p.Type = l.lowerType(l.t.Field(c, "type"))
			p.Noted = l.lowerNoted(l.t.Field(c, "type"))
		case "typed_parameter":
			name = l.t.First(c)
			p.Type = l.lowerType(l.t.Field(c, "type"))
			p.Noted = l.lowerNoted(l.t.Field(c, "type"))
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
		l.scope.Bind(p.Name, &ir.Binding{Param: p})
	}
}

// lowerType reads an annotation: what is named in it, through Optional, Union and Annotated.
func (l *lowerer) lowerType(n syntax.Node) *ir.Expr {
	if n == syntax.None {
		return nil
	}
	x := l.lowerExpr(n)
	return &ir.Expr{Kind: ir.Type, X: namedType(x), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
}

// lowerNoted reads an annotation as it is written, nil for none. Its calls and objects run at no time that matters here.
func (l *lowerer) lowerNoted(n syntax.Node) *ir.Expr {
	if n == syntax.None {
		return nil
	}
	calls, objects := len(l.prog.Calls), len(l.prog.Objects)
	x := l.lowerExpr(n)
	l.prog.Calls, l.prog.Objects = l.prog.Calls[:calls], l.prog.Objects[:objects]
	return x
}

func namedType(x *ir.Expr) *ir.Expr {
	switch {
	case x.Is(ir.Name, ir.Attr):
		return x
	case x.Is(ir.Index) && !slices.Contains([]string{"Optional", "Union", "Annotated"}, x.X.Text):
		return x.X
	case x.Is(ir.Index, ir.Other, ir.Either, ir.List): // A | B
		out := &ir.Expr{Kind: ir.Either, Scope: x.Scope}
		for _, a := range x.Args {
			out.Args = append(out.Args, ir.Arg{Value: namedType(a.Value)})
		}
		return out
	}
	return nil
}

func (l *lowerer) lowerClass(n syntax.Node) {
	c := &ir.Class{Name: l.t.Text(l.t.Field(n, "name")), Methods: map[string]*ir.Func{}, Fields: map[string][]*ir.Expr{}, Start: l.t.Start(n)}
	l.scope.Bind(c.Name, &ir.Binding{Class: c})
	if s := l.t.Field(n, "superclasses"); s != syntax.None {
		for b := l.t.First(s); b != syntax.None; b = l.t.Next(b) {
			if l.t.Kind(b) != "keyword_argument" {
				c.Bases = append(c.Bases, l.lowerExpr(b))
			}
		}
	}
	c.Scope = ir.NewScope(l.scope)
	c.Scope.Class = c
	inner := *l
	inner.scope = c.Scope
	inner.lowerBlock(l.t.Field(n, "body"))
	for name, bindings := range c.Scope.Names {
		for _, b := range bindings {
			if b.Value != nil {
				c.Fields[name] = append(c.Fields[name], b.Value)
			}
		}
	}
	l.prog.Classes = append(l.prog.Classes, c)
}

// bindTarget binds the names of a target, and the fields of self.
func (l *lowerer) bindTarget(target syntax.Node, value *ir.Expr) {
	if value == nil {
		return
	}
	switch l.t.Kind(target) {
	case "identifier":
		l.scope.Bind(l.t.Text(target), &ir.Binding{Value: value})
		l.Set(l.nameAt(target), value)
	case "attribute":
		l.Set(l.lowerExpr(target), value)
		object := l.t.Field(target, "object")
		name := l.t.Text(l.t.Field(target, "attribute"))
		if l.class != nil && l.t.Text(object) == l.self && l.self != "" {
			l.class.Fields[name] = append(l.class.Fields[name], value)
		}
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		i := 0
		for c := l.t.First(target); c != syntax.None; c = l.t.Next(c) {
			l.bindTarget(c, &ir.Expr{Kind: ir.Index, X: value, Scope: l.scope, Start: value.Start, End: value.End,
				Args: []ir.Arg{{Value: &ir.Expr{Kind: ir.Literal, Text: strconv.Itoa(i), Scope: l.scope}}}})
			i++
		}
	case "subscript": // table["x"] = f
		x := l.lowerExpr(target)
		l.Set(x, value)
		l.scope.SetElement(x, value)
	case "as_pattern_target", "parenthesized_expression":
		l.bindTarget(l.t.First(target), value)
	}
}

func (l *lowerer) nameAt(n syntax.Node) *ir.Expr {
	return &ir.Expr{Kind: ir.Name, Text: l.t.Text(n), Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
}

func (l *lowerer) lowerWith(n syntax.Node) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		if l.t.Kind(c) == "with_clause" {
			for item := l.t.First(c); item != syntax.None; item = l.t.Next(item) {
				l.withItem(l.t.Field(item, "value"))
			}
		}
	}
	l.lowerBlock(l.t.Field(n, "body"))
}

func (l *lowerer) withItem(n syntax.Node) {
	if l.t.Kind(n) != "as_pattern" {
		l.Do(l.lowerExpr(n))
		return
	}
	value := l.lowerExpr(l.t.First(n))
	l.Do(value)
	l.bindTarget(l.t.Field(n, "alias"), value)
}
