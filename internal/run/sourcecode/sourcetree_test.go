package sourcecode

import (
	"context"
	"errors"
	"net"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "node_modules", "site-packages", "x") // what is above does not matter
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func python(name string) bool { return strings.HasSuffix(name, ".py") }

func names(t *testing.T, dir string, l treeLimits) (string, []finding.Problem) {
	t.Helper()
	files, _, problems, err := readTree(context.Background(), dir, python, l)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " "), problems
}

func TestReadsWhatIsTheServersOwn(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.py": "", "a/x.py": "", "a/test_x.py": "", "a/x_test.py": "", "conftest.py": "", "tests/y.py": "",
		"node_modules/p/z.py": "", ".venv/lib/q.py": "", ".hidden.py": "", "notes.txt": "", "src/latest/w.py": "",
		"env/pyvenv.cfg": "", "env/lib/v.py": "", "src/env/k.py": "",
	})
	got, problems := names(t, dir, treeLimits{})
	if want := ".hidden.py a/x.py b.py src/env/k.py src/latest/w.py"; got != want || len(problems) > 0 {
		t.Errorf("got %s, %v, want %s", got, problems, want)
	}
}

func TestLimitsAreReported(t *testing.T) {
	dir := tree(t, map[string]string{"a.py": "12345", "b.py": "1", "c/d/e.py": "1"})
	for _, tt := range []struct {
		name   string
		limits treeLimits
		want   string
		says   string
	}{
		{"files", treeLimits{Files: 1}, "a.py", "more than 1 source files"},
		{"bytes of a file", treeLimits{FileBytes: 4}, "b.py c/d/e.py", "longer than 4 bytes"},
		{"bytes of all", treeLimits{Bytes: 5}, "a.py", "more than 5 bytes of source"},
		{"depth", treeLimits{Depth: 1}, "a.py b.py", "more than 1 directories deep"},
		{"entries", treeLimits{Entries: 2}, "a.py", "more than 2 files and directories"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := names(t, dir, tt.limits)
			if got != tt.want || len(problems) != 1 || problems[0].Kind != finding.Limit || !strings.Contains(problems[0].Message, tt.says) {
				t.Errorf("got %q, %+v, want %q and %q", got, problems, tt.want, tt.says)
			}
		})
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := tree(t, map[string]string{"a.py": ""})
	outside := filepath.Join(t.TempDir(), "secret.py")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link.py": outside, "loop": dir, "elsewhere": filepath.Dir(outside), ".cache": filepath.Dir(outside), "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got, problems := names(t, dir, treeLimits{})
	if got != "a.py" || len(problems) != 2 || problems[0].Location.File != "elsewhere" || problems[1].Location.File != "link.py" {
		t.Errorf("got %q, %+v", got, problems)
	}
}

