package discover

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gauntlet/internal/engine/check/config"
)

// zipped is an archive of members, name and text in turn.
func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What an agent reads of a folder is read, wherever it is below it, or named as unread.
func TestFolder(t *testing.T) {
	skill := "---\nname: a\ndescription: b\n---\nRun the tests.\n"
	files := map[string]string{
		"CLAUDE.md": "Use tabs.", "packages/web/AGENTS.md": "Use tabs.", ".github/copilot-instructions.md": "Use tabs.", ".cursor/rules/a.mdc": "Use tabs.", ".windsurfrules": "x", ".clinerules": "x",
		"README.md": "Nothing for an agent.", "src/main.py": "print(1)", "node_modules/x/AGENTS.md": "left out", ".git/AGENTS.md": "left out",
		".mcp.json": `{"mcpServers":{"s":{"command":"s"}}}`, "sub/.claude/settings.json": `{"permissions":{"defaultMode":"bypassPermissions"}}`,
		".claude/skills/a/SKILL.md": skill, ".claude/skills/a/run.sh": "echo 1\n", ".claude/skills/a/notes.docx": zipped(t, "word/document.xml", "<w:p><w:t>Read</w:t> the notes</w:p>"),
		".claude/skills/a/more.zip": zipped(t, "inner.md", "Use tabs.", "deep.zip", zipped(t, "deep.md", "Use spaces.")), ".claude/skills/a/logo.png": "\x89PNG\r\n\x1a\n\x00", ".claude/skills/a/run.pyc": "\xe3\r\r\n\x00", ".claude/skills/a/paper.pdf": "%PDF-1.7\x00\xff", ".claude/skills/a/odd.bin": "\x01\x00\xfe",
		"library/b/SKILL.md": skill, "library/b/ref/x.md": "Use tabs.", "ext.mcpb": zipped(t, "manifest.json", `{"manifest_version":"0.3","name":"e","server":{"mcp_config":{"command":"node","args":["${__dirname}/i.js"]}}}`, "i.js", "1"),
		"plug/.claude-plugin/plugin.json": `{"name":"p"}`, "plug/commands/c.md": "Go.", "plug/hooks/hooks.json": `{"hooks":{}}`, "plug/scripts/h.sh": "echo 1\n", "plug/docs/x.txt": "Nothing for an agent.",
		".gitmodules": "[submodule \"m\"]\n\tpath = vendor/m\n",
	}
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := runtime.GOOS != "windows"
	if links {
		outside := filepath.Join(t.TempDir(), "id_rsa")
		if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]string{".claude/skills/a/key.md": outside, "GEMINI.md": filepath.Join(dir, "CLAUDE.md"), ".claude/skills/loop": dir, ".claude/commands": filepath.Dir(outside)} {
			if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := map[string]string{}
	for _, f := range Folder(Host{FS: Disk{}, OS: "linux"}, dir) {
		rel := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(f.Path, dir)), "/")
		line := fmt.Sprintf("%s %s %d", f.Client, f.Role, len(f.Entries))
		for _, p := range f.Problems {
			line += " " + string(p.Kind)
		}
		if old, twice := got[rel]; twice && !strings.HasPrefix(rel, ".gitmodules") {
			t.Errorf("%s is read twice: %s, %s", rel, old, line)
		}
		got[rel] = line
	}
	want := map[string]string{
		"CLAUDE.md": "claude-code instructions 0", "packages/web/AGENTS.md": "agent-skills instructions 0", ".github/copilot-instructions.md": "copilot-cli instructions 0", ".cursor/rules/a.mdc": "cursor instructions 0",
		".windsurfrules": "windsurf instructions 0", ".clinerules": "cline instructions 0", ".mcp.json": "claude-code  1", "sub/.claude/settings.json": "claude-code  0",
		".claude/skills/a/SKILL.md": "claude-code skill 0", ".claude/skills/a/run.sh": "claude-code script 0", ".claude/skills/a/notes.docx!/word/document.xml": "claude-code skill file 0",
		".claude/skills/a/more.zip!/inner.md": "claude-code skill file 0", ".claude/skills/a/more.zip!/deep.zip!/deep.md": "claude-code skill file 0",
		".claude/skills/a/logo.png": "claude-code skill file 0", ".claude/skills/a/run.pyc": "claude-code program 0 unread", ".claude/skills/a/paper.pdf": "claude-code skill file 0 unread", ".claude/skills/a/odd.bin": "claude-code skill file 0 unread",
		"library/b/SKILL.md": "agent-skills skill 0", "library/b/ref/x.md": "agent-skills skill file 0", "ext.mcpb!/manifest.json": "claude-desktop  1", "ext.mcpb!/i.js": "claude-desktop script 0",
		"plug/.claude-plugin/plugin.json": "claude-code  0", "plug/commands/c.md": "claude-code command 0", "plug/hooks/hooks.json": "claude-code  0", "plug/scripts/h.sh": "claude-code script 0",
		".gitmodules": "mcp.json  0 unread",
	}
	if links {
		want[".claude/skills/a/key.md"], want["GEMINI.md"] = "claude-code skill file 0 unread", "gemini-cli instructions 0"
		want[".claude/commands"] = "claude-code command 0 unread"
	}
	for name, line := range want {
		if got[name] != line {
			t.Errorf("%s: %q, want %q", name, got[name], line)
		}
	}
	for name, line := range got {
		if want[name] == "" {
			t.Errorf("%s is read as %q", name, line)
		}
	}
	if got := RoleOf("x/SKILL.md"); got != config.Skill {
		t.Errorf("SKILL.md is %q", got)
	}
}

