package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"gauntlet/internal/leaf/ir"
)

func (l *lowerer) lowerBlock(list []ast.Stmt) {
	for _, s := range list {
		l.lowerStmt(s)
	}
}

// lowerBody reads a block, which has names of its own.
func (l *lowerer) lowerBody(list []ast.Stmt) []ir.Stmt {
	return l.Apart(func() { l.withScope(func() { l.lowerBlock(list) }) })
}

func (l *lowerer) withScope(read func()) {
	outer := l.scope
	l.scope = ir.NewScope(outer)
	read()
	l.scope = outer
}

func (l *lowerer) lowerMaybe(list []ast.Stmt) {
	outer := l.cases
	l.cases = false
	l.Maybe(ir.Loop, func() { l.withScope(func() { l.lowerBlock(list) }) })
	l.cases = outer
}

// lowerStmt reads a statement; none adds nothing.
func (l *lowerer) lowerStmt(s ast.Stmt) {
	switch u := s.(type) {
	case *ast.ExprStmt:
		l.Do(l.lowerExpr(u.X))
	case *ast.AssignStmt:
		l.lowerAssign(u)
	case *ast.DeclStmt:
		l.lowerSpecs(u.Decl, l.scope, true)
		l.lowerSpecs(u.Decl, l.scope, false)
	case *ast.ReturnStmt:
		l.lowerReturn(u)
	case *ast.IfStmt:
		l.withScope(func() { l.lowerIf(u) })
	case *ast.SwitchStmt:
		l.withScope(func() { l.lowerSwitch(u) })
	case *ast.TypeSwitchStmt:
		l.withScope(func() {
			l.lowerStmt(u.Init)
			l.lowerStmt(u.Assign)
			l.lowerClauses(u.Body)
		})
	case *ast.SelectStmt:
		l.lowerClauses(u.Body)
	case *ast.BlockStmt:
		l.withScope(func() { l.lowerBlock(u.List) })
	case *ast.BranchStmt:
		if u.Tok == token.CONTINUE || u.Tok == token.BREAK && !l.cases && u.Label == nil {
			l.Jump()
		}
	case *ast.LabeledStmt:
		l.lowerStmt(u.Stmt)
	case *ast.GoStmt:
		l.Do(l.lowerExpr(u.Call))
	case *ast.DeferStmt:
		l.Do(l.lowerExpr(u.Call))
	case *ast.SendStmt:
		l.Do(l.lowerExpr(u.Value))
	case *ast.ForStmt:
		l.withScope(func() {
			l.lowerStmt(u.Init)
			l.Do(l.lowerExpr(u.Cond))
			l.lowerMaybe(u.Body.List)
		})
	case *ast.RangeStmt:
		l.withScope(func() { l.lowerRange(u) })
	}
}

func (l *lowerer) lowerRange(u *ast.RangeStmt) {
	x := l.lowerExpr(u.X)
	l.Do(x)
	if u.Value != nil {
		l.bindTarget(u.Value, &ir.Expr{Kind: ir.Index, X: x, Scope: l.scope}, u.Tok)
	}
	if u.Key != nil {
		l.bindTarget(u.Key, &ir.Expr{Kind: ir.Literal, Scope: l.scope}, u.Tok)
	}
	l.lowerMaybe(u.Body.List)
}

func (l *lowerer) lowerClauses(b *ast.BlockStmt) {
	for _, c := range b.List {
		switch u := c.(type) {
		case *ast.CaseClause:
			l.lowerMaybe(u.Body)
		case *ast.CommClause:
			l.lowerStmt(u.Comm)
			l.lowerMaybe(u.Body)
		}
	}
}

func (l *lowerer) lowerAssign(a *ast.AssignStmt) {
	var right []*ir.Expr
	for _, e := range a.Rhs {
		x := l.lowerExpr(e)
		l.Do(x)
		right = append(right, x)
	}
	if a.Tok == token.ADD_ASSIGN && len(right) == 1 && len(a.Lhs) == 1 { // what was there is a part of it
		start, end := l.offsetsOf(a)
		right[0] = &ir.Expr{Kind: ir.Template, Scope: l.scope, Start: start, End: end,
			Args: []ir.Arg{{Value: l.lowerExpr(a.Lhs[0])}, {Value: right[0]}}}
	}
	for i, target := range a.Lhs {
		switch {
		case len(right) == len(a.Lhs):
			l.bindTarget(target, right[i], a.Tok)
		case len(right) == 1:
			l.bindTarget(target, l.resultOf(right[0], i), a.Tok)
		}
	}
}

