package discover

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
)

// A client is one value and one fixture: the value is complete, and a fixture shows what is
// read of it.
func TestApplications(t *testing.T) {
	fixtures := ""
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		fixtures += string(text)
	}
	seen := map[config.Client]bool{config.Generic: true}
	for i := range applications {
		a := &applications[i]
		if err := a.validate(); err != nil {
			t.Error(err)
		}
		if seen[a.Client] {
			t.Errorf("two applications are %q", a.Client)
		}
		seen[a.Client] = true
		if !strings.Contains(fixtures, "\n"+string(a.Client)+" /") {
			t.Errorf("no fixture in testdata finds a file of %s", a.Client)
		}
	}
}

func TestValidateApplication(t *testing.T) {
	good := Application{Client: "c", Title: "C", Sources: []string{"https://example.org"}, Places: []Place{inHome(".c/mcp.json")}}
	for _, tt := range []struct {
		name string
		edit func(*Application)
		want string
	}{
		{"whole", func(*Application) {}, ""},
		{"no name", func(a *Application) { a.Client = "" }, "has no name"},
		{"no title", func(a *Application) { a.Title = "" }, "has no name"},
		{"no source", func(a *Application) { a.Sources = nil }, "no public page"},
		{"no place", func(a *Application) { a.Places = nil }, "nowhere"},
		{"an absolute path", func(a *Application) { a.Places = []Place{inHome("/etc/c.json")} }, "no path below a folder"},
		{"a path of Windows", func(a *Application) { a.Places = []Place{inConfig(`C\mcp.json`)} }, "no path below a folder"},
		{"a system without Windows", func(a *Application) { a.Places = []Place{ofSystem("/etc/c.json", "/Library/c.json")} }, "not named for all three"},
	} {
		a := good
		tt.edit(&a)
		if err := a.validate(); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// Every file that a client keeps is told to be its own wherever it was copied to with its folder.
func TestClientOfName(t *testing.T) {
	first := map[string]config.Client{} // of clients that share a name, such as .mcp.json, the first
	for i := range applications {
		a := &applications[i]
		for j := range a.Places {
			for _, pattern := range a.Places[j].patterns() {
				if of, ok := first[pattern]; ok && of != a.Client {
					continue
				}
				first[pattern] = a.Client
				name := "/copy/of/" + strings.ReplaceAll(pattern, "*", "x.json")
				if got := clientOfName(name); got != a.Client {
					t.Errorf("%s is of %q, want %s", name, got, a.Client)
				}
				if windows := `D:` + strings.ReplaceAll(name, "/", `\`); clientOfName(windows) != a.Client {
					t.Errorf("%s is of %q, want %s", windows, clientOfName(windows), a.Client)
				}
			}
		}
	}
	for _, name := range []string{"mcp.json", "settings.json", "/x/config.toml", "claude_desktop_config.json.bak", "/x/kiro/agents/a.json", "x.mcp.json"} {
		if got := clientOfName(name); got != "" {
			t.Errorf("%s is of %q, want nobody's", name, got)
		}
	}
}

// The table of the documents is that of the values.
func TestClientsTable(t *testing.T) {
	const file, head = "../../../docs/machine.md", "| client | for the user | project |\n|---|---|---|\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), head)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no table of clients", file)
	}
	var table strings.Builder
	for i := range applications {
		a := &applications[i]
		var user, project []string
		places := a.places()
		for j := range places {
			to := &user
			if places[j].base == projectFolder {
				to = &project
			}
			if text := describePlace(&places[j]); !slices.Contains(*to, text) {
				*to = append(*to, text)
			}
		}
		fmt.Fprintf(&table, "| [%s](%s) | %s | %s |\n", a.Title, a.Sources[0], strings.Join(user, ", "), strings.Join(project, ", "))
	}
	want := before + head + strings.TrimSuffix(table.String(), "\n") + "\n\n" + after
	if string(page) == want {
		return
	}
	t.Errorf("%s differs from the values: run with -update and read the diff", file)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// describePlace writes a place for a reader.
func describePlace(p *Place) string {
	text := p.path
	switch p.base {
	case homeFolder:
		text = "~/" + text
	case xdgFolder:
		text = "~/.config/" + text
	case configFolder:
		text = "CONFIG/" + text
		if at := strings.Index(text, "/User/globalStorage/"); at >= 0 {
			text = "CONFIG/EDITOR" + text[at:]
		}
	case variableFile:
		return "the file in " + p.variable
	case systemFile:
		var all []string
		for _, system := range []string{"linux", "darwin", "windows"} {
			for _, path := range p.system[system] {
				all = append(all, "`"+path+"`")
			}
		}
		return strings.Join(all, " or ")
	}
	text = "`" + text + "`"
	if p.variable != "" {
		text += " (" + p.variable + ")"
	}
	if p.systems != nil {
		text += " on " + strings.NewReplacer("linux", "Linux", "darwin", "macOS", "windows", "Windows").Replace(strings.Join(p.systems, " and "))
	}
	return text
}

// validate returns what is wrong with the value itself.
func (a *Application) validate() error {
	switch {
	case a.Client == "" || a.Title == "":
		return fmt.Errorf("application %q has no name", a.Client)
	case len(a.Sources) == 0:
		return fmt.Errorf("%s: no public page says where its servers stand", a.Client)
	case len(a.places()) == 0:
		return fmt.Errorf("%s: it keeps its servers nowhere", a.Client)
	}
	for _, p := range a.places() {
		if p.base == systemFile && (p.system["linux"] == nil || p.system["darwin"] == nil || p.system["windows"] == nil) {
			return fmt.Errorf("%s: a file of the system is not named for all three", a.Client)
		}
		if p.base != systemFile && p.base != variableFile && (p.path == "" || strings.HasPrefix(p.path, "/") || strings.Contains(p.path, `\`)) {
			return fmt.Errorf("%s: %q is no path below a folder, with slashes", a.Client, p.path)
		}
	}
	return nil
}
