// Package golang finds the handlers of MCP servers written in Go, and what they reach: the
// official SDK's AddTool, that of mark3labs/mcp-go, and values that hold a tool beside its
// handler. It reads with the standard library's parser, so every build has it. Sources come in, facts
// go out; nothing is executed.
package golang

import (
	_ "embed" // the table
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/engine/survey"
	"gauntlet/internal/engine/taint"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

//go:embed sinks.txt
var table string

var convention = sync.OnceValue(func() *callgraph.Convention {
	return &callgraph.Convention{
		Language: "go", Table: callgraph.MustTable(table), AllExported: true, Literals: true,
		Constructor: "\x00", Call: "\x00", // there is none
		Join:      func(module, name string) string { return module + "/" + name },
		Package:   func(spec string) string { return spec },
		Registers: callgraph.Names("AddTool NewServerTool RegisterTool AddReceivingTool"),
		Servers:   []string{"github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go", "github.com/metoro-io/mcp-golang"},
		Describes: callgraph.Names("Tool NewTool NewToolWithRawSchema"),
		Handlers:  callgraph.Names("Handler HandlerFunc Handle Execute Run handler"),
	}
})

// Reads reports whether a file is Go, or says what the module is called.
func Reads(name string) bool { return strings.HasSuffix(name, ".go") || name == "go.mod" }

// maxBytes is the longest file that is parsed; the parser takes linear time.
const maxBytes = 8 << 20

var errTooLarge = errors.New("the file is too large to parse")

// Analyse reads files and returns what it found; files that could not be read are in errs by
// their index. A file with syntax errors is read as far as it goes. tools are names that the server
// lists, if known; stop, which may be nil, is asked between files whether to give up.
func Analyse(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error) {
	r := &reader{prog: &ir.Program{}, packages: map[string]*pkg{}, modules: map[string]string{}}
	errs := map[int]error{}
	versions := survey.Versions{}
	for i, f := range files {
		switch {
		case path.Base(f.Path) == "go.mod":
			r.modules[path.Dir(f.Path)] = modulePath(f.Text)
			versions.AddModules(string(f.Text))
		case len(f.Text) > maxBytes:
			errs[i] = errTooLarge
		case stop != nil && stop():
			errs[i] = errors.New("reading took too long and was stopped")
		default:
			if err := r.parseFile(f); err != nil {
				errs[i] = err
			}
		}
	}
	r.lowerPackages()
	r.prog.Lookup = r.lookUpPackage
	g, out := callgraph.Open(r.prog, convention(), tools)
	taint.Follow(g, out)
	survey.Add(g, versions, out)
	return out, errs
}

type reader struct {
	prog     *ir.Program
	packages map[string]*pkg   // by directory
	modules  map[string]string // module path by directory of go.mod
}

// pkg is a directory of files with one scope.
type pkg struct {
	dir   string
	mod   *ir.Module
	files []*parsed
}

type parsed struct {
	ast   *ast.File
	fset  *token.FileSet
	file  *ir.File
	scope *ir.Scope // of the file: its imports
}

func (r *reader) parseFile(f sink.File) error {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path.Base(f.Path), f.Text, parser.SkipObjectResolution)
	if tree == nil || tree.Name == nil || tree.Name.Name == "" || tree.Name.Name == "_" && err != nil {
		return err
	}
	dir := path.Dir(f.Path)
	p := r.packages[dir]
	if p == nil {
		p = &pkg{dir: dir, mod: &ir.Module{Path: dir, Scope: ir.NewScope(nil), Exports: map[string]*ir.Expr{}}}
		p.mod.Scope.Module = p.mod
		r.packages[dir] = p
	}
	file := &ir.File{Path: f.Path, Source: f.Text, Broken: err != nil}
	scope := ir.NewScope(p.mod.Scope)
	scope.File = file
	if p.mod.Scope.File == nil {
		p.mod.Scope.File = file
	}
	p.files = append(p.files, &parsed{tree, fset, file, scope})
	r.prog.Files = append(r.prog.Files, file)
	return nil
}

// lowerPackages reads types first and functions second, since methods are declared anywhere.
func (r *reader) lowerPackages() {
	var dirs []string
	for dir := range r.packages {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		p := r.packages[dir]
		r.prog.Modules = append(r.prog.Modules, p.mod)
		var ls []*lowerer
		for _, f := range p.files {
			l := &lowerer{Writer: ir.To(&p.mod.Body), prog: r.prog, pkg: p.mod.Scope, scope: f.scope, file: f.file, base: f.fset.File(f.ast.FileStart).Base()}
			l.bindImports(f.ast)
			for _, d := range f.ast.Decls {
				l.lowerSpecs(d, l.pkg, true)
			}
			ls = append(ls, l)
		}
		for i, f := range p.files {
			ls[i].declarations(f.ast)
		}
	}
}

// modulePath reads the line "module …" of a go.mod.
func modulePath(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}

// lookUpPackage finds the directory of an import: through go.mod; without one, by the end of its path.
func (r *reader) lookUpPackage(_ *ir.File, spec string) *ir.Module {
	best, longest := (*pkg)(nil), -1
	for dir, module := range r.modules {
		rest, ok := strings.CutPrefix(spec, module)
		if !ok || module == "" || rest != "" && rest[0] != '/' {
			continue
		}
		if p := r.packages[path.Join(dir, rest)]; p != nil && (len(module) > longest || len(module) == longest && p.dir < best.dir) {
			best, longest = p, len(module)
		}
	}
	if best != nil {
		return best.mod
	}
	if len(r.modules) > 0 || !strings.Contains(spec, ".") {
		return nil
	}
	for dir := spec; strings.Contains(dir, "/"); {
		_, dir, _ = strings.Cut(dir, "/")
		if p := r.packages[dir]; p != nil {
			return p.mod
		}
	}
	return nil
}