// bindTarget gives a value to a variable or a field of the receiver.
func (l *lowerer) bindTarget(target ast.Expr, x *ir.Expr, tok token.Token) {
	if x == nil {
		return
	}
	switch u := target.(type) {
	case *ast.Ident:
		if u.Name == "_" {
			return
		}
		defer func() { l.Set(l.lowerExpr(u), x) }() // behind the binding, so that the name is found
		if tok != token.DEFINE {
			if _, at := l.scope.Find(u.Name); at != nil {
				at.Bind(u.Name, &ir.Binding{Value: x})
				return
			}
		}
		l.scope.Bind(u.Name, &ir.Binding{Value: x})
	case *ast.SelectorExpr:
		l.Set(l.lowerExpr(u), x)
		if id, ok := u.X.(*ast.Ident); ok && l.recv != nil && id.Name == l.self {
			l.recv.Fields[u.Sel.Name] = append(l.recv.Fields[u.Sel.Name], x)
		}
	case *ast.IndexExpr: // table["x"] = f
		element := l.lowerExpr(u)
		l.Set(element, x)
		l.scope.SetElement(element, x)
	case *ast.StarExpr:
		l.bindTarget(u.X, x, tok)
	}
}

// lowerReturn reads a return. A tool beside its handler is taken for an object that holds both.
func (l *lowerer) lowerReturn(r *ast.ReturnStmt) {
	var x *ir.Expr
	switch len(r.Results) {
	case 0:
	case 1:
		x = l.lowerExpr(r.Results[0])
	default:
		x = &ir.Expr{Kind: ir.List, Scope: l.scope}
		x.Start, x.End = l.offsetsOf(r)
		for _, e := range r.Results {
			x.Args = append(x.Args, ir.Arg{Value: l.lowerExpr(e)})
		}
		if f := l.scope.Owner(); f != nil && len(f.Result) > 0 && f.Result[0] != nil && f.Result[0].X != nil && strings.Contains(f.Result[0].X.Text, "Tool") {
			o := &ir.Expr{Kind: ir.Object, Scope: l.scope, Start: x.Start, End: x.End, Args: []ir.Arg{
				{Name: "Tool", Value: x.Args[0].Value}, {Name: "Handler", Value: x.Args[1].Value},
			}}
			l.prog.Objects = append(l.prog.Objects, o)
		}
	}
	l.Add(ir.Stmt{Step: ir.Return, X: x, Throws: l.returnsError(r)})
}

// returnsError reports whether a function is left by an error: it returns one as its last result, and
// that is not nil.
func (l *lowerer) returnsError(r *ast.ReturnStmt) bool {
	f := l.scope.Owner()
	if f == nil || len(f.Result) == 0 || len(r.Results) != len(f.Result) {
		return false
	}
	last := f.Result[len(f.Result)-1]
	if last == nil || last.X == nil || last.X.Text != "error" {
		return false
	}
	switch u := r.Results[len(r.Results)-1].(type) {
	case *ast.Ident:
		_, at := l.scope.Find(u.Name)
		return u.Name == "err" || at == l.pkg // as tested just before; var ErrTraversal = errors.New("…")
	case *ast.SelectorExpr: // os.ErrNotExist
		id, ok := u.X.(*ast.Ident)
		return ok && (&ir.Expr{Kind: ir.Name, Text: id.Name, Scope: l.scope}).Binding().Import != nil
	case *ast.UnaryExpr, *ast.CompositeLit: // &PathError{…}
		return true
	case *ast.CallExpr:
		name := typeName(u.Fun)
		return name == "Errorf" || name == "New"
	}
	return false
}

func (l *lowerer) lowerIf(u *ast.IfStmt) {
	l.lowerStmt(u.Init)
	cond := l.lowerExpr(u.Cond)
	l.Do(cond)
	then := l.lowerBody(u.Body.List)
	l.Add(ir.If(cond, then, l.lowerBody([]ast.Stmt{u.Else})))
}

func (l *lowerer) lowerSwitch(u *ast.SwitchStmt) {
	l.lowerStmt(u.Init)
	outer := l.cases
	l.cases = true
	defer func() { l.cases = outer }()
	s := ir.Stmt{Step: ir.Branch, X: l.lowerExpr(u.Tag)}
	l.Do(s.X)
	for _, c := range u.Body.List {
		cc, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		body := l.lowerBody(cc.Body)
		if cc.List == nil {
			s.Rest = append(s.Rest, body...)
			continue
		}
		arm := ir.Arm{Body: body}
		for _, e := range cc.List {
			x := l.lowerExpr(e)
			if u.Tag == nil {
				l.Do(x)
			}
			arm.Values = append(arm.Values, x)
		}
		s.Arms = append(s.Arms, arm)
	}
	l.Add(s)
}
