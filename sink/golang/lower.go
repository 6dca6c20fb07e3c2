package golang

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"gauntlet/internal/program"
)

// lowerer reads the declarations of one file into a program.
type lowerer struct {
	program.Writer
	prog  *program.Program
	pkg   *program.Scope // names of the package
	scope *program.Scope // where names are bound now
	file  *program.File
	base  int            // of positions in the file
	recv  *program.Class // of the method that is being read
	self  string         // the name of its receiver
}

// at is the offset of a position; what the parser makes up for broken code can lie behind the end.
func (l *lowerer) at(p token.Pos) int32 {
	return int32(max(0, min(int(p)-l.base, len(l.file.Source))))
}

func (l *lowerer) span(n ast.Node) (start, end int32) { return l.at(n.Pos()), l.at(n.End()) }

var version = regexp.MustCompile(`^v\d+$`)

// imports binds the names of imports. The name of a package is in its own source, which is
// not at hand, so all that it is likely to be are bound.
func (l *lowerer) imports(f *ast.File) {
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		im := &program.Binding{Import: &program.Import{Module: p, Scope: l.scope, Start: l.at(spec.Pos())}}
		if spec.Name != nil {
			l.scope.Bind(spec.Name.Name, im)
			continue
		}
		last := path.Base(p)
		if version.MatchString(last) {
			last = path.Base(path.Dir(p))
		}
		last, _, _ = strings.Cut(last, ".v")
		for _, name := range []string{last, strings.TrimPrefix(last, "go-"), strings.TrimSuffix(last, "-go"), strings.ReplaceAll(last, "-", ""), strings.ReplaceAll(last, "-", "_")} {
			if _, ok := l.scope.Names[name]; !ok {
				l.scope.Bind(name, im)
			}
		}
	}
}

// types binds the types of a file.
func (l *lowerer) types(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				l.typeSpec(t)
			}
		}
	}
}

func (l *lowerer) typeSpec(t *ast.TypeSpec) {
	switch u := t.Type.(type) {
	case *ast.StructType:
		c := l.class(t.Name.Name, t)
		l.pkg.Bind(c.Name, &program.Binding{Class: c})
		l.fields(c, u.Fields)
	case *ast.InterfaceType:
		c := l.class(t.Name.Name, t)
		l.pkg.Bind(c.Name, &program.Binding{Class: c})
		l.methods(c, u.Methods)
	case *ast.FuncType:
		l.pkg.Bind(t.Name.Name, &program.Binding{Value: l.typ(u)})
	default:
		c := l.class(t.Name.Name, t) // it may have methods
		if base := l.typ(t.Type); base != nil {
			c.Bases = append(c.Bases, base)
		}
		l.pkg.Bind(c.Name, &program.Binding{Class: c})
	}
}

func (l *lowerer) class(name string, n ast.Node) *program.Class {
	start, _ := l.span(n)
	c := &program.Class{Name: name, Methods: map[string]*program.Func{}, Fields: map[string][]*program.Expr{}, Scope: program.NewScope(l.scope), Start: start}
	l.prog.Classes = append(l.prog.Classes, c)
	return c
}

func (l *lowerer) fields(c *program.Class, list *ast.FieldList) {
	for _, f := range list.List {
		t := l.typ(f.Type)
		if t == nil {
			continue
		}
		for _, name := range f.Names {
			c.Fields[name.Name] = append(c.Fields[name.Name], t)
		}
		if len(f.Names) == 0 { // embedded
			c.Bases = append(c.Bases, t)
			if name := typeName(f.Type); name != "" {
				c.Fields[name] = append(c.Fields[name], t)
			}
		}
	}
}

func (l *lowerer) methods(c *program.Class, list *ast.FieldList) {
	for _, f := range list.List {
		ft, ok := f.Type.(*ast.FuncType)
		if !ok {
			if t := l.typ(f.Type); t != nil {
				c.Bases = append(c.Bases, t)
			}
			continue
		}
		for _, name := range f.Names {
			m := l.signature(ft, f)
			m.Name, m.Class, m.Abstract = name.Name, c, true
			c.Methods[name.Name] = m
		}
	}
}

// signature makes a function of its type; the parameters are bound in its scope.
func (l *lowerer) signature(t *ast.FuncType, n ast.Node) *program.Func {
	f := &program.Func{Scope: program.NewScope(l.scope)}
	f.Start, f.End = l.span(n)
	f.Scope.Func = f
	if t.TypeParams != nil { // T(x) converts
		for _, p := range t.TypeParams.List {
			for _, name := range p.Names {
				f.Scope.Bind(name.Name, &program.Binding{Value: &program.Expr{Kind: program.Literal, Scope: f.Scope}})
			}
		}
	}
	index := 0
	if t.Params != nil {
		for _, p := range t.Params.List {
			typ := l.typ(p.Type)
			_, rest := p.Type.(*ast.Ellipsis)
			names := p.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "_"}}
			}
			for _, name := range names {
				q := &program.Param{Name: name.Name, Index: index, Type: typ, Func: f, Rest: rest}
				f.Params = append(f.Params, q)
				if name.Name != "_" {
					f.Scope.Bind(name.Name, &program.Binding{Param: q})
				}
				index++
			}
		}
	}
	if t.Results != nil {
		for _, res := range t.Results.List {
			typ := l.typ(res.Type)
			f.Result = append(f.Result, typ)
			for i, name := range res.Names {
				if i > 0 {
					f.Result = append(f.Result, typ)
				}
				if typ != nil {
					f.Scope.Bind(name.Name, &program.Binding{Value: typ})
				} else {
					f.Scope.Names[name.Name] = nil
				}
			}
		}
	}
	return f
}

