// Package langtest is the golden harness of the languages; tests only.
package langtest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/sink"
)

// Golden analyses each testdata/*.txtar and compares what was found with its section "want".
// With update it writes that section and fails, so that nobody blesses a golden unread. A section
// "tools", if there, lists the names that the server is said to list.
func Golden(t *testing.T, update bool, analyse func(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var files []sink.File
			var tools []string
			want := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "want":
					want = i
				case "tools":
					tools = strings.Fields(string(f.Data))
				default:
					files = append(files, sink.File{Path: f.Name, Text: f.Data})
				}
			}
			sources, errs := analyse(files, tools, nil)
			got := Show(sources, errs)
			if want >= 0 && string(archive.Files[want].Data) == got {
				return
			}
			if update {
				if want < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = len(archive.Files) - 1
				}
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Fatalf("wrote %s; read it:\n%s", path, got)
			}
			old := "(nothing)"
			if want >= 0 {
				old = string(archive.Files[want].Data)
			}
			t.Errorf("got\n%s\nwant\n%s", got, old)
		})
	}
}

// Show writes what was found, a line a fact.
func Show(s *sink.Sources, errs map[int]error) string {
	var b strings.Builder
	for _, h := range s.Handlers {
		whole := ""
		if h.Complete() {
			whole = ", read whole"
		}
		fmt.Fprintf(&b, "%s: %s %s%s\n", h.Tool, h.Via, h.At, whole)
		for _, c := range h.Calls {
			fmt.Fprintf(&b, "  %s %s %s\n", c.Tag, c.Strength, c.Evidence())
		}
		for _, g := range h.Gaps {
			fmt.Fprintf(&b, "  not read: %s\n", g)
		}
		showFlows(&b, h.Flows)
	}
	for _, h := range s.Resources {
		fmt.Fprintf(&b, "resource %s\n", h.Func)
		showFlows(&b, h.Flows)
	}
	for _, name := range s.Missing() {
		fmt.Fprintf(&b, "%s: no handler\n", name)
	}
	for _, i := range slices.Sorted(maps.Keys(errs)) {
		fmt.Fprintf(&b, "file %d: %v\n", i, errs[i])
	}
	return b.String()
}

func showFlows(b *strings.Builder, flows []sink.Flow) {
	for _, f := range flows {
		fmt.Fprintf(b, "  flow %s: %s reaches %s at %s; %s\n", f.Kind, f.Param, f.Name, f.At, f.Guard)
		for _, step := range f.Steps {
			fmt.Fprintf(b, "    %d %s\n", step.At.Line, step.What)
		}
	}
}

// Update is the flag -update of the test that imports this package.
func Update() *bool { return flag.Bool("update", false, "write the goldens, then read them") }

// Fuzz feeds a text that nobody wrote to a language, beside a file that registers a tool. What comes
// back must be the same twice, and every place must lie in its file.
func Fuzz(f *testing.F, name, beside string, besideText string, analyse func(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error)) {
	f.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if filepath.Ext(file.Name) == filepath.Ext(name) {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		files := []sink.File{{Path: name, Text: text}, {Path: beside, Text: []byte(besideText)}}
		sources, errs := analyse(files, []string{"one", "two"}, nil)
		again, errsAgain := analyse(files, []string{"one", "two"}, nil)
		if got, want := Show(again, errsAgain), Show(sources, errs); got != want {
			t.Errorf("the second time\n%s\nthe first time\n%s", got, want)
		}
		sizes := map[string]int{name: len(text), beside: len(besideText)}
		for _, h := range sources.Handlers {
			places := []sink.Call{}
			for _, f := range h.Flows {
				places = append(places, sink.Call{Name: f.Name, At: f.At})
				for _, step := range f.Steps {
					places = append(places, sink.Call{Name: step.What, At: step.At})
				}
			}
			for _, c := range append(places, h.Calls...) {
				if at := c.At; at.Line < 1 || at.Start < 0 || at.Start > at.End || at.End > sizes[at.File] {
					t.Errorf("%s: %s lies outside of the file, %d bytes long: %+v", h.Tool, c.Name, sizes[at.File], at)
				}
			}
		}
	})
}

// Files reads the sources below the directory that GAUNTLET_BENCH_SOURCE names, and their length: the
// benchmarks want what people wrote. Without it they are skipped.
func Files(b *testing.B, reads func(name string) bool) (files []sink.File, n int64) {
	b.Helper()
	dir := os.Getenv("GAUNTLET_BENCH_SOURCE")
	if dir == "" {
		b.Skip("GAUNTLET_BENCH_SOURCE names no directory of sources")
	}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !reads(d.Name()) {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		files = append(files, sink.File{Path: filepath.ToSlash(rel), Text: text})
		n += int64(len(text))
		return err
	})
	if err != nil || len(files) == 0 {
		b.Fatal("no sources", err)
	}
	return files, n
}

// BenchmarkAnalyse measures all of the analysis, parsing included.
func BenchmarkAnalyse(b *testing.B, reads func(name string) bool, analyse func(files []sink.File, tools []string, stop func() bool) (*sink.Sources, map[int]error)) {
	files, n := Files(b, reads)
	b.SetBytes(n)
	for b.Loop() {
		analyse(files, nil, nil)
	}
}
