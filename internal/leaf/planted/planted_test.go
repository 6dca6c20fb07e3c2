package planted

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func read(t *testing.T, text string) ([]File, []Fault) {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse(text, 0); err != nil {
		t.Fatal(err)
	}
	return Read(tree.Root())
}

// Files are texts below the working directory that nothing runs unread, and a marker tells them apart.
func TestRead(t *testing.T) {
	file := func(path, text, marker string) string {
		return fmt.Sprintf(`{"path":%s,"text":%s,"marker":%s}`, rawjson.Quote(path), rawjson.Quote(text), rawjson.Quote(marker))
	}
	good := func(path string) string { return file(path, "the heron release is next", "heron release") }
	for _, tt := range []struct{ name, files, fault string }{
		{"instructions", good("AGENTS.md"), ""},
		{"a skill of a client", good(".claude/skills/release/SKILL.md"), ""},
		{"a script that the agent may run", good("scripts/check.sh"), ""},
		{"rules of an editor", good(".cursor/rules/style.mdc"), ""},
		{"a file beside it without a marker", good("AGENTS.md") + `,{"path":"main.py","text":"print(1)"}`, ""},
		{"two files with markers of their own", good("AGENTS.md") + "," + file("CLAUDE.md", "the egret release", "egret release"), ""},
		{"outside", good("../AGENTS.md"), "below the working directory"},
		{"outside, further in", good("docs/../../AGENTS.md"), "below the working directory"},
		{"from the root", good("/etc/profile.md"), "below the working directory"},
		{"a drive", good(`C:\AGENTS.md`), "below the working directory"},
		{"the directory itself", good("."), "below the working directory"},
		{"settings with hooks", good(".claude/settings.json"), "without being asked"},
		{"servers of a project", good(".mcp.json"), "without being asked"},
		{"whatever the case", good(".Claude/Settings.JSON"), "without being asked"},
		{"settings of opencode", good("opencode.json"), "without being asked"},
		{"a plugin", good(".opencode/plugin/a.js"), "only texts"},
		{"an environment for the shell", good(".envrc"), "start from such a file"},
		{"a task of an editor", good("app/.vscode/tasks.json"), "start from such a file"},
		{"git's own", good("x/.git/notes.md"), "nothing in .git"},
		{"a name that Windows cuts", good("docs./a.md"), "every system"},
		{"a command that runs a shell when it is loaded", file(".claude/commands/a.md", "heron release !`id`", "heron release"), "before the agent reads"},
		{"a skill with hooks", file(".claude/skills/a/SKILL.md", "---\nhooks:\n  Stop: x\n---\nheron release", "heron release"), "before the agent reads"},
		{"a sub-agent with servers", file(".claude/agents/a.md", "---\nmcpServers: {}\n---\nheron release", "heron release"), "before the agent reads"},
		{"words about hooks", file("AGENTS.md", "heron release: we use hooks: none", "heron release"), ""},
		{"a marker that is not in the file", file("AGENTS.md", "text", "heron release"), "in no other file"},
		{"a marker in two files", good("AGENTS.md") + "," + file("b.md", "heron release", ""), "heron"},
		{"a marker in a path", file("heron release/a.md", "heron release", "heron release"), "or path"},
		{"a marker of one letter", file("AGENTS.md", "a", "a"), "8 to 64"},
		{"no marker at all", `{"path":"AGENTS.md","text":"a"}`, "no file has a marker"},
		{"no text", file("AGENTS.md", "", "heron release"), "want a text"},
		{"too much text", file("AGENTS.md", "heron release"+strings.Repeat(" ", MaxBytes), "heron release"), "at most"},
		{"a file where another has its folder", good("docs") + `,{"path":"docs/a.md","text":"a"}`, "in the way"},
		{"the same name in another case", good("AGENTS.md") + `,{"path":"agents.md","text":"a"}`, "in the way"},
		{"a member that is none", `{"path":"a.md","text":"a","mode":"0755"}`, "path, text and marker"},
		{"no mapping", `"AGENTS.md"`, "want a path"},
		{"too many", strings.Repeat(`{},`, MaxFiles) + `{}`, "1 to 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, faults := read(t, "["+tt.files+"]")
			var said []string
			for _, f := range faults {
				said = append(said, f.Text)
			}
			got := strings.Join(said, "; ")
			if tt.fault == "" && (got != "" || len(files) == 0) || !strings.Contains(got, tt.fault) {
				t.Errorf("%s: faults %q, %d files; want %q", tt.files[:min(len(tt.files), 200)], got, len(files), tt.fault)
			}
		})
	}
}

// Whatever a list holds, files that are planted are texts inside of the directory, and their markers tell them apart.
func FuzzRead(f *testing.F) {
	f.Add(`[{"path":"AGENTS.md","text":"the heron release","marker":"heron release"},{"path":"a/../b","text":"x"}]`)
	f.Add(`[{"path":".claude/skills/a/SKILL.md","text":"---\nhooks: x\n---","marker":"12345678"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var tree rawjson.Tree
		if tree.Parse(text, 0) != nil {
			return
		}
		files, faults := Read(tree.Root())
		if len(files) == 0 && len(faults) == 0 {
			t.Error("neither files nor faults")
		}
		for i, one := range files {
			if !filepath.IsLocal(filepath.FromSlash(one.Path)) || one.Text == "" {
				t.Errorf("%q is planted", one.Path)
			}
			for n, other := range files {
				if len(faults) == 0 && one.Marker != "" && strings.Contains(other.Text, one.Marker) != (i == n) {
					t.Errorf("the marker %q stands in %q", one.Marker, other.Text)
				}
			}
		}
	})
}