// A folder of settings that belongs to no client on the list is read for its servers, and a folder of other things is not.
func TestUnknownInFolder(t *testing.T) {
	servers := `{"mcpServers":{"a":{"command":"a"}}}`
	dir := layOut(t, map[string]string{".newagent/mcp.json": servers, ".newagent/a/b/c/mcp.json": servers, "testdata/mcp.json": servers, ".newagent/theme.json": "{}", ".newagent/x.txt": servers,
		".newagent/rules.md": "Use tabs.", "NEWAGENT.md": "Use tabs.", "OTHER.md": "x", ".otheragent/rules/a.md": "Use tabs.", "sub/.newagent/rules.md": "x"})
	var got []string
	for _, f := range Folder(Host{FS: Disk{}, OS: "linux"}, dir) {
		got = append(got, string(f.Client)+strings.TrimPrefix(f.Path, dir))
	}
	if want := "unknown-client (newagent)/.newagent/mcp.json unknown-client (newagent)/.newagent/rules.md unknown-client (otheragent)/.otheragent/rules/a.md unknown-client (newagent)/NEWAGENT.md"; strings.Join(got, " ") != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

// A folder is one of agents if a client has a file there, whichever it is; what cannot be read is none.
func TestHasAgentFiles(t *testing.T) {
	for _, tt := range []struct {
		file, text string
		want       bool
	}{
		{".factory/settings.local.json", `{"autonomyLevel":"auto-high"}`, true},
		{".newagent/mcp.json", `{"mcpServers":{"a":{"command":"a"}}}`, true},
		{"pay/POWER.md", "Use tabs.", true},
		{".newagent/theme.json", "{}", false},
		{"tools/list.json", `{"tools":[]}`, false},
		{".gitmodules", "[submodule \"m\"]\n\tpath = m\n", false},
	} {
		if got := HasAgentFiles(Host{FS: Disk{}, OS: "linux"}, layOut(t, map[string]string{tt.file: tt.text})); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.file, got, tt.want)
		}
	}
}

// Settings may be a list, and servers are none.
func TestListOfSettings(t *testing.T) {
	f := Read(".zed/tasks.json", []byte(`[{"label":"a","command":"b"}]`), Hint{Client: "zed", Optional: true})
	if len(f.Problems) != 0 || len(f.Entries) != 0 || len(f.Settings) != 2 {
		t.Errorf("%+v", f)
	}
	if f := Read("settings.json", []byte(`"x"`), Hint{Client: "zed", Optional: true}); len(f.Problems) != 1 {
		t.Errorf("a text: %+v", f.Problems)
	}
}

// A skill in a home is read in whoever's folder it lies.
func TestUnknownSkill(t *testing.T) {
	home := layOut(t, map[string]string{".newagent/skills/x/SKILL.md": "Use tabs.", ".newagent/skills/x/run.go": "package main", ".cache/skills/y/SKILL.md": "x"})
	if files := All(Host{FS: Disk{}, OS: "linux", Home: home}); len(files) != 2 || files[0].Client != "unknown-client (newagent)" || files[1].Role != "script" && files[0].Role != "script" {
		t.Errorf("%+v", files)
	}
}
