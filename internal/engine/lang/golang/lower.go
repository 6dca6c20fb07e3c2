package golang

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// lowerer reads the declarations of one file into a program.
type lowerer struct {
	ir.Writer
	prog  *ir.Program
	pkg   *ir.Scope // names of the package
	scope *ir.Scope // where names are bound now
	file  *ir.File
	base  int       // of positions in the file
	recv  *ir.Class // of the method that is being read
	self  string    // the name of its receiver
	cases bool      // a switch is nearer than a loop, so that break ends it
}

// offsetOf is the offset of a position; what the parser makes up for broken code can lie behind the end.
func (l *lowerer) offsetOf(p token.Pos) int32 {
	return int32(max(0, min(int(p)-l.base, len(l.file.Source))))
}

func (l *lowerer) offsetsOf(n ast.Node) (start, end int32) {
	return l.offsetOf(n.Pos()), l.offsetOf(n.End())
}

var version = regexp.MustCompile(`^v\d+$`)

// bindImports binds the names of imports. The name of a package is in its own source, which is
// not at hand, so all that it is likely to be are bound.
func (l *lowerer) bindImports(f *ast.File) {
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		im := &ir.Binding{Import: &ir.Import{Module: p, Scope: l.scope, Start: l.offsetOf(spec.Pos())}}
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

// lowerSpecs reads the types of a declaration, or its variables and constants; at is where the names are bound.
func (l *lowerer) lowerSpecs(d ast.Decl, at *ir.Scope, types bool) {
	g, ok := d.(*ast.GenDecl)
	for i := 0; ok && i < len(g.Specs); i++ {
		switch u := g.Specs[i].(type) {
		case *ast.ValueSpec:
			if !types {
				l.lowerValueSpec(u, at)
			}
		case *ast.TypeSpec:
			if types {
				l.typeSpec(u, at)
			}
		}
	}
}

func (l *lowerer) typeSpec(t *ast.TypeSpec, at *ir.Scope) {
	if f, ok := t.Type.(*ast.FuncType); ok {
		at.Bind(t.Name.Name, &ir.Binding{Value: l.lowerType(f)})
		return
	}
	c := l.newClass(t.Name.Name, t)
	at.Bind(c.Name, &ir.Binding{Class: c})
	switch u := t.Type.(type) {
	case *ast.StructType:
		l.lowerFields(c, u.Fields)
	case *ast.InterfaceType:
		l.lowerInterfaceMethods(c, u.Methods)
	default: // it may have methods
		if base := l.lowerType(t.Type); base != nil {
			c.Bases = append(c.Bases, base)
		}
	}
}

func (l *lowerer) newClass(name string, n ast.Node) *ir.Class {
	start, _ := l.offsetsOf(n)
	c := &ir.Class{Name: name, Methods: map[string]*ir.Func{}, Fields: map[string][]*ir.Expr{}, Scope: ir.NewScope(l.scope), Start: start}
	l.prog.Classes = append(l.prog.Classes, c)
	return c
}

// noteFields notes fields as they are declared; an embedded one has no name.
func noteFields(c *ir.Class, f *ast.Field, t *ir.Expr) {
	field := ir.Field{Type: t}
	if f.Tag != nil {
		field.Tag, _ = strconv.Unquote(f.Tag.Value)
	}
	if len(f.Names) == 0 {
		c.Noted = append(c.Noted, field)
	}
	for _, name := range f.Names {
		field.Name = name.Name
		c.Noted = append(c.Noted, field)
	}
}

func (l *lowerer) lowerFields(c *ir.Class, list *ast.FieldList) {
	for _, f := range list.List {
		t := l.lowerType(f.Type)
		noteFields(c, f, t)
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

func (l *lowerer) lowerInterfaceMethods(c *ir.Class, list *ast.FieldList) {
	for _, f := range list.List {
		ft, ok := f.Type.(*ast.FuncType)
		if !ok {
			if t := l.lowerType(f.Type); t != nil {
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
func (l *lowerer) signature(t *ast.FuncType, n ast.Node) *ir.Func {
	f := &ir.Func{Scope: ir.NewScope(l.scope)}
	f.Start, f.End = l.offsetsOf(n)
	f.Scope.Func = f
	if t.TypeParams != nil { // T(x) converts
		for _, p := range t.TypeParams.List {
			for _, name := range p.Names {
				f.Scope.Bind(name.Name, &ir.Binding{Value: &ir.Expr{Kind: ir.Literal, Scope: f.Scope}})
			}
		}
	}
	index := 0
	if t.Params != nil {
		for _, p := range t.Params.List {
			typ := l.lowerType(p.Type)
			_, rest := p.Type.(*ast.Ellipsis)
			names := p.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "_"}}
			}
			for _, name := range names {
				q := &ir.Param{Name: name.Name, Index: index, Type: typ, Func: f, Rest: rest}
				f.Params = append(f.Params, q)
				if name.Name != "_" {
					f.Scope.Bind(name.Name, &ir.Binding{Param: q})
				}
				index++
			}
		}
	}
	if t.Results != nil {
		for _, res := range t.Results.List {
			typ := l.lowerType(res.Type)
			f.Result = append(f.Result, typ)
			for i, name := range res.Names {
				if i > 0 {
					f.Result = append(f.Result, typ)
				}
				if typ != nil {
					f.Scope.Bind(name.Name, &ir.Binding{Value: typ})
				} else {
					f.Scope.Names[name.Name] = nil
				}
			}
		}
	}
	return f
}

func typeName(t ast.Expr) string {
	switch u := plainType(t).(type) {
	case *ast.Ident:
		return u.Name
	case *ast.SelectorExpr:
		return u.Sel.Name
	}
	return ""
}

// lowerType reads a type as a value of it: an object, a list of objects, a function.
func (l *lowerer) lowerType(t ast.Expr) *ir.Expr {
	if t = plainType(t); t == nil {
		return nil
	}
	x := &ir.Expr{Kind: ir.Type, Scope: l.scope}
	x.Start, x.End = l.offsetsOf(t)
	switch u := t.(type) {
	case *ast.Ident:
		x.X = &ir.Expr{Kind: ir.Name, Text: u.Name, Scope: l.scope, Start: x.Start, End: x.End}
	case *ast.SelectorExpr:
		x.X = l.lowerExpr(u)
	case *ast.ArrayType:
		return l.listOf(x, u.Elt)
	case *ast.Ellipsis:
		return l.listOf(x, u.Elt)
	case *ast.MapType:
		x.Text = "map"
		return l.listOf(x, u.Value)
	case *ast.ChanType:
		return l.listOf(x, u.Value)
	case *ast.FuncType:
		f := l.signature(u, u)
		f.Abstract = true
		x.Kind, x.Func = ir.Function, f
	default:
		return nil
	}
	return x
}

func (l *lowerer) listOf(x *ir.Expr, elem ast.Expr) *ir.Expr {
	t := l.lowerType(elem)
	if t == nil {
		return nil
	}
	x.Kind, x.Args = ir.List, []ir.Arg{{Value: t}}
	return x
}

func (l *lowerer) declarations(f *ast.File) {
	for _, d := range f.Decls {
		l.lowerSpecs(d, l.pkg, false)
		if f, ok := d.(*ast.FuncDecl); ok {
			l.lowerFunction(f)
		}
	}
}

// lowerValueSpec reads var and const; at is where the names are bound.
func (l *lowerer) lowerValueSpec(v *ast.ValueSpec, at *ir.Scope) {
	var value []*ir.Expr
	for _, e := range v.Values {
		x := l.lowerExpr(e)
		l.Do(x)
		value = append(value, x)
	}
	for i, name := range v.Names {
		var x *ir.Expr
		switch {
		case len(value) == len(v.Names):
			x = value[i]
		case len(value) == 1:
			x = l.resultOf(value[0], i)
		default:
			x = l.lowerType(v.Type)
		}
		if x == nil {
			at.Names[name.Name] = at.Names[name.Name][:len(at.Names[name.Name]):len(at.Names[name.Name])]
			continue
		}
		at.Bind(name.Name, &ir.Binding{Value: x})
		l.Set(l.lowerExpr(name), x)
	}
}

func (l *lowerer) resultOf(x *ir.Expr, i int) *ir.Expr {
	if x == nil || x.Kind != ir.Call {
		if i == 0 {
			return x
		}
		return &ir.Expr{Kind: ir.Literal, Scope: l.scope}
	}
	return &ir.Expr{Kind: ir.Result, X: x, N: i, Scope: l.scope, Start: x.Start, End: x.End}
}

func (l *lowerer) lowerFunction(d *ast.FuncDecl) {
	f := l.signature(d.Type, d)
	f.Name = d.Name.Name
	inner := *l
	inner.scope, inner.Writer = f.Scope, ir.To(&f.Body)
	if d.Recv != nil && len(d.Recv.List) == 1 {
		r := d.Recv.List[0]
		for _, b := range l.pkg.Names[typeName(r.Type)] {
			if b.Class == nil {
				continue
			}
			f.Class = b.Class
			b.Class.Methods[f.Name] = f
			inner.recv = b.Class
			p := &ir.Param{Index: -1, Func: f}
			if len(r.Names) == 1 {
				p.Name, inner.self = r.Names[0].Name, r.Names[0].Name
				f.Scope.Bind(p.Name, &ir.Binding{Param: p})
			}
			f.Params = append(f.Params, p)
		}
	} else {
		l.pkg.Bind(f.Name, &ir.Binding{Func: f})
	}
	if d.Body == nil {
		f.Abstract = true
	} else {
		f.Broken = l.file.Broken && hasBadNode(d.Body)
		inner.lowerBlock(d.Body.List)
	}
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func hasBadNode(n ast.Node) bool {
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
