package typescript

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
	"gauntlet/sink"
)

func (l *lowerer) bindImports(n syntax.Node) {
	source := l.t.Field(n, "source")
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "import_clause":
			l.importClause(c, unquote(l.t.Text(source)))
		case "import_require_clause": // import x = require("y")
			l.bindImport(l.t.Text(l.t.First(c)), unquote(l.t.Text(l.t.Field(c, "source"))), "", c)
		}
	}
}

func (l *lowerer) importClause(n syntax.Node, module string) {
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "identifier":
			l.bindImport(l.t.Text(c), module, "default", c)
		case "namespace_import":
			l.bindImport(l.t.Text(l.t.First(c)), module, "", c)
		case "named_imports":
			for s := l.t.First(c); s != syntax.None; s = l.t.Next(s) {
				name, alias := l.renamed(s)
				l.bindImport(alias, module, name, s)
			}
		}
	}
}

// renamed returns the name of what is imported or exported, and under which name.
func (l *lowerer) renamed(n syntax.Node) (name, alias string) {
	name = l.propertyKey(l.t.Field(n, "name"))
	return name, cmp.Or(l.propertyKey(l.t.Field(n, "alias")), name)
}

func (l *lowerer) bindImport(name, module, member string, at syntax.Node) {
	l.scope.Bind(name, &ir.Binding{Import: l.newImport(module, member, l.scope, l.t.Start(at))})
}

func (l *lowerer) newImport(module, member string, in *ir.Scope, at int32) *ir.Import {
	im := &ir.Import{Module: module, Member: member, Scope: in, Start: at}
	l.prog.Imports = append(l.prog.Imports, im)
	return im
}

// setExport records what a module offers; of several values the last that is no constant counts,
// as compilers write exports.x = void 0 first.
func (l *lowerer) setExport(name string, value *ir.Expr) {
	if value == nil || l.mod.Exports[name] != nil && (value.Kind == ir.Literal || value.Kind == ir.Other) {
		return
	}
	l.mod.Exports[name] = value
}

func (l *lowerer) exportName(exported, local string) {
	l.setExport(exported, &ir.Expr{Kind: ir.Name, Text: local, Scope: l.mod.Scope})
}

// reexport offers a member of another module under a name.
func (l *lowerer) reexport(exported, module, member string, at syntax.Node) {
	name := "\x00" + module + "\x00" + member
	if _, ok := l.mod.Scope.Names[name]; !ok {
		l.mod.Scope.Bind(name, &ir.Binding{Import: l.newImport(module, member, l.mod.Scope, l.t.Start(at))})
	}
	l.exportName(exported, name)
}

func (l *lowerer) lowerExport(n syntax.Node) {
	source := l.t.Field(n, "source")
	isDefault := strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(l.statementHead(n), "export")), "default")
	if d := l.t.Field(n, "declaration"); d != syntax.None {
		l.exportDeclaration(d, isDefault)
		return
	}
	if v := l.t.Field(n, "value"); v != syntax.None {
		x := l.lowerExpr(v)
		l.Do(x)
		l.setExport("default", x)
		return
	}
	clause := false
	for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
		switch l.t.Kind(c) {
		case "export_clause":
			clause = true
			l.exportClause(c, source)
		case "namespace_export": // export * as x from
			clause = true
			l.reexport(l.t.Text(l.t.First(c)), unquote(l.t.Text(source)), "", c)
		case "decorator":
		default:
			if l.t.FieldOf(c) == "" && source == syntax.None {
				l.lowerStmt(c)
			}
		}
	}
	if source != syntax.None && !clause {
		l.mod.All = append(l.mod.All, l.newImport(unquote(l.t.Text(source)), "", l.mod.Scope, 0))
	}
}

// statementHead is the beginning of a statement's text, enough to see its first words.
func (l *lowerer) statementHead(n syntax.Node) string {
	return string(l.t.Source[l.t.Start(n):min(l.t.End(n), l.t.Start(n)+40)])
}

func (l *lowerer) exportDeclaration(d syntax.Node, isDefault bool) {
	switch l.t.Kind(d) {
	case "class_declaration", "abstract_class_declaration", "class":
		c := l.lowerClass(d)
		if isDefault {
			l.setExport("default", &ir.Expr{Kind: ir.Name, Text: hidden, Scope: c.Scope})
		}
	case "function_declaration", "generator_function_declaration", "function_expression", "arrow_function":
		f := l.lowerFunction(d, nil)
		if f.Name = l.t.Text(l.t.Field(d, "name")); f.Name != "" {
			l.scope.Bind(f.Name, &ir.Binding{Func: f})
		}
		if isDefault {
			l.setExport("default", &ir.Expr{Kind: ir.Function, Func: f, Scope: l.scope, Start: f.Start, End: f.End})
		}
	default:
		l.exports = true
		l.lowerStmt(d)
		l.exports = false
	}
	if isDefault {
		return
	}
	if name := l.t.Field(d, "name"); name != syntax.None {
		l.exportName(l.t.Text(name), l.t.Text(name))
	}
}

