package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestArchitecture reads the module as it is on disk.
func TestArchitecture(t *testing.T) {
	const root = "../.."
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(gomod), "\n")
	module := strings.TrimSpace(strings.TrimPrefix(line, "module "))
	sources, err := readModule(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations(module, table, sources) {
		t.Error(v)
	}
}

// Each package stands once in the table of the architecture page, with its layer.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string][]string{}
	folder := "" // of the rows that follow, from their heading
	for line := range strings.Lines(string(page)) {
		if heading, ok := strings.CutPrefix(line, "### "); ok {
			folder = ""
			if strings.HasPrefix(heading, "`") {
				folder = strings.Trim(heading, "`\n") + "/"
			}
		}
		cells := strings.Split(line, "|")
		if _, err := strconv.Atoi(strings.TrimSpace(cells[min(1, len(cells)-1)])); len(cells) != 5 || err != nil {
			continue
		}
		for path := range strings.SplitSeq(cells[2], ",") {
			path = folder + strings.Trim(path, " `")
			layers[path] = append(layers[path], strings.TrimSpace(cells[1]))
		}
	}
	for _, r := range table {
		if got := layers[r.path]; len(got) != 1 || got[0] != strconv.Itoa(int(r.layer)) {
			t.Errorf("docs/architecture.md has %s in the layers %q, want it once, in %d", r.path, got, r.layer)
		}
		delete(layers, r.path)
	}
	for path := range layers {
		t.Errorf("docs/architecture.md has a row for %s, which is in no layer", path)
	}
}

// The table of the cases below: two leaves, two engines above them, one package with I/O,
// the command line and main.
var small = []row{
	{path: "leaf", layer: 0},
	{path: "other", layer: 0, deps: []string{"golang.org/x/text"}},
	{path: "engine", layer: 1, may: []string{"leaf"}},
	{path: "engine/lane", layer: 2, may: []string{"engine", "leaf"}},
	{path: "join", layer: 3, may: []string{"engine/*"}},
	{path: "wire", layer: 3, not: impure},
	{path: "cli", layer: 4, may: []string{"*"}, not: impure | userFace},
	{path: "internal/cli", layer: 4, may: []string{"*"}, not: impure | userFace},
	{path: "cmd", layer: 5, may: []string{"cli"}, not: impure | userFace | mayExit},
}

