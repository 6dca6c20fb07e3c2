package target

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	files := map[string]string{
		"snapshot.json":             `{"server": {"name": "a"}, "tools": []}`,
		"several.json":              `{"servers": [{"name": "a", "tools": []}]}`,
		"tells.json":                `{"tools": [{"name": "x", "description": "Writes \"mcpServers\" into a file."}]}`,
		"claude.json":               `{"mcpServers": {"a": {"command": "x"}}}`,
		"vscode.json":               `{"servers": {"a": {"command": "x"}}}`,
		"settings.json":             `{"mcp": {"servers": {"a": {"command": "x"}}}}`,
		"zed.json":                  `{"context_servers": {"a": {"command": "x"}}}`,
		"comments.json":             "{ // ours\n \"mcpServers\": {\"a\": {\"command\": \"x\"}}}",
		"codex.toml":                "[mcp_servers.a]\ncommand = \"x\"\n",
		"other.toml":                "[package]\n",
		"mixed/snapshot.json":       `{"tools": []}`,
		"mixed/mcp.json":            `{"mcpServers": {}}`,
		"mixed/notes.txt":           "nothing",
		"capitals/A.JSON":           `{"tools": []}`,
		"comments/a.jsonc":          `{"tools": []} // ours`,
		"below/sub/a.json":          `{"tools": []}`,
		"below/.git/b.json":         `{"tools": []}`,
		"link/a.json":               `{"tools": []}`,
		"dot/.claude/s.md":          "---\nname: s\n---\n",
		"dot/.claude/settings.json": `{"hooks": {}}`,
		"src/package.json":          `{"name": "s"}`,
		"src/snapshot.json":         `{"tools": []}`,
		"nothing/notes.txt":         "nothing",
		"broken.json":               `{"mcpServers": `,
		"brokensnapshot.json":       `{"tools": [{"inputSchema": {}, "description": "x", "mcpServers": `,
	}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, tt := range []struct {
		name                      string
		targets, configs, sources string
		err                       string
	}{
		{"snapshot.json", "snapshot.json", "", "", ""},
		{"several.json", "several.json", "", "", ""},
		{"tells.json", "tells.json", "", "", ""},
		{"claude.json", "", "claude.json", "", ""},
		{"vscode.json", "", "vscode.json", "", ""},
		{"settings.json", "", "settings.json", "", ""},
		{"zed.json", "", "zed.json", "", ""},
		{"comments.json", "", "comments.json", "", ""},
		{"broken.json", "", "broken.json", "", ""},
		{"brokensnapshot.json", "brokensnapshot.json", "", "", ""},
		{"codex.toml", "", "codex.toml", "", ""},
		{"other.toml", "other.toml", "", "", ""},
		{"mixed", filepath.Join("mixed", "snapshot.json"), filepath.Join("mixed", "mcp.json"), "", ""},
		{"capitals", filepath.Join("capitals", "A.JSON"), "", "", ""},
		{"comments", filepath.Join("comments", "a.jsonc"), "", "", ""},
		{"below", filepath.Join("below", "sub", "a.json"), "", "", ""},
		{"dot", "", "dot", "", ""},
		{"src", "", "", "src", ""},
		{"nothing", "", "", "", "holds no source"},
		{"missing.json", "missing.json", "", "", ""},
		{"-", "-", "", "", ""},
		{"https://example.com/mcp", "https://example.com/mcp", "", "", ""},
		{"npm:some-server", "", "", "", "gauntlet vet npm:some-server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Recognise([]string{tt.name})
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			want := func(s string) []string {
				if s == "" {
					return nil
				}
				return []string{s}
			}
			if !slices.Equal(r.Targets, want(tt.targets)) || !slices.Equal(r.Configs, want(tt.configs)) || !slices.Equal(r.Sources, want(tt.sources)) {
				t.Errorf("got %+v", r)
			}
			if plain := len(r.Targets) == 1 && r.Targets[0] == tt.name; err == nil && plain == (len(r.Notes) > 0) {
				t.Errorf("notes %q", r.Notes)
			}
		})
	}
}

// A folder of which only what stands below hidden folders is for agents is one in which they work, also by the name ".".
func TestRecogniseThisFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(".claude", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(".claude", "settings.json"), []byte(`{"hooks": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "./"} {
		if r, err := Recognise([]string{name}); err != nil || !slices.Equal(r.Configs, []string{name}) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// Links and what is no file are named as unread, and what they lead to is not.
func TestRecogniseNamesWhatItDoesNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.json", []byte(`{"tools": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"b.json", "c.txt", "d.JSON"} {
		if err := os.Symlink("missing", link); err != nil {
			t.Skip(err)
		}
	}
	r, err := Recognise([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	var unread []string
	for _, p := range r.Unread {
		unread = append(unread, p.Location.File)
	}
	if !slices.Equal(r.Targets, []string{"a.json"}) || !slices.Equal(unread, []string{"b.json", "d.JSON"}) {
		t.Errorf("targets %q, unread %q", r.Targets, unread)
	}
}

// A file that is named twice, or in its folder, too, is one server.
func TestRecogniseOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.json", "b.json"} { // of the same content: two servers
		if err := os.WriteFile(name, []byte(`{"tools": []}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Recognise([]string{"a.json", "./a.json", "b.json", ".", "https://a.example/mcp", "https://a.example/mcp", "missing.json"})
	if want := []string{"a.json", "b.json", "https://a.example/mcp", "missing.json"}; err != nil || !slices.Equal(r.Targets, want) || !strings.Contains(strings.Join(r.Notes, "\n"), "./a.json: named more than once") {
		t.Errorf("%+v, %v, want %q", r, err, want)
	}
}
