package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"gauntlet/internal/program"
)

// expr reads an expression; nil for none.
func (l *lowerer) expr(e ast.Expr) *program.Expr {
	if e == nil {
		return nil
	}
	x := &program.Expr{Scope: l.scope}
	x.Start, x.End = l.span(e)
	switch u := e.(type) {
	case *ast.Ident:
		x.Kind, x.Text = program.Name, u.Name
		switch u.Name {
		case "nil", "true", "false", "iota":
			x.Kind = program.Literal
		}
	case *ast.BasicLit:
		x.Kind, x.Text = program.Literal, u.Value
		if u.Kind == token.STRING {
			if s, err := strconv.Unquote(u.Value); err == nil {
				x.Kind, x.Text = program.String, s
			}
		}
	case *ast.SelectorExpr:
		x.Kind, x.X, x.Text = program.Attr, l.expr(u.X), u.Sel.Name
	case *ast.CallExpr:
		l.call(x, u)
	case *ast.CompositeLit:
		l.composite(x, u, nil)
	case *ast.FuncLit:
		l.literal(x, u)
	case *ast.ParenExpr:
		return l.expr(u.X)
	case *ast.StarExpr:
		return l.expr(u.X)
	case *ast.UnaryExpr:
		if u.Op == token.AND {
			return l.expr(u.X)
		}
		x.Args = []program.Arg{{Value: l.expr(u.X)}}
	case *ast.SliceExpr:
		return l.expr(u.X)
	case *ast.IndexExpr:
		l.index(x, u)
	case *ast.IndexListExpr:
		return l.expr(u.X)
	case *ast.TypeAssertExpr:
		return l.assertion(x, u)
	case *ast.BinaryExpr:
		x.Args = []program.Arg{{Value: l.expr(u.X)}, {Value: l.expr(u.Y)}}
		if u.Op == token.ADD {
			x.Kind = program.Template
		}
	case *ast.KeyValueExpr:
		return l.expr(u.Value)
	}
	return x
}

func (l *lowerer) call(x *program.Expr, c *ast.CallExpr) {
	if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "new" && len(c.Args) == 1 {
		if t := l.typ(c.Args[0]); t != nil {
			*x = *t
			return
		}
	}
	x.Kind = program.Call
	switch f := c.Fun.(type) {
	case *ast.IndexExpr: // an instance of a generic function
		x.X = l.expr(f.X)
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ChanType, *ast.FuncType:
		x.Kind = program.Other // a conversion
		for _, a := range c.Args {
			x.Args = append(x.Args, program.Arg{Value: l.expr(a)})
		}
		return
	default:
		x.X = l.expr(c.Fun)
	}
	for i, a := range c.Args {
		spread := c.Ellipsis.IsValid() && i == len(c.Args)-1
		x.Args = append(x.Args, program.Arg{Value: l.expr(a), Spread: spread})
	}
	l.prog.Calls = append(l.prog.Calls, x)
}

// composite reads T{…}: a struct is New, a map is Object, the rest are lists. elem is the type that an
// enclosing literal gives.
func (l *lowerer) composite(x *program.Expr, c *ast.CompositeLit, elem ast.Expr) {
	t := c.Type
	if t == nil {
		t = elem
	}
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	var inner ast.Expr
	switch u := t.(type) {
	case *ast.ArrayType:
		x.Kind, inner = program.List, u.Elt
	case *ast.MapType:
		x.Kind, inner = program.Object, u.Value
	case nil:
		x.Kind = program.List
	default:
		x.Kind, x.X = program.New, l.expr(typeOf(t))
		l.prog.Objects = append(l.prog.Objects, x)
	}
	for _, e := range c.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			x.Args = append(x.Args, program.Arg{Value: l.element(e, inner)})
			continue
		}
		a := program.Arg{Value: l.element(kv.Value, inner)}
		switch key := kv.Key.(type) {
		case *ast.Ident:
			if x.Kind == program.New {
				a.Name = key.Name
			} else {
				a.Key = l.expr(key)
			}
		default:
			if a.Key = l.expr(kv.Key); a.Key != nil && a.Key.Kind == program.String {
				a.Name, a.Key = a.Key.Text, nil
			}
		}
		x.Args = append(x.Args, a)
	}
}

func typeOf(t ast.Expr) ast.Expr {
	switch u := t.(type) {
	case *ast.IndexExpr:
		return u.X
	case *ast.IndexListExpr:
		return u.X
	}
	return t
}

func (l *lowerer) element(e, inner ast.Expr) *program.Expr {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		x := &program.Expr{Scope: l.scope}
		x.Start, x.End = l.span(e)
		l.composite(x, c, inner)
		return x
	}
	return l.expr(e)
}

func (l *lowerer) literal(x *program.Expr, u *ast.FuncLit) {
	f := l.signature(u.Type, u)
	inner := *l
	inner.scope, inner.Writer = f.Scope, program.To(&f.Body)
	f.Broken = l.file.Broken && broken(u.Body)
	inner.block(u.Body.List)
	x.Kind, x.Func = program.Function, f
	l.prog.Funcs = append(l.prog.Funcs, f)
}

func (l *lowerer) index(x *program.Expr, u *ast.IndexExpr) {
	x.X = l.expr(u.X)
	key := l.expr(u.Index)
	if key != nil && key.Kind == program.String {
		x.Kind, x.Text = program.Attr, key.Text
		return
	}
	x.Kind, x.Args = program.Index, []program.Arg{{Value: key}}
}

// assertion reads x.(T): what x is, or a T.
func (l *lowerer) assertion(x *program.Expr, u *ast.TypeAssertExpr) *program.Expr {
	v := l.expr(u.X)
	t := l.typ(u.Type)
	if t == nil {
		return v
	}
	x.Kind, x.Args = program.Either, []program.Arg{{Value: v}, {Value: t}}
	return x
}
