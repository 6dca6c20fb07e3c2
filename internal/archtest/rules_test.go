package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"sort"
	"strings"
)

const where = "see docs/architecture.md and the table in internal/archtest/layers_test.go"

// violations returns everything in the sources that the table or a rule refuses, sorted.
func violations(module string, rows []row, sources []source) []string {
	out := checkTable(rows)
	present := map[string]bool{}
	for _, s := range sources {
		if !present[s.dir] {
			present[s.dir] = true
			out = append(out, checkName(s.dir)...)
			if find(rows, s.dir) == nil {
				out = append(out, fmt.Sprintf("package %s is in no layer: add a row for it to the table in internal/archtest/layers_test.go and a sentence to docs/architecture.md", s.dir))
			}
		}
		out = append(out, checkFile(module, rows, s)...)
	}
	for _, r := range rows {
		if !present[r.path] {
			out = append(out, fmt.Sprintf("package %s has a row and no source file: remove the row from internal/archtest/layers_test.go", r.path))
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

func find(rows []row, path string) *row {
	for i := range rows {
		if rows[i].path == path {
			return &rows[i]
		}
	}
	return nil
}

// checkTable refuses a table that allows what the layers forbid, so that a bad import
// cannot be made good by a bad row.
func checkTable(rows []row) (out []string) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.path] {
			out = append(out, fmt.Sprintf("table: %s has two rows", r.path))
		}
		seen[r.path] = true
		for _, m := range r.may {
			target := find(rows, m)
			switch {
			case strings.HasSuffix(m, "*"):
			case target == nil:
				out = append(out, fmt.Sprintf("table: %s may import %s, which has no row", r.path, m))
			case target.layer >= r.layer:
				out = append(out, fmt.Sprintf("table: %s (layer %d) may import %s (layer %d): want a lower layer", r.path, r.layer, m, target.layer))
			}
		}
	}
	return out
}

var emptyNames = []string{"util", "utils", "helper", "helpers", "common", "misc"}

func checkName(dir string) (out []string) {
	for _, part := range strings.Split(dir, "/") {
		if slices.Contains(emptyNames, part) {
			out = append(out, fmt.Sprintf("package %s: the name %q says nothing; move the code to its user or to the package whose type it takes", dir, part))
		}
	}
	return out
}

// checkFile applies the rules about one file. A package without a row is judged as a
// pure library; only who it may import is left out, since the missing row is the news.
func checkFile(module string, rows []row, s source) []string {
	r := find(rows, s.dir)
	known := r != nil
	if !known {
		r = &row{path: s.dir}
	}
	c := fileCheck{source: s, row: r}
	for _, spec := range s.file.Imports {
		c.imported(spec)
		if known {
			c.allowed(module, rows, spec)
		}
	}
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			c.bad(f, "init function: what runs before main cannot be tested or left out")
		}
	}
	c.uses(s.importNames())
	return c.out
}

// fileCheck collects what is wrong with one file.
type fileCheck struct {
	source source
	row    *row
	out    []string
}

func (c *fileCheck) bad(n ast.Node, format string, args ...any) {
	p := c.source.fset.Position(n.Pos())
	c.out = append(c.out, fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...)))
}

// imported applies the bans on import paths.
func (c *fileCheck) imported(spec *ast.ImportSpec) {
	p := importPath(spec)
	if spec.Name != nil && spec.Name.Name == "." {
		c.bad(spec, "dot import of %s: it hides where names come from, from readers and from this test", p)
	}
	if why := c.row.refuses(p); why != "" {
		c.bad(spec, "package %s imports %s: %s", c.row.path, p, why)
	}
}

// allowed applies the table.
func (c *fileCheck) allowed(module string, rows []row, spec *ast.ImportSpec) {
	p := importPath(spec)
	if own, ok := strings.CutPrefix(p, module+"/"); ok {
		if why := c.row.refusesOwn(rows, own); why != "" {
			c.bad(spec, "package %s imports %s: %s; %s", c.row.path, own, why, where)
		}
		return
	}
	if !c.row.allowsDep(p) {
		c.bad(spec, "package %s imports %s: a pure package lists its third-party modules in its row; %s", c.row.path, p, where)
	}
}

// judged are the fields that say what was found out.
var judged = []string{"Outcome", "Verdict", "Severity", "Held"}

// uses applies the bans on names. It goes by the text: a local variable that shadows
// an import is taken for it, and is better renamed.
func (c *fileCheck) uses(names map[string]string) {
	ast.Inspect(c.source.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				p := names[x.Name]
				if why := c.row.refusesUse(p, n.Sel.Name); why != "" {
					c.bad(n, "package %s uses %s.%s: %s", c.row.path, path.Base(p), n.Sel.Name, why)
				}
			}
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok && c.row.path == "internal/cli" && slices.Contains(judged, field.Sel.Name) {
					c.bad(n, "package internal/cli sets %s: verdicts, severities and what held are decided below the command line", field.Sel.Name)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") && c.row.not&userFace == 0 {
				c.bad(n, "package %s calls %s: library code never prints", c.row.path, f.Name)
			}
		}
		return true
	})
}

// refusesOwn says why a package of the module must not be imported, "" if it may.
func (r *row) refusesOwn(rows []row, own string) string {
	target := find(rows, own)
	switch {
	case target == nil:
		return "it is in no layer"
	case target.layer > r.layer:
		return fmt.Sprintf("upwards, from layer %d to %d", r.layer, target.layer)
	case target.layer == r.layer:
		return fmt.Sprintf("sideways, inside layer %d; push what both need down, or let their caller join them", r.layer)
	case target.open:
	case !slices.ContainsFunc(r.may, func(m string) bool { return matches(m, own) }):
		return "its row does not allow it"
	}
	return ""
}

// matches reports whether a pattern of a row, "*" or "check/*" or a plain path, covers a
// package. "check/*" covers one level.
func matches(pattern, pkg string) bool {
	if parent, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(pkg) == parent
	}
	return pattern == "*" || pattern == pkg
}

// allowsDep reports whether a package of another module may be imported. Impure packages
// are free: what they could do with it they could do themselves.
func (r *row) allowsDep(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	if !strings.Contains(first, ".") || r.not&impure != 0 {
		return true // the standard library has no dot in its first element
	}
	return slices.ContainsFunc(r.deps, func(d string) bool { return under(p, d) })
}

func under(p, parent string) bool { return p == parent || strings.HasPrefix(p, parent+"/") }
