package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"gauntlet/internal/program"
)

func (l *lowerer) block(list []ast.Stmt) {
	for _, s := range list {
		l.stmt(s)
	}
}

// body reads a block, which has names of its own.
func (l *lowerer) body(list []ast.Stmt) []program.Stmt {
	return l.Apart(func() { l.scoped(func() { l.block(list) }) })
}

func (l *lowerer) scoped(read func()) {
	outer := l.scope
	l.scope = program.NewScope(outer)
	read()
	l.scope = outer
}

func (l *lowerer) maybe(list []ast.Stmt) { l.Maybe(func() { l.scoped(func() { l.block(list) }) }) }

func (l *lowerer) stmt(s ast.Stmt) {
	switch u := s.(type) {
	case *ast.ExprStmt:
		l.Do(l.expr(u.X))
	case *ast.AssignStmt:
		l.assign(u)
	case *ast.DeclStmt:
		l.decl(u)
	case *ast.ReturnStmt:
		l.returns(u)
	case *ast.IfStmt:
		l.scoped(func() { l.ifs(u) })
	case *ast.SwitchStmt:
		l.scoped(func() { l.switches(u) })
	case *ast.TypeSwitchStmt:
		l.scoped(func() { l.typeSwitch(u) })
	case *ast.SelectStmt:
		l.clauses(u.Body)
	case *ast.BlockStmt:
		l.scoped(func() { l.block(u.List) })
	case *ast.LabeledStmt:
		l.stmt(u.Stmt)
	case *ast.GoStmt:
		l.Do(l.expr(u.Call))
	case *ast.DeferStmt:
		l.Do(l.expr(u.Call))
	case *ast.SendStmt:
		l.Do(l.expr(u.Value))
	case *ast.ForStmt:
		l.scoped(func() { l.loop(u) })
	case *ast.RangeStmt:
		l.scoped(func() { l.ranges(u) })
	}
}

func (l *lowerer) typeSwitch(u *ast.TypeSwitchStmt) {
	if u.Init != nil {
		l.stmt(u.Init)
	}
	l.stmt(u.Assign)
	l.clauses(u.Body)
}

func (l *lowerer) loop(u *ast.ForStmt) {
	if u.Init != nil {
		l.stmt(u.Init)
	}
	l.Do(l.expr(u.Cond))
	l.maybe(u.Body.List)
}

func (l *lowerer) ranges(u *ast.RangeStmt) {
	x := l.expr(u.X)
	l.Do(x)
	if u.Value != nil {
		l.bind(u.Value, &program.Expr{Kind: program.Index, X: x, Scope: l.scope}, u.Tok)
	}
	if u.Key != nil {
		l.bind(u.Key, &program.Expr{Kind: program.Literal, Scope: l.scope}, u.Tok)
	}
	l.maybe(u.Body.List)
}

func (l *lowerer) clauses(b *ast.BlockStmt) {
	for _, c := range b.List {
		switch u := c.(type) {
		case *ast.CaseClause:
			l.maybe(u.Body)
		case *ast.CommClause:
			if u.Comm != nil {
				l.stmt(u.Comm)
			}
			l.maybe(u.Body)
		}
	}
}

func (l *lowerer) decl(d *ast.DeclStmt) {
	g, ok := d.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range g.Specs {
		switch u := s.(type) {
		case *ast.ValueSpec:
			l.values(u, l.scope)
		case *ast.TypeSpec:
			if st, ok := u.Type.(*ast.StructType); ok {
				c := l.class(u.Name.Name, u)
				l.scope.Bind(c.Name, &program.Binding{Class: c})
				l.fields(c, st.Fields)
			}
		}
	}
}

func (l *lowerer) assign(a *ast.AssignStmt) {
	var right []*program.Expr
	for _, e := range a.Rhs {
		x := l.expr(e)
		l.Do(x)
		right = append(right, x)
	}
	for i, target := range a.Lhs {
		switch {
		case len(right) == len(a.Lhs):
			l.bind(target, right[i], a.Tok)
		case len(right) == 1:
			l.bind(target, l.resultOf(right[0], i), a.Tok)
		}
	}
}