func typeName(t ast.Expr) string {
	switch u := t.(type) {
	case *ast.Ident:
		return u.Name
	case *ast.StarExpr:
		return typeName(u.X)
	case *ast.SelectorExpr:
		return u.Sel.Name
	case *ast.IndexExpr:
		return typeName(u.X)
	case *ast.IndexListExpr:
		return typeName(u.X)
	}
	return ""
}

// typ reads a type as a value of it: an object, a list of objects, a function.
func (l *lowerer) typ(t ast.Expr) *program.Expr {
	if t == nil {
		return nil
	}
	x := &program.Expr{Kind: program.Type, Scope: l.scope}
	x.Start, x.End = l.span(t)
	switch u := t.(type) {
	case *ast.Ident:
		x.X = &program.Expr{Kind: program.Name, Text: u.Name, Scope: l.scope, Start: x.Start, End: x.End}
	case *ast.SelectorExpr:
		x.X = l.expr(u)
	case *ast.StarExpr:
		return l.typ(u.X)
	case *ast.ParenExpr:
		return l.typ(u.X)
	case *ast.IndexExpr:
		return l.typ(u.X)
	case *ast.IndexListExpr:
		return l.typ(u.X)
	case *ast.ArrayType:
		return l.listOf(x, u.Elt)
	case *ast.Ellipsis:
		return l.listOf(x, u.Elt)
	case *ast.MapType:
		return l.listOf(x, u.Value)
	case *ast.ChanType:
		return l.listOf(x, u.Value)
	case *ast.FuncType:
		f := l.signature(u, u)
		f.Abstract = true
		x.Kind, x.Func = program.Function, f
	default:
		return nil
	}
	return x
}

func (l *lowerer) listOf(x *program.Expr, elem ast.Expr) *program.Expr {
	t := l.typ(elem)
	if t == nil {
		return nil
	}
	x.Kind, x.Args = program.List, []program.Arg{{Value: t}}
	return x
}

// declarations reads variables and functions.
func (l *lowerer) declarations(f *ast.File) {
	for _, d := range f.Decls {
		switch u := d.(type) {
		case *ast.GenDecl:
			if u.Tok == token.VAR || u.Tok == token.CONST {
				outer := l.scope
				for _, s := range u.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						l.values(v, l.pkg)
					}
				}
				l.scope = outer
			}
		case *ast.FuncDecl:
			l.function(u)
		}
	}
}

// values reads var and const; at is where the names are bound.
func (l *lowerer) values(v *ast.ValueSpec, at *program.Scope) {
	var value []*program.Expr
	for _, e := range v.Values {
		x := l.expr(e)
		l.Do(x)
		value = append(value, x)
	}
	for i, name := range v.Names {
		var x *program.Expr
		switch {
		case len(value) == len(v.Names):
			x = value[i]
		case len(value) == 1:
			x = l.resultOf(value[0], i)
		default:
			x = l.typ(v.Type)
		}
		if x == nil {
			at.Names[name.Name] = at.Names[name.Name][:len(at.Names[name.Name]):len(at.Names[name.Name])]
			continue
		}
		at.Bind(name.Name, &program.Binding{Value: x})
	}
}

func (l *lowerer) resultOf(x *program.Expr, i int) *program.Expr {
	if x == nil || x.Kind != program.Call {
		if i == 0 {
			return x
		}
		return &program.Expr{Kind: program.Literal, Scope: l.scope}
	}
	return &program.Expr{Kind: program.Result, X: x, N: i, Scope: l.scope, Start: x.Start, End: x.End}
}

func (l *lowerer) function(d *ast.FuncDecl) {
	f := l.signature(d.Type, d)
	f.Name = d.Name.Name
	inner := *l
	inner.scope, inner.Writer = f.Scope, program.To(&f.Body)
	if d.Recv != nil && len(d.Recv.List) == 1 {
		r := d.Recv.List[0]
		for _, b := range l.pkg.Names[typeName(r.Type)] {
			if b.Class == nil {
				continue
			}
			f.Class = b.Class
			b.Class.Methods[f.Name] = f
			inner.recv = b.Class
			p := &program.Param{Index: -1, Func: f}
			if len(r.Names) == 1 {
				p.Name, inner.self = r.Names[0].Name, r.Names[0].Name
				f.Scope.Bind(p.Name, &program.Binding{Param: p})
			}
			f.Params = append(f.Params, p)
		}
	} else {
		l.pkg.Bind(f.Name, &program.Binding{Func: f})
	}
	if d.Body == nil {
		f.Abstract = true
	} else {
		f.Broken = l.file.Broken && broken(d.Body)
		inner.block(d.Body.List)
	}
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func broken(n ast.Node) bool {
	bad := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BadExpr, *ast.BadStmt, *ast.BadDecl:
			bad = true
		}
		return !bad
	})
	return bad
}