// What only looks like a source is named: a socket or a pipe called e.py can't be read as one.
func TestNoRegularFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sockets have no names there")
	}
	dir := tree(t, map[string]string{"a.py": ""})
	l, err := net.Listen("unix", filepath.Join(dir, "e.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, problems := names(t, dir, treeLimits{})
	if got != "a.py" || len(problems) != 1 || problems[0].Location.File != "e.py" {
		t.Errorf("got %q, %+v", got, problems)
	}
}

func TestErrors(t *testing.T) {
	dir := tree(t, map[string]string{"a.py": ""})
	if _, _, _, err := readTree(context.Background(), filepath.Join(dir, "none"), python, treeLimits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, _, _, err := readTree(context.Background(), filepath.Join(dir, "a.py"), python, treeLimits{}); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := readTree(ctx, dir, python, treeLimits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A source that is saved as UTF-16 or with a byte order mark is read like any other.
func TestEncodings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.py": "x = 1", "b.py": "\ufeffx = 1", "c.py": "\xff\xfex\x00 \x00=\x00 \x001\x00", "d.py": "\xfe\xff\x00x\x00 \x00=\x00 \x001"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, _, problems, err := readTree(t.Context(), dir, func(string) bool { return true }, treeLimits{})
	if err != nil || len(problems) > 0 || len(files) != 4 {
		t.Fatalf("%d files, %v, %v", len(files), problems, err)
	}
	for _, f := range files {
		if string(f.Text) != "x = 1" {
			t.Errorf("%s: %q", f.Path, f.Text)
		}
	}
}

// What a file that is read names of what is left out by its name is read as well, and what that names; nothing else is.
func TestWhatIsImportedIsRead(t *testing.T) {
	source := func(name string) bool {
		return slices.Contains([]string{".py", ".js", ".ts", ".mjs", ".go"}, filepath.Ext(name))
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // beside those that the walk reads
	}{
		{"a module of tests, and its neighbour", map[string]string{"index.js": `const h = require('./tests/helper')`, "tests/helper.js": `require("./more.js")`, "tests/more.js": "", "tests/other.js": ""}, "tests/helper.js tests/more.js"},
		{"what TypeScript calls by the name of its output", map[string]string{"src/a.ts": `import { x } from "../fixtures/x.js";`, "fixtures/x.ts": ""}, "fixtures/x.ts"},
		{"the index of a hidden folder", map[string]string{"a.mjs": "await import(`./.cache`)", ".cache/index.mjs": ""}, ".cache/index.mjs"},
		{"a dependency by its path", map[string]string{"a.js": `require("./node_modules/evil/run.js"); require("lodash")`, "node_modules/evil/run.js": "", "node_modules/lodash/index.js": ""}, "node_modules/evil/run.js"},
		{"a path in pieces", map[string]string{"lib/a.js": `require(join(__dirname, "..", 'e2e', 'run.js'))`, "e2e/run.js": ""}, "e2e/run.js"},
		{"a module that is called like a test", map[string]string{"a.js": `import "./a.test"`, "a.test.js": "", "b.test.js": ""}, "a.test.js"},
		{"a declaration of types", map[string]string{"a.ts": `import "./tests/a"`, "tests/a.d.ts": ""}, ""},
		{"an import of Python", map[string]string{"srv/a.py": "from tests.helper import run  # ours", "tests/helper.py": "from . import deep", "tests/deep.py": "", "tests/no.py": ""}, "tests/deep.py tests/helper.py"},
		{"a relative import", map[string]string{"srv/a.py": "from .vendor import http, ssl", "srv/vendor/http.py": "", "srv/vendor/__init__.py": "", "srv/vendor/no.py": ""}, "srv/vendor/__init__.py srv/vendor/http.py"},
		{"a module in quotes", map[string]string{"a.py": `importlib.import_module("tests.helper")`, "tests/helper.py": ""}, "tests/helper.py"},
		{"a module that begins like a test", map[string]string{"a.py": "import test_tools as t, os", "test_tools.py": "", "test_no.py": ""}, "test_tools.py"},
		{"a package of Go", map[string]string{"main.go": `import x "example.org/weather/testdata/x"`, "testdata/x/a.go": "", "testdata/x/a_test.go": "", "testdata/y/b.go": ""}, "testdata/x/a.go"},
		{"words that are no files", map[string]string{"a.js": `exclude: ["node_modules", "tests"]; run("tests/all.sh", "../../tests/helper.js")`, "tests/a.js": "", "node_modules/b.js": ""}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, _, problems, err := readTree(t.Context(), tree(t, tt.files), source, treeLimits{})
			if err != nil || len(problems) > 0 {
				t.Fatal(problems, err)
			}
			var out []string
			for _, f := range files {
				if leftOut(f.Path) {
					out = append(out, f.Path)
				}
			}
			if got := strings.Join(out, " "); got != tt.want {
				t.Errorf("read %q, want %q", got, tt.want)
			}
		})
	}
}

// A source of Python that is in UTF-7 or the like says to Python something else than its bytes say.
func TestCodings(t *testing.T) {
	for text, unread := range map[string]bool{
		"# -*- coding: utf-7 -*-\nx": true, "#!/usr/bin/env python3\n# vim: set fileencoding=unicode_escape :\n": true, "#coding=rot13": true,
		"# -*- coding: UTF-8 -*-": false, "# coding: latin_1": false, "# coding=cp1252": false, "x = 1\ny = 2\n# coding: utf-7": false, "coding = 'utf-7'": false,
		"# nothing": false, "": false,
	} {
		_, problems := names(t, tree(t, map[string]string{"a.py": text}), treeLimits{})
		if (len(problems) == 1 && problems[0].Kind == finding.Unread) != unread || !unread && len(problems) > 0 {
			t.Errorf("%q: %+v", text, problems)
		}
	}
}

// FuzzNamedIn: whatever a source holds, no name leads out of the tree or is longer than what is looked up, and names come once.
func FuzzNamedIn(f *testing.F) {
	f.Add("a.py", "from ..tests import a, b\nimport x.y as z # q")
	f.Add("a.js", "join('a', \"tests\", `x.js`)\nrequire('../../../etc/tests/passwd')")
	f.Fuzz(func(t *testing.T, file, text string) {
		seen := map[string]bool{}
		for spec := range namedIn(file, []byte(text)) {
			if seen[spec] || len(spec) > longestSpec {
				t.Errorf("%q twice, or too long", spec)
			}
			seen[spec] = true
		}
	})
}

// TestWhatStandsBeside: examples are read where there is nothing else.
func TestWhatStandsBeside(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"a library with examples", []string{"src/lib.py", "examples/server.py", "packages/e2e-tests/run.py"}, "src/lib.py"},
		{"examples and nothing else", []string{"examples/server.py", "examples/more/two.py", "pyproject.toml"}, "examples/more/two.py examples/server.py pyproject.toml"},
		{"an example beside a script", []string{"examples/server.py", "main.py"}, "main.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range tt.files {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, f), []byte("x = 1\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files, _, problems, err := readTree(t.Context(), dir, func(string) bool { return true }, treeLimits{})
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			var got []string
			for _, f := range files {
				got = append(got, f.Path)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

// A server in two languages hides in the second one; a project's scripts elsewhere do not count.
func TestProgramsBesideHandlers(t *testing.T) {
	const handler = "from mcp.server.fastmcp import FastMCP\nm = FastMCP('a')\n@m.tool()\ndef add(text: str) -> str:\n    return text\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"a second language", map[string]string{"main.rs": "fn main() {}", "lib.rs": ""}, []string{"2 .rs files"}},
		{"one line a kind", map[string]string{"a.pyz": "PK", "n.ipynb": "{}", "x.pyx": ""}, []string{"1 .ipynb file", "1 .pyx file", "1 .pyz file"}},
		{"a script that is read for its secrets", map[string]string{"run.sh": "true\n"}, []string{"1 .sh file"}},
		{"a program without an extension", map[string]string{"serve": "#!/usr/bin/env python3\n"}, []string{"1 program without an extension"}},
		{"texts", map[string]string{"LICENSE": "MIT", "README.md": "#!", "Makefile": "all:\n", "a": "", "style.css": ""}, nil},
		{"scripts elsewhere", map[string]string{"scripts/build.sh": "#!/bin/sh", "../release.ps1": ""}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"src/server.py": handler}
			for name, text := range tt.files {
				files[path.Join("src", name)] = text
			}
			a, err := Analyse(t.Context(), tree(t, files), []string{"add"})
			if err != nil || a.Err != nil || len(a.Problems) != len(tt.want) {
				t.Fatalf("%v, %v, %+v, want %q", err, a.Err, a.Problems, tt.want)
			}
			for i, want := range tt.want {
				if got := a.Problems[i].Message; !strings.HasSuffix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

// An old line end is one to Python: code behind a comment is read.
func TestOldLineEndsAreRead(t *testing.T) {
	files, _, _, err := readTree(t.Context(), tree(t, map[string]string{"a.py": "# b\rimport os\r\nos.system(x)\r", "b.go": "// c\rd\n"}), func(string) bool { return true }, treeLimits{})
	if err != nil || string(files[0].Text) != "# b\nimport os\r\nos.system(x)\n" || string(files[1].Text) != "// c\rd\n" {
		t.Errorf("%v, %q", err, files)
	}
}
