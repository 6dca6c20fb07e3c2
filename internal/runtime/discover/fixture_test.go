package discover

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/internal/engine/check/config"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// memory is a file system of texts by path.
type memory struct {
	texts map[string]string
	modes map[string]fs.FileMode
}

func (m memory) Mode(path string) (fs.FileMode, error) {
	if mode, ok := m.modes[path]; ok {
		return mode, nil
	}
	if _, ok := m.texts[path]; ok {
		return 0o600, nil
	}
	for p := range m.texts {
		if strings.HasPrefix(p, path+"/") || strings.HasPrefix(p, path+`\`) {
			return fs.ModeDir | 0o700, nil
		}
	}
	return 0, fs.ErrNotExist
}

func (m memory) Resolve(path string) (string, error) { return path, nil }

func (m memory) ReadFile(path string, limit int) ([]byte, error) {
	s, ok := m.texts[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s[:min(len(s), limit)]), nil
}

func (m memory) ReadDir(dir string) ([]string, error) {
	var out []string
	for p := range m.texts {
		for _, sep := range []string{"/", `\`} {
			if rest, ok := strings.CutPrefix(p, dir+sep); ok {
				name, _, _ := strings.Cut(rest, sep)
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

var homes = map[string]string{"linux": "/home/ada", "darwin": "/Users/ada", "windows": `C:\Users\ada`}

// hosts builds the machines of an archive: its sections are "OS PATH", with "all" for all
// systems, "~/" for the home and "./" for the project.
func hosts(a *txtar.Archive) map[string]Host {
	out := map[string]Host{}
	for os, home := range homes {
		h := Host{OS: os, Home: home}
		h.Cwd = h.joinPath(home, "shop")
		texts := map[string]string{}
		for _, f := range a.Files {
			system, path, _ := strings.Cut(f.Name, " ")
			if system != os && system != "all" {
				continue
			}
			switch {
			case strings.HasPrefix(path, "~/"):
				path = h.joinPath(home, path[2:])
			case strings.HasPrefix(path, "./"):
				path = h.joinPath(h.Cwd, path[2:])
			case os == "windows":
				path = strings.ReplaceAll(path, "/", `\`)
			}
			texts[path] = string(f.Data)
		}
		h.FS = memory{texts: texts}
		out[os] = h
	}
	return out
}

// canary stands in every secret of the fixtures, and nowhere else.
const canary = "kNarY7"

func TestFixtures(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 14 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			changed := false
			for _, os := range []string{"linux", "darwin", "windows"} {
				h := hosts(a)[os]
				got := render(h, All(h))
				if strings.Contains(got, canary) {
					t.Errorf("%s: a secret is printed:\n%s", os, got)
				}
				changed = golden(t, a, "want "+os, got) || changed
			}
			if changed && *update {
				if err := os.WriteFile(p, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// golden compares a section with what was got and reports whether it changed it.
func golden(t *testing.T, a *txtar.Archive, name, got string) bool {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name != name {
			continue
		}
		if string(a.Files[i].Data) == got {
			return false
		}
		t.Errorf("%s differs; run with -update and read the diff; got\n%s", name, got)
		a.Files[i].Data = []byte(got)
		return true
	}
	t.Errorf("%s is missing; run with -update and read it", name)
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got)})
	return true
}

// render writes what a person would want to know of the files, without any secret.
func render(h Host, files []config.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s", f.Client, f.Path)
		if f.Role != config.Configuration {
			fmt.Fprintf(&b, " %s", f.Role)
		}
		if f.Project != "" {
			b.WriteString(" (project)")
		}
		b.WriteByte('\n')
		for i := range f.Entries {
			e := &f.Entries[i]
			fmt.Fprintf(&b, "  %q %s %s at %d:%d", e.Name, e.Transport, e.Place.Pointer, e.Place.Line, e.Place.Column)
			if e.Project != f.Project {
				fmt.Fprintf(&b, " project %s", e.Project)
			}
			if e.Disabled {
				b.WriteString(" disabled")
			}
			b.WriteByte('\n')
			if e.Command != "" {
				fmt.Fprintf(&b, "    command %s\n", e.CommandLine())
			}
			if !e.URL.Empty() {
				fmt.Fprintf(&b, "    address %s\n", e.Address())
			}
			for _, v := range []struct {
				name string
				list []config.Variable
			}{{"env", e.Env}, {"header", e.Headers}, {"setting", e.Settings}} {
				for _, x := range v.list {
					fmt.Fprintf(&b, "    %s %s at %d:%d\n", v.name, x.Name, x.Value.Place.Line, x.Value.Place.Column)
				}
			}
			if e.Cwd != "" || e.EnvFile != "" {
				fmt.Fprintf(&b, "    cwd %q env file %q\n", e.Cwd, e.EnvFile)
			}
			if len(e.Unresolved) > 0 {
				fmt.Fprintf(&b, "    unresolved %q\n", e.Unresolved)
			}
		}
		for _, p := range f.Problems {
			fmt.Fprintf(&b, "  problem %s %d:%d: %s\n", p.Kind, p.Location.Line, p.Location.Column, p.Message)
		}
	}
	found, problems := config.Run(files, config.Checks())
	for _, f := range found {
		fmt.Fprintf(&b, "%s %s %s:%d:%d %s: %s: %q\n", f.Rule, f.Severity, f.Location.File, f.Location.Line, f.Location.Column, f.Location.Pointer, f.Message, f.Evidence.Raw)
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "failed %s\n", p.Message)
	}
	return b.String()
}