func (l *lowerer) exportClause(n, source syntax.Node) {
	for s := l.t.First(n); s != syntax.None; s = l.t.Next(s) {
		name, alias := l.renamed(s)
		if source != syntax.None {
			l.reexport(alias, unquote(l.t.Text(source)), name, s)
		} else {
			l.exportName(alias, name)
		}
	}
}

// exportCall reads what compilers write for exports: Object.defineProperty(exports, "x",
// { get: () => y }) and __exportStar(require("./x"), exports).
func (l *lowerer) exportCall(x *ir.Expr) {
	switch x.X.Text {
	case "defineProperty":
		if len(x.Args) != 3 || x.Args[0].Value.Text != "exports" || x.Args[1].Value.Kind != ir.String {
			return
		}
		for _, m := range x.Args[2].Value.Args {
			if m.Name == "get" && m.Value != nil && m.Value.Func != nil {
				for _, s := range m.Value.Func.Body {
					if s.Step == ir.Return && s.X != nil {
						l.setExport(x.Args[1].Value.Text, s.X)
					}
				}
			}
		}
	case "__exportStar":
		if len(x.Args) == 0 || x.Args[0].Value.Kind != ir.Call || len(x.Args[0].Value.Args) != 1 {
			return
		}
		if spec := x.Args[0].Value.Args[0].Value; spec.Kind == ir.String {
			l.mod.All = append(l.mod.All, l.newImport(spec.Text, "", l.mod.Scope, 0))
		}
	}
}

var extensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}

// A tree is where modules are looked up.
type tree struct {
	byPath   map[string]*ir.Module
	packages map[string]string // directories of packages by name: a workspace has several
}

// addPackage notes the name that a package.json gives its directory. One that cannot be read names
// nothing.
func (t *tree) addPackage(f sink.File) {
	var p struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(f.Text, &p) == nil && p.Name != "" && t.packages[p.Name] == "" {
		t.packages[p.Name] = path.Dir(f.Path)
	}
}

// lookUpModule finds the module of an import: a relative one from the file, one with the usual
// aliases of a source directory by the directories above, one of a package of the same workspace by its name.
func (t *tree) lookUpModule(from, spec string) *ir.Module {
	switch {
	case strings.HasPrefix(spec, "."):
		return moduleAt(t.byPath, path.Join(path.Dir(from), spec))
	case strings.HasPrefix(spec, "@/"), strings.HasPrefix(spec, "~/"):
		return t.lookUpAbove(from, spec[2:])
	case strings.HasPrefix(spec, "#"), strings.HasPrefix(spec, "/"):
		return t.lookUpAbove(from, spec[1:])
	case strings.HasPrefix(spec, "src/"):
		return t.lookUpAbove(from, spec)
	}
	parts := strings.SplitN(spec, "/", 3)
	n := 1
	if strings.HasPrefix(spec, "@") {
		n = 2
	}
	if len(parts) < n {
		return nil
	}
	dir, ok := t.packages[strings.Join(parts[:n], "/")]
	if !ok {
		return nil
	}
	rest := path.Join(parts[n:]...)
	for _, base := range []string{"src", "", "dist", "build", "lib"} {
		if m := moduleAt(t.byPath, path.Join(dir, base, rest)); m != nil {
			return m
		}
	}
	return nil
}

// lookUpAbove looks for a path below the directories above a file, and their src.
func (t *tree) lookUpAbove(from, spec string) *ir.Module {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		for _, base := range []string{dir, path.Join(dir, "src")} {
			if m := moduleAt(t.byPath, path.Join(base, spec)); m != nil {
				return m
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

func moduleAt(byPath map[string]*ir.Module, name string) *ir.Module {
	if m := byPath[name]; m != nil {
		return m
	}
	stem := name
	switch path.Ext(name) { // an import of x.js may mean x.ts
	case ".js", ".mjs", ".cjs", ".jsx":
		stem = strings.TrimSuffix(name, path.Ext(name))
	}
	for _, s := range []string{stem, name} {
		for _, ext := range extensions {
			if m := byPath[s+ext]; m != nil {
				return m
			}
		}
	}
	for _, ext := range extensions {
		if m := byPath[path.Join(name, "index"+ext)]; m != nil {
			return m
		}
	}
	return nil
}
