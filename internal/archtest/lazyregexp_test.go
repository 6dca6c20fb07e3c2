package archtest

import (
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"testing"
)

// TestLazyRegexpsCompile compiles every expression that the program compiles at its first use.
func TestLazyRegexpsCompile(t *testing.T) {
	sources, err := readModule("../..")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range sources {
		for _, call := range lazyCalls(s) {
			n++
			at := s.fset.Position(call.Pos())
			expr, ok := constantText(call.Args[0], stringConstants(sources, s.dir))
			if !ok {
				t.Errorf("%s: the expression is no constant of its package, so that nothing can compile it before its first use", at)
				continue
			}
			if _, err := regexp.Compile(expr); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	if n < 50 {
		t.Errorf("%d lazy expressions were found: want 50 or more", n)
	}
}

// lazyCalls are the calls of lazyregexp.New in a file.
func lazyCalls(s source) (out []*ast.CallExpr) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "New" {
			if x, ok := f.X.(*ast.Ident); ok && x.Name == "lazyregexp" {
				out = append(out, call)
			}
		}
		return true
	})
	return out
}

// stringConstants are the constants of a package that are plain literals.
func stringConstants(sources []source, dir string) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, s := range sources {
		if s.dir != dir {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					v := spec.(*ast.ValueSpec)
					for i := range min(len(v.Names), len(v.Values)) {
						out[v.Names[i].Name] = v.Values[i]
					}
				}
			}
			return true
		})
	}
	return out
}

// constantText evaluates literals, constants and what is joined of them.
func constantText(e ast.Expr, known map[string]ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
		return constant.StringVal(v), v.Kind() == constant.String
	case *ast.BinaryExpr:
		x, ok := constantText(e.X, known)
		y, also := constantText(e.Y, known)
		return x + y, ok && also && e.Op == token.ADD
	case *ast.Ident:
		if v, ok := known[e.Name]; ok {
			return constantText(v, known)
		}
	}
	return "", false
}
