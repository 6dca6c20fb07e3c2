// Package python finds the handlers of MCP servers written in Python, and what they reach:
// FastMCP's decorators, add_tool, and the dispatch of the low-level Server. Sources come in,
// facts go out; nothing is executed.
package python

import (
	_ "embed" // the table
	"path"
	"strings"
	"sync"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/engine/survey"
	"gauntlet/internal/engine/taint"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
	"gauntlet/sink"
)

//go:embed sinks.txt
var table string

// convention says how Python and its SDKs do things.
var convention = sync.OnceValue(func() *callgraph.Convention {
	return &callgraph.Convention{
		Language: "python", Table: callgraph.MustTable(table), Constructor: "__init__", Call: "__call__", AllExported: true,
		Require: callgraph.Names("__import__ importlib.import_module"),
		Join:    joinModule, Package: func(spec string) string { return spec },
		Decorators:  callgraph.Names("tool mcp_tool"),
		Dispatchers: callgraph.Names("call_tool"),
		Registers:   callgraph.Names("add_tool register_tool from_function tool"),
		Servers:     []string{"mcp.", "fastmcp.", "mcp_", "arcade_mcp"},
		Describes:   callgraph.Names("Tool ToolDefinition"),
		Handlers:    callgraph.Names("handler function func fn callback execute run run_tool call call_tool"),
	}
})

// manifests say which versions of packages a program wants.
var manifests = map[string]bool{"pyproject.toml": true, "requirements.txt": true}

// Reads reports whether a file is Python, or says which packages a program wants.
func Reads(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".py" || ext == ".pyw" || manifests[name]
}

// Analyse reads files, in the order in which they come, and returns what it found; files that could not
// be read are in errs by their index. tools are names that the server lists, if known; stop,
// which may be nil, is asked now and then whether to give up.
func Analyse(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error) {
	prog := &ir.Program{}
	errs := map[int]error{}
	versions := survey.Versions{}
	var texts []syntax.Text
	var at []int // in files
	for i, f := range files {
		if manifests[path.Base(f.Path)] {
			versions.Add(string(f.Text))
			continue
		}
		texts, at = append(texts, syntax.Text{Language: syntax.Python(), Source: f.Text}), append(at, i)
	}
	syntax.Each(texts, stop, func(i int, t *syntax.Tree, err error) {
		if err != nil {
			errs[at[i]] = err
			return
		}
		lowerFile(prog, t, files[at[i]].Path)
	})
	byPath := map[string]*ir.Module{}
	for i, m := range prog.Modules {
		byPath[prog.Files[i].Path] = m
	}
	prog.Lookup = func(from *ir.File, spec string) *ir.Module { return lookUpModule(byPath, from.Path, spec) }
	g, out := callgraph.Open(prog, convention(), tools)
	taint.Follow(g, out)
	survey.Add(g, versions, out)
	return out, errs
}

func moduleName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__"), "/", ".")
}

func joinModule(module, name string) string {
	if strings.HasSuffix(module, ".") {
		return module + name
	}
	return module + "." + name
}

// lookUpModule finds a module: a relative one from the directory of the file, an absolute one in
// any directory above the file, as one of those is on the path.
func lookUpModule(byPath map[string]*ir.Module, from, spec string) *ir.Module {
	dir := path.Dir(from)
	if rest := strings.TrimLeft(spec, "."); rest != spec {
		for range len(spec) - len(rest) - 1 {
			dir = path.Dir(dir)
		}
		return moduleIn(byPath, dir, rest)
	}
	for {
		for _, base := range []string{dir, path.Join(dir, "src")} {
			if m := moduleIn(byPath, base, spec); m != nil {
				return m
			}
		}
		if dir == "." || dir == "/" {
			return nil
		}
		dir = path.Dir(dir)
	}
}

func moduleIn(byPath map[string]*ir.Module, dir, spec string) *ir.Module {
	name := path.Join(dir, strings.ReplaceAll(spec, ".", "/"))
	if m := byPath[name+".py"]; m != nil {
		return m
	}
	return byPath[path.Join(name, "__init__.py")]
}
