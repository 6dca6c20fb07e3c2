// Package typescript finds the handlers of MCP servers written in TypeScript or JavaScript,
// compiled output and bundles too, and what they reach: registerTool, tool, addTool,
// setRequestHandler with its dispatch, objects and classes that hold a tool's name and its
// handler. Sources come in, facts go out; nothing is executed.
package typescript

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

var convention = sync.OnceValue(func() *callgraph.Convention {
	return &callgraph.Convention{
		Language: "typescript", Table: callgraph.MustTable(table), Constructor: "constructor", Call: "call",
		Require:        callgraph.Names("require __require import createRequire() module.createRequire()"),
		Wrappers:       callgraph.Names("__importDefault __importStar __toESM __toCommonJS __name __awaiter __generator __rest __spreadArray __decorate __metadata __publicField __privateGet __privateAdd __classPrivateFieldGet __classPrivateFieldSet __asyncValues __await _interopRequireDefault _interopRequireWildcard _interopDefault _interopNamespace _asyncToGenerator"),
		Join:           func(module, name string) string { return module + "/" + name },
		Package:        func(spec string) string { return strings.TrimPrefix(spec, "node:") },
		Decorators:     callgraph.Names("tool Tool"),
		BareDecorators: callgraph.Names("Tool tool McpTool MCPTool"),
		Dispatchers:    callgraph.Names("setRequestHandler"),
		Registers:      callgraph.Names("tool registerTool addTool registerAppTool registerToolTask defineTool createTool"),
		Servers:        []string{"@modelcontextprotocol/", "fastmcp", "mcp-", "@fastmcp", "@mastra/mcp", "@vercel/mcp", "mcp-framework"},
		Handlers:       callgraph.Names("handler handle execute run callback cb call fn func function invoke implementation toolCallback action resolve handleRequest executeTool logic handleExecute"),
	}
})

// Reads reports whether a file is TypeScript or JavaScript, or says what a package is called.
func Reads(name string) bool {
	if name == "package.json" {
		return true
	}
	for _, ext := range extensions {
		if strings.HasSuffix(name, ext) {
			return true
		}
	}
	return false
}

func grammar(name string) *syntax.Language {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return syntax.TypeScript()
	case ".tsx":
		return syntax.TSX()
	}
	return syntax.JavaScript()
}

// Analyse reads files and returns what it found; files that could not be read are in errs by
// their index. tools are names that the server lists, if known; stop, which may be nil, is asked
// now and then whether to give up. Compiled files beside their sources are left out, unless they
// hold what their sources do not, and what imports them finds the sources.
func Analyse(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error) {
	prog := &ir.Program{}
	errs := map[int]error{}
	found := &tree{byPath: map[string]*ir.Module{}, packages: map[string]string{}}
	compiled := compiledTwins(files)
	var texts []syntax.Text
	var at []int // in files
	for i, f := range files {
		switch {
		case path.Base(f.Path) == "package.json":
			found.addPackage(f)
		case compiled[f.Path] == "":
			texts, at = append(texts, syntax.Text{Language: grammar(f.Path), Source: f.Text}), append(at, i)
		}
	}
	syntax.Each(texts, stop, func(i int, t *syntax.Tree, err error) {
		if err != nil {
			errs[at[i]] = err
			return
		}
		path := files[at[i]].Path
		found.byPath[path] = lowerFile(prog, t, path)
	})
	for file, source := range compiled {
		found.byPath[file] = found.byPath[source]
	}
	prog.Lookup = func(from *ir.File, spec string) *ir.Module { return found.lookUpModule(from.Path, spec) }
	g, out := callgraph.Open(prog, convention(), tools)
	taint.Follow(g, out)
	survey.Add(g, nil, out)
	return out, errs
}
