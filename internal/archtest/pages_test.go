package archtest

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders are the levels of the architecture page, lowest first. Public packages are the
// level "".
var folders = []string{"internal/leaf", "", "internal/engine", "internal/runtime", "internal/run", "internal/cli", "cmd", "internal/testing"}

// folderExceptions are the imports against the levels that the architecture page names.
var folderExceptions = map[string][]string{
	"internal/leaf": {"rawjson", "finding"},
	"scan":          {"internal/engine/advice", "internal/engine/check", "internal/engine/scanner"},
}

// TestFolders holds imports to the levels of the folders: no folder imports from one above it.
func TestFolders(t *testing.T) {
	sources, err := readModule("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range sources {
		for _, spec := range src.file.Imports {
			own, ok := strings.CutPrefix(importPath(spec), "gauntlet/")
			if ok && importsUpwards(src.dir, own) {
				t.Errorf("%s imports %s: its folder is above; see docs/architecture.md", src.dir, own)
			}
		}
	}
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"internal/leaf/text", "rawjson", false},
		{"internal/leaf/text", "catalog", true},
		{"catalog", "internal/leaf/text", false},
		{"catalog", "internal/engine/check", true},
		{"scan", "internal/engine/scanner", false},
		{"internal/engine/check", "internal/runtime/wire", true},
		{"internal/runtime/wire", "internal/run/launch", true},
		{"internal/run/launch", "internal/runtime/wire", false},
		{"internal/run/launch", "internal/cli", true},
	} {
		if got := importsUpwards(tt.from, tt.to); got != tt.want {
			t.Errorf("importsUpwards(%s, %s) = %t, want %t", tt.from, tt.to, got, tt.want)
		}
	}
}

func importsUpwards(from, to string) bool {
	excepted := slices.Concat(folderExceptions[from], folderExceptions[path.Dir(from)])
	return folderLevel(to) > folderLevel(from) && !slices.Contains(excepted, to)
}

// folderLevel returns the index of a package's level in folders.
func folderLevel(dir string) int {
	for i, folder := range folders {
		if folder != "" && under(dir, folder) {
			return i
		}
	}
	return slices.Index(folders, "")
}

var (
	pagePath        = regexp.MustCompile(`[a-zA-Z0-9_.*-]+(?:/[a-zA-Z0-9_.*-]+)+`)
	pageName        = regexp.MustCompile(`\b([a-z][a-z0-9]*)((?:\.[A-Z][A-Za-z0-9]*)+)`)
	pagePlaceholder = regexp.MustCompile(`[A-Z]{3,}(?:-[A-Z0-9]+)*|ID|…`)
)

// What CONTRIBUTING.md tells its reader to create.
var pageCreates = []string{
	"internal/engine/check/surface/unencrypted_icon.go", "internal/engine/check/surface/testdata/SEC-900.txtar",
	"report/plain.go", "report/testdata/plain.txtar", "internal/runtime/discover/testdata/example-editor.txtar",
}

// TestPagesNameWhatExists looks up the paths and the exported names that the pages for
// developers mention. NAME, ID and the like in a path stand for any text.
func TestPagesNameWhatExists(t *testing.T) {
	const root = "../.."
	sources, err := readModule(root)
	if err != nil {
		t.Fatal(err)
	}
	names := declaredNames(sources)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		paths, found := 0, 0
		for _, p := range pagePath.FindAllString(string(text), -1) {
			first, _, _ := strings.Cut(p, "/")
			if slices.Contains(pageCreates, p) || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == first }) {
				continue
			}
			paths++
			pattern := strings.TrimRight(pagePlaceholder.ReplaceAllString(p, "*"), ".")
			if m, err := filepath.Glob(filepath.Join(root, pattern)); err != nil || m == nil {
				t.Errorf("%s names %s, which does not exist", page, p)
			}
		}
		for _, m := range pageName.FindAllStringSubmatch(string(text), -1) {
			declared, ok := names[m[1]]
			if !ok {
				continue // a package of the standard library, or a variable
			}
			for name := range strings.SplitSeq(m[2][1:], ".") {
				found++
				if !declared[name] {
					t.Errorf("%s names %s, and package %s declares no %s", page, m[0], m[1], name)
				}
			}
		}
		if paths < 20 || found < 8 {
			t.Errorf("%s: only %d paths and %d names were looked up", page, paths, found)
		}
	}
}

// declaredNames returns what packages declare, by the packages' names: types, functions,
// methods, fields, constants and variables.
func declaredNames(sources []source) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, src := range sources {
		pkg := src.file.Name.Name
		if out[pkg] == nil {
			out[pkg] = map[string]bool{}
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				out[pkg][n.Name.Name] = true
			case *ast.TypeSpec:
				out[pkg][n.Name.Name] = true
			case *ast.ValueSpec:
				for _, id := range n.Names {
					out[pkg][id.Name] = true
				}
			case *ast.Field:
				for _, id := range n.Names {
					out[pkg][id.Name] = true
				}
			}
			return true
		})
	}
	return out
}
