package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestDocComments holds doc comments to what they stand above: one that begins with another name was left behind when a
// declaration was renamed or moved.
func TestDocComments(t *testing.T) {
	sources, err := readModule("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range sources {
		for _, wrong := range misnamed(src.file) {
			t.Errorf("%s: the comment of %s begins with another name", src.fset.Position(src.file.Pos()).Filename, wrong)
		}
	}
}

func TestMisnamed(t *testing.T) {
	for text, want := range map[string]string{
		"// F does.\nfunc F() {}": "", "// A T is one.\ntype T int": "", "// An i waits.\nvar i int": "", "// The c of it.\nconst c = 1": "", "func f() {}": "",
		"// g does.\nfunc F() {}": "F", "// A thing is one.\ntype T int": "T", "//go:embed x\nvar data string": "", "// F's result counts.\nfunc F() {}": "",
		"// The kinds.\nconst (\n\tA = 1\n\tB = 2\n)": "", "// f does.\nfunc (t T) F() {}": "F",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(misnamed(file), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// misnamed returns the declarations whose doc comment begins with another word than their name, behind an article.
func misnamed(file *ast.File) (out []string) {
	check := func(doc *ast.CommentGroup, name string) {
		words := strings.Fields(doc.Text())
		if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && name != "_" && strings.TrimSuffix(strings.Trim(words[0], ".,:;"), "'s") != name {
			out = append(out, name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Doc, d.Name.Name)
		case *ast.GenDecl:
			if len(d.Specs) != 1 {
				continue
			}
			switch s := d.Specs[0].(type) {
			case *ast.TypeSpec:
				check(d.Doc, s.Name.Name)
			case *ast.ValueSpec:
				if len(s.Names) == 1 && !d.Lparen.IsValid() {
					check(d.Doc, s.Names[0].Name)
				}
			}
		}
	}
	return out
}