func TestRules(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"down", "engine/a.go", `import "m/leaf"`, ""},
		{"up", "leaf/a.go", `import "m/engine"`, "leaf/a.go:2: package leaf imports engine: upwards, from layer 0 to 1"},
		{"sideways", "leaf/a.go", `import "m/other"`, "sideways, inside layer 0"},
		{"down but not allowed", "engine/a.go", `import "m/other"`, "its row does not allow it"},
		{"renamed import", "leaf/a.go", `import x "m/engine"`, "upwards"},
		{"blank imports both seen", "leaf/a.go", "import (\n_ \"m/engine\"\n_ \"m/other\"\n)", "sideways"},
		{"one level below", "join/a.go", `import "m/engine/lane"`, ""},
		{"the pattern does not cover the parent", "join/a.go", `import "m/engine"`, "its row does not allow it"},
		{"cli may everything below", "cli/a.go", "import (\n\"m/leaf\"\n\"m/wire\"\n)", ""},
		{"cli may not import main", "cli/a.go", `import "m/cmd"`, "upwards"},
		{"import of an unknown package", "engine/a.go", `import "m/ghost"`, "it is in no layer"},
		{"a module with a longer name is another", "wire/a.go", `import "m2.example/engine"`, ""},

		{"unknown package", "ghost/a.go", ``, "package ghost is in no layer: add a row for it to the table in internal/archtest/layers_test.go and a sentence to docs/architecture.md"},
		{"util", "util/a.go", ``, `package util: the name "util" says nothing`},
		{"helpers below", "leaf/helpers/a.go", ``, `the name "helpers" says nothing`},
		{"helper", "helper/a.go", ``, `the name "helper"`},
		{"common", "common/a.go", ``, `the name "common"`},
		{"misc", "misc/a.go", ``, `the name "misc"`},
		{"commonplace is a word", "leaf/commonplace.go", ``, ""},

		{"os in a pure package", "leaf/a.go", `import "os"`, "package leaf imports os: pure packages do no I/O"},
		{"os/exec in a pure package", "leaf/a.go", `import "os/exec"`, "pure packages do no I/O"},
		{"net/http in a pure package", "leaf/a.go", `import "net/http"`, "pure packages do no I/O"},
		{"net/url parses only", "leaf/a.go", `import "net/url"`, ""},
		{"C in a pure package", "leaf/a.go", `import "C"`, "pure packages do no I/O"},
		{"os in a package with I/O", "wire/a.go", "import \"os\"\nvar _ = os.ReadFile", ""},
		{"lexical filepath", "leaf/a.go", "import \"path/filepath\"\nvar _ = filepath.Base", ""},
		{"WalkDir", "leaf/a.go", "import \"path/filepath\"\nvar _ = filepath.WalkDir", "uses filepath.WalkDir: pure packages do no I/O"},
		{"time as a type", "leaf/a.go", "import \"time\"\nvar _ time.Duration", ""},
		{"time.Now", "leaf/a.go", "import \"time\"\nvar _ = time.Now()", "leaf/a.go:3: package leaf uses time.Now: time is a parameter"},
		{"time.Now as a value", "leaf/a.go", "import \"time\"\nvar clock = time.Now", "uses time.Now"},
		{"time.Since", "leaf/a.go", "import \"time\"\nvar _ = time.Since", "uses time.Since"},
		{"renamed time", "leaf/a.go", "import t \"time\"\nvar _ = t.Now()", "uses time.Now"},
		{"a field called like a package", "leaf/a.go", "import \"time\"\ntype t struct{ time time.Duration; x struct{ Now int } }\nfunc (v t) f() { _ = v.x.Now }", ""},
		{"dot import", "leaf/a.go", `import . "time"`, "dot import of time"},
		{"time.Now in a package with I/O", "wire/a.go", "import \"time\"\nvar _ = time.Now()", ""},

		{"os.Exit in cmd", "cmd/a.go", "import \"os\"\nfunc main() { os.Exit(0) }", ""},
		{"os.Exit in cli", "cli/a.go", "import \"os\"\nfunc f() { os.Exit(0) }", "package cli uses os.Exit: only cmd ends the process"},
		{"environment in cli", "cli/a.go", "import \"os\"\nvar _ = os.Getenv", ""},
		{"environment elsewhere", "wire/a.go", "import \"os\"\nvar _ = os.Getenv", "uses os.Getenv: only internal/cli sees environment"},
		{"arguments elsewhere", "wire/a.go", "import \"os\"\nvar _ = os.Args", "uses os.Args"},
		{"standard output elsewhere", "wire/a.go", "import \"os\"\nvar _ = os.Stdout", "uses os.Stdout: only internal/cli sees the standard streams"},
		{"flag in cli", "cli/a.go", `import "flag"`, ""},
		{"flag elsewhere", "wire/a.go", `import "flag"`, "only internal/cli sees flags"},
		{"cobra elsewhere", "wire/a.go", `import "github.com/spf13/cobra"`, "only internal/cli sees flags"},

		{"Sprint is no print", "leaf/a.go", "import \"fmt\"\nvar _ = fmt.Sprint", ""},
		{"Fprintln to a given writer", "leaf/a.go", "import \"fmt\"\nvar _ = fmt.Fprintln", ""},
		{"Println", "leaf/a.go", "import \"fmt\"\nfunc f() { fmt.Println() }", "uses fmt.Println: library code never prints"},
		{"Printf with I/O", "wire/a.go", "import \"fmt\"\nfunc f() { fmt.Printf(\"\") }", "uses fmt.Printf"},
		{"built-in println", "leaf/a.go", "func f() { println() }", "calls println"},
		{"log", "wire/a.go", `import "log"`, "library code never logs"},
		{"log/slog", "wire/a.go", `import "log/slog"`, "library code never logs"},

		{"a verdict in the command line", "internal/cli/a.go", `import "gauntlet/verdict"`, "verdicts are decided below the command line"},
		{"a verdict elsewhere", "leaf/a.go", `import "gauntlet/verdict"`, ""},
		{"a finding made in the command line", "internal/cli/a.go", "import \"gauntlet/finding\"\nvar _ = finding.Finding{}", "findings are made below the command line"},
		{"a problem in the command line", "internal/cli/a.go", "import \"gauntlet/finding\"\nvar _ = finding.Problem{}", ""},
		{"an outcome set in the command line", "internal/cli/a.go", "func f(r *report) { r.Verdict.Outcome = \"resisted\" }", "package internal/cli sets Outcome"},
		{"an outcome shown in the command line", "internal/cli/a.go", "func f(r *report) string { return r.Verdict.Outcome }", ""},

		{"init function", "leaf/a.go", "func init() {}", "leaf/a.go:2: init function"},
		{"init in main too", "cmd/a.go", "func init() {}", "init function"},
		{"a method called init", "leaf/a.go", "type t int\nfunc (t) init() {}", ""},

		{"listed dependency", "other/a.go", `import "golang.org/x/text/unicode/norm"`, ""},
		{"dependency of nobody", "leaf/a.go", `import "golang.org/x/text/unicode/norm"`, "lists its third-party modules"},
		{"dependency with a similar name", "other/a.go", `import "golang.org/x/textual"`, "lists its third-party modules"},
		{"dependency of a package with I/O", "wire/a.go", `import "golang.org/x/term"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := parse(tt.file, "package p\n"+tt.text+"\n")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(violations("m", small, fill(t, small, src)), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("%s with %q gives %q, want %q", tt.file, tt.text, got, tt.want)
			}
		})
	}
}

// fill adds an empty file for each row but that of src, so that only src is at fault.
func fill(t *testing.T, rows []row, src source) []source {
	t.Helper()
	out := []source{src}
	for _, r := range rows {
		if r.path == src.dir {
			continue
		}
		empty, err := parse(r.path+"/empty.go", "package p\n")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, empty)
	}
	return out
}

func TestTableIsJudgedToo(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows []row
		want string
	}{
		{"a row that allows upwards", []row{{path: "a", may: []string{"b"}}, {path: "b", layer: 1}}, "table: a (layer 0) may import b (layer 1)"},
		{"a row that allows sideways", []row{{path: "a", may: []string{"b"}}, {path: "b"}}, "want a lower layer"},
		{"a row that allows the unknown", []row{{path: "a", may: []string{"b"}}}, "may import b, which has no row"},
		{"two rows", []row{{path: "a"}, {path: "a"}}, "table: a has two rows"},
		{"a row without a package", []row{{path: "a"}}, "package a has a row and no source file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(violations("m", tt.rows, nil), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWhatIsRead(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": "package a", "a/ignored.go": "//go:build ignore\n\npackage a", "a/a_plan9.go": "//go:build never\n\npackage a",
		"a/gen.go": "//go:build ignore\n\npackage main", "a/a_test.go": "broken", "a/testdata/x.go": "broken", "a/.x.go": "broken", ".git/x.go": "broken",
		"_old/x.go": "broken", "vendor/x.go": "broken", "nested/go.mod": "module n", "nested/x.go": "broken", "a/notes.txt": "broken",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := readModule(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sources {
		got = append(got, s.fset.Position(s.file.Pos()).Filename)
	}
	if want := []string{"a/a.go", "a/a_plan9.go", "a/ignored.go"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}
