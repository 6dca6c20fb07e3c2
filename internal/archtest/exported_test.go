package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestExportedSignatures holds public packages to types that an outsider can name: no
// exported function, method, field, constant or variable outside internal/ has a type of
// internal/ in its declaration. A public package may keep such a type in a private field.
func TestExportedSignatures(t *testing.T) {
	sources, err := readModule("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range sources {
		if isPublic(src.dir) {
			for _, v := range exposedInternals(src) {
				t.Errorf("%s: %s has a type of an internal package: move the type to a public one, or keep it private", src.dir, v)
			}
		}
	}
}

func TestExposedInternals(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a parameter", "func F(i x.T) {}", "F"},
		{"a result in a slice", "func F() []*x.T { return nil }", "F"},
		{"a method", "type P struct{}\nfunc (P) M(x.T) {}", "P.M"},
		{"a method of a private type", "type p struct{}\nfunc (p) M(x.T) {}", ""},
		{"a private function", "func f(i x.T) {}", ""},
		{"a field", "type P struct{ F map[string]x.T }", "P"},
		{"a private field", "type P struct{ f x.T }", ""},
		{"an embedded type", "type P struct{ x.T }", "P"},
		{"an interface's method", "type P interface{ M(x.T) }", "P"},
		{"an alias", "type P = x.T", "P"},
		{"a variable with a type", "var V x.T", "V"},
		{"a body", "func F() { var v x.T; _ = v }", ""},
		{"a type parameter", "func F[T x.C](T) {}", "F"},
	} {
		src, err := parse("pub/a.go", "package pub\nimport x \"m/internal/leaf/x\"\n"+tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(exposedInternals(src), " "); got != tt.want {
			t.Errorf("%s: %q is said to be exposed, want %q", tt.name, got, tt.want)
		}
	}
}

// isPublic reports whether other modules could import the package.
func isPublic(dir string) bool {
	return dir != "." && !slices.Contains(strings.Split(dir, "/"), "internal") && !strings.HasPrefix(dir, "cmd/")
}

// exposedInternals returns the exported declarations of a file that name a type of an
// internal package. What a declaration infers from its value is not seen.
func exposedInternals(src source) (out []string) {
	imports := src.importNames()
	exposes := func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if len(n.Names) > 0 && !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.IsExported() }) && isStructField(src.file, n) {
					return false
				}
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && strings.Contains(imports[pkg.Name], "/internal/") {
					found = true
				}
			}
			return !found
		})
		return found
	}
	for _, d := range src.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, exported := d.Name.Name, d.Name.IsExported()
			if d.Recv != nil {
				recv := receiverName(d.Recv.List[0].Type)
				name, exported = recv+"."+name, exported && ast.IsExported(recv)
			}
			if exported && exposes(d.Type) {
				out = append(out, name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() && exposes(spec.Type) {
						out = append(out, spec.Name.Name)
					}
				case *ast.ValueSpec:
					if spec.Names[0].IsExported() && spec.Type != nil && exposes(spec.Type) {
						out = append(out, spec.Names[0].Name)
					}
				}
			}
		}
	}
	return out
}

// isStructField tells the fields of structs from parameters, which are named in lower case too.
func isStructField(f *ast.File, field *ast.Field) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok && slices.Contains(s.Fields.List, field) {
			found = true
		}
		return !found
	})
	return found
}

func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	}
	return ""
}
