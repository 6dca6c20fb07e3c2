package golang

import (
	"go/ast"
	"go/token"
	"strconv"

	"gauntlet/internal/leaf/ir"
)

// lowerExpr reads an expression; nil for none.
func (l *lowerer) lowerExpr(e ast.Expr) *ir.Expr {
	if e == nil {
		return nil
	}
	x := &ir.Expr{Scope: l.scope}
	x.Start, x.End = l.offsetsOf(e)
	switch u := e.(type) {
	case *ast.Ident:
		x.Kind, x.Text = ir.Name, u.Name
		switch u.Name {
		case "nil", "true", "false", "iota":
			x.Kind = ir.Literal
		}
	case *ast.BasicLit:
		x.Kind, x.Text = ir.Literal, u.Value
		if u.Kind == token.STRING || u.Kind == token.CHAR {
			if s, err := strconv.Unquote(u.Value); err == nil {
				x.Kind, x.Text = ir.String, s
			}
		}
	case *ast.SelectorExpr:
		x.Kind, x.X, x.Text = ir.Attr, l.lowerExpr(u.X), u.Sel.Name
	case *ast.CallExpr:
		l.lowerCall(x, u)
	case *ast.CompositeLit:
		l.lowerComposite(x, u, nil)
	case *ast.FuncLit:
		l.lowerFuncLit(x, u)
	case *ast.ParenExpr:
		return l.lowerExpr(u.X)
	case *ast.StarExpr:
		return l.lowerExpr(u.X)
	case *ast.UnaryExpr:
		if u.Op == token.AND {
			return l.lowerExpr(u.X)
		}
		x.Text, x.Args = u.Op.String(), []ir.Arg{{Value: l.lowerExpr(u.X)}}
	case *ast.SliceExpr:
		return l.lowerExpr(u.X)
	case *ast.IndexExpr:
		x.Subscript(l.lowerExpr(u.X), l.lowerExpr(u.Index))
	case *ast.IndexListExpr:
		return l.lowerExpr(u.X)
	case *ast.TypeAssertExpr:
		return l.lowerAssertion(x, u)
	case *ast.BinaryExpr:
		x.Args = []ir.Arg{{Value: l.lowerExpr(u.X)}, {Value: l.lowerExpr(u.Y)}}
		switch u.Op {
		case token.ADD:
			x.Kind = ir.Template
		default:
			x.Text = u.Op.String()
		}
	case *ast.KeyValueExpr:
		return l.lowerExpr(u.Value)
	}
	return x
}

func (l *lowerer) lowerCall(x *ir.Expr, c *ast.CallExpr) {
	if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "new" && len(c.Args) == 1 {
		if t := l.lowerType(c.Args[0]); t != nil {
			*x = *t
			return
		}
	}
	x.Kind = ir.Call
	switch f := c.Fun.(type) {
	case *ast.IndexExpr: // an instance of a generic function
		x.X = l.lowerExpr(f.X)
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ChanType, *ast.FuncType:
		x.Kind = ir.Other // a conversion
		for _, a := range c.Args {
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(a)})
		}
		return
	default:
		x.X = l.lowerExpr(c.Fun)
	}
	for i, a := range c.Args {
		spread := c.Ellipsis.IsValid() && i == len(c.Args)-1
		x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(a), Spread: spread})
	}
	l.prog.Calls = append(l.prog.Calls, x)
}

// lowerComposite reads T{…}: a struct is New, a map is Object, the rest are lists. elem is the type that an
// enclosing literal gives.
func (l *lowerer) lowerComposite(x *ir.Expr, c *ast.CompositeLit, elem ast.Expr) {
	t := c.Type
	if t == nil {
		t = elem
	}
	var inner ast.Expr
	var fields []ir.Field
	switch u := plainType(t).(type) {
	case *ast.ArrayType:
		x.Kind, inner = ir.List, u.Elt
	case *ast.MapType:
		x.Kind, inner = ir.Object, u.Value
	case nil:
		x.Kind = ir.List
	default:
		x.Kind, x.X = ir.New, l.lowerExpr(u)
		l.prog.Objects = append(l.prog.Objects, x)
		if class := x.X.Binding().Class; class != nil {
			fields = class.Noted
		}
	}
	for i, e := range c.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			a := ir.Arg{Value: l.lowerElement(e, inner)}
			if i < len(fields) { // entry{tool, handler}
				a.Name = fields[i].Name
			}
			x.Args = append(x.Args, a)
			continue
		}
		a := ir.Arg{Value: l.lowerElement(kv.Value, inner)}
		switch key := kv.Key.(type) {
		case *ast.Ident:
			if x.Kind == ir.New {
				a.Name = key.Name
			} else {
				a.Key = l.lowerExpr(key)
			}
		default:
			if a.Key = l.lowerExpr(kv.Key); a.Key != nil && a.Key.Kind == ir.String {
				a.Name, a.Key = a.Key.Text, nil
			}
		}
		x.Args = append(x.Args, a)
	}
}

// plainType returns a type without what it is pointed to by, put in brackets or made for: T of *T, (T), T[int].
func plainType(t ast.Expr) ast.Expr {
	switch u := t.(type) {
	case *ast.StarExpr:
		return plainType(u.X)
	case *ast.ParenExpr:
		return plainType(u.X)
	case *ast.IndexExpr:
		return plainType(u.X)
	case *ast.IndexListExpr:
		return plainType(u.X)
	}
	return t
}

func (l *lowerer) lowerElement(e, inner ast.Expr) *ir.Expr {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		x := &ir.Expr{Scope: l.scope}
		x.Start, x.End = l.offsetsOf(e)
		l.lowerComposite(x, c, inner)
		return x
	}
	return l.lowerExpr(e)
}

func (l *lowerer) lowerFuncLit(x *ir.Expr, u *ast.FuncLit) {
	f := l.signature(u.Type, u)
	inner := *l
	inner.scope, inner.Writer = f.Scope, ir.To(&f.Body)
	f.Broken = l.file.Broken && hasBadNode(u.Body)
	inner.lowerBlock(u.Body.List)
	x.Kind, x.Func = ir.Function, f
	l.prog.Funcs = append(l.prog.Funcs, f)
}

// lowerAssertion reads x.(T): what x is, or a T.
func (l *lowerer) lowerAssertion(x *ir.Expr, u *ast.TypeAssertExpr) *ir.Expr {
	v := l.lowerExpr(u.X)
	t := l.lowerType(u.Type)
	if t == nil {
		return v
	}
	x.Kind, x.Args = ir.Either, []ir.Arg{{Value: v}, {Value: t}}
	return x
}