// bind gives a value to a variable or a field of the receiver.
func (l *lowerer) bind(target ast.Expr, x *program.Expr, tok token.Token) {
	if x == nil {
		return
	}
	switch u := target.(type) {
	case *ast.Ident:
		if u.Name == "_" {
			return
		}
		if tok != token.DEFINE {
			if _, at := l.scope.Find(u.Name); at != nil {
				at.Bind(u.Name, &program.Binding{Value: x})
				return
			}
		}
		l.scope.Bind(u.Name, &program.Binding{Value: x})
	case *ast.SelectorExpr:
		if id, ok := u.X.(*ast.Ident); ok && l.recv != nil && id.Name == l.self {
			l.recv.Fields[u.Sel.Name] = append(l.recv.Fields[u.Sel.Name], x)
		}
	case *ast.IndexExpr: // table["x"] = f
		id, ok := u.X.(*ast.Ident)
		key := l.expr(u.Index)
		if !ok || key == nil || key.Kind != program.String {
			return
		}
		bindings, _ := l.scope.Find(id.Name)
		for _, b := range bindings {
			if b.Value != nil && b.Value.Kind == program.Object {
				b.Value.Args = append(b.Value.Args, program.Arg{Name: key.Text, Value: x})
				return
			}
		}
	case *ast.StarExpr:
		l.bind(u.X, x, tok)
	}
}

// returns reads a return. A tool beside its handler is taken for an object that holds both.
func (l *lowerer) returns(r *ast.ReturnStmt) {
	var x *program.Expr
	switch len(r.Results) {
	case 0:
	case 1:
		x = l.expr(r.Results[0])
	default:
		x = &program.Expr{Kind: program.List, Scope: l.scope}
		x.Start, x.End = l.span(r)
		for _, e := range r.Results {
			x.Args = append(x.Args, program.Arg{Value: l.expr(e)})
		}
		if f := l.scope.Owner(); f != nil && len(f.Result) > 0 && f.Result[0] != nil && f.Result[0].X != nil && strings.Contains(f.Result[0].X.Text, "Tool") {
			o := &program.Expr{Kind: program.Object, Scope: l.scope, Start: x.Start, End: x.End, Args: []program.Arg{
				{Name: "Tool", Value: x.Args[0].Value}, {Name: "Handler", Value: x.Args[1].Value},
			}}
			l.prog.Objects = append(l.prog.Objects, o)
		}
	}
	l.Return(x)
}

func (l *lowerer) ifs(u *ast.IfStmt) {
	if u.Init != nil {
		l.stmt(u.Init)
	}
	l.Do(l.expr(u.Cond))
	then := l.body(u.Body.List)
	var rest []program.Stmt
	if u.Else != nil {
		rest = l.body([]ast.Stmt{u.Else})
	}
	subject, values, negated := l.compared(u.Cond)
	l.Add(program.Test{Subject: subject, Values: values, Negated: negated}.Branch(then, rest))
}

// compared reads x == "a", x != "a" and those joined by ||.
func (l *lowerer) compared(e ast.Expr) (subject *program.Expr, values []*program.Expr, negated bool) {
	switch u := e.(type) {
	case *ast.ParenExpr:
		return l.compared(u.X)
	case *ast.BinaryExpr:
		switch u.Op {
		case token.EQL, token.NEQ:
			if !plain(u.X) || !plain(u.Y) { // read once already; twice at each level would be too often
				return nil, nil, false
			}
			x, v := l.expr(u.X), l.expr(u.Y)
			if v.Kind == program.String {
				return x, []*program.Expr{v}, u.Op == token.NEQ
			}
		case token.LOR:
			x, v, n := l.compared(u.X)
			y, w, m := l.compared(u.Y)
			if x != nil && y != nil && !n && !m && x.Kind == program.Name && y.Kind == program.Name && x.Text == y.Text {
				return x, append(v, w...), false
			}
		}
	}
	return nil, nil, false
}

// plain reports whether an operand is a name, a member or a constant.
func plain(e ast.Expr) bool {
	for {
		switch u := e.(type) {
		case *ast.Ident, *ast.BasicLit:
			return true
		case *ast.SelectorExpr:
			e = u.X
		default:
			return false
		}
	}
}

func (l *lowerer) switches(u *ast.SwitchStmt) {
	if u.Init != nil {
		l.stmt(u.Init)
	}
	s := program.Stmt{Step: program.Branch, X: l.expr(u.Tag)}
	l.Do(s.X)
	for _, c := range u.Body.List {
		cc, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		body := l.body(cc.Body)
		if cc.List == nil {
			s.Rest = append(s.Rest, body...)
			continue
		}
		arm := program.Arm{Body: body}
		for _, e := range cc.List {
			x := l.expr(e)
			if u.Tag == nil {
				l.Do(x)
			}
			arm.Values = append(arm.Values, x)
		}
		s.Arms = append(s.Arms, arm)
	}
	l.Add(s)
}
