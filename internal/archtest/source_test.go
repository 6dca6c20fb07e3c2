package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// A source is one Go file of the module.
type source struct {
	dir  string // of its package, below the module's root
	file *ast.File
	fset *token.FileSet
}

// readModule parses every file that the module builds under any build tags. Test files,
// testdata, hidden folders, nested modules and generators are no part of it.
func readModule(root string) ([]source, error) {
	var out []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && skipped(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || !isSource(d.Name()) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		src, err := parse(filepath.ToSlash(rel), string(text))
		if err != nil {
			return err
		}
		if !src.isGenerator() {
			out = append(out, src)
		}
		return nil
	})
	return out, err
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
		name[0] != '.' && name[0] != '_' // as the go command
}

func skipped(dir, base string) bool {
	if base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func parse(name, text string) (source, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	return source{dir: path.Dir(name), file: f, fset: fset}, err
}

// isGenerator reports whether the file is a program for "go run" beside a library: package
// main, kept out of the build by the tag "ignore". No package can reach its code.
func (s source) isGenerator() bool {
	if s.file.Name.Name != "main" {
		return false
	}
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if c.Pos() < s.file.Package && strings.TrimSpace(c.Text) == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

// importNames returns import paths by the name they have in the file. A package's own
// name is taken to be the last element of its path, which holds for all that the rules name.
func (s source) importNames() map[string]string {
	out := map[string]string{}
	for _, spec := range s.file.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = p
	}
	return out
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has refused such a file already
	}
	return p
}
