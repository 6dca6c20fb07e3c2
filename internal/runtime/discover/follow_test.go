package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layOut writes files below a new folder.
func layOut(t *testing.T, files map[string]string) string {
	t.Helper()
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
	return dir
}

// What a file for an agent names is read too, wherever it lies below the folder or in the user's home, or it is named as
// unread.
func TestFollow(t *testing.T) {
	hook := func(command string) string {
		return `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}}`
	}
	for _, tt := range []struct {
		name   string
		files  map[string]string
		read   string // more than the first of them
		unread string // a part of each problem
	}{
		{"a script by the project's folder", map[string]string{".claude/settings.json": hook(`\"$CLAUDE_PROJECT_DIR\"/tools/check.sh`), "tools/check.sh": "echo 1", "tools/other.sh": "echo 2"}, "tools/check.sh script", ""},
		{"a script behind an interpreter", map[string]string{".claude/settings.json": hook("python3 tools/check.py --fast"), "tools/check.py": "1"}, "tools/check.py script", ""},
		{"a module", map[string]string{".claude/settings.json": hook("python3 -m tools.check"), "tools/check.py": "1"}, "tools/check.py script", ""},
		{"a project further down", map[string]string{"web/.claude/settings.json": hook("./tools/check"), "web/tools/check": "#!/bin/sh\n", "tools/check": "#!/bin/sh\n"}, "web/tools/check script", ""},
		{"a command in a shell", map[string]string{".claude/settings.json": hook("cd x && sh -c 'node tools/a.mjs; true'"), "tools/a.mjs": "1"}, "tools/a.mjs script", ""},
		{"git's top level", map[string]string{".claude/settings.json": hook("$(git rev-parse --show-toplevel)/tools/a.sh"), "tools/a.sh": "1"}, "tools/a.sh script", ""},
		{"a script that is not there", map[string]string{".claude/settings.json": hook("sh tools/gone.sh")}, "", "tools/gone.sh, which is not there"},
		{"a folder that nobody knows", map[string]string{".claude/settings.json": hook("$TOOLS/x.sh")}, "", "$TOOLS/x.sh"},
		{"a script elsewhere", map[string]string{".claude/settings.json": hook("sh ../../../../../../../../../etc/profile.d/../passwd"), "x": ""}, "", ""},
		{"files that are worked on", map[string]string{".claude/settings.json": hook(`npx prettier --write \"$FILE\" src/*.ts data/x.json`), "data/x.json": "{}"}, "", ""},
		{"programs of the system", map[string]string{".claude/settings.json": hook("jq -r .x | /usr/bin/env cat; notify-send done")}, "", ""},
		{"a script of the package", map[string]string{".claude/settings.json": hook("npm run -s hook"), "package.json": `{"scripts":{"hook":"node tools/a.js","prehook":"echo 1","build":"sh b.sh"}}`, "tools/a.js": "1"}, "package.json  tools/a.js script", ""},
		{"a script that the package lacks", map[string]string{".claude/settings.json": hook("npm run hook"), "package.json": `{"scripts":{"build":"tsc"}}`}, "", "has no script hook"},
		{"an installation", map[string]string{".claude/settings.json": hook("npm install"), "x": ""}, "", ""},
		{"a recipe", map[string]string{".claude/settings.json": hook("make -s lint"), "Makefile": "lint:\n\techo 1\n"}, "Makefile script", ""},
		{"an import", map[string]string{"CLAUDE.md": "See @docs/style.md for style.", "docs/style.md": "Use @./tabs.md.", "docs/tabs.md": "x", "docs/other.md": "x"}, "docs/style.md instructions docs/tabs.md instructions", ""},
		{"an import of nothing", map[string]string{"CLAUDE.md": "See @docs/gone.md, and not `@docs/none.md`."}, "", "it names docs/gone.md, which is not there"},
		{"folders that hold everything", map[string]string{"CLAUDE.md": "Run `sh ./` and:\n```\nsource ~/\nbash ./go.sh\nsh tools/\n```\n", "go.sh": "1", "a.sh": "1", "tools/b.sh": "1"}, "go.sh script tools/b.sh script", ""},
		{"a setting without a name", map[string]string{".claude/settings.json": `"./x.sh"`, ".mcp.json": `["x"]`, "CLAUDE.md": "x"}, "", "the file holds"},
		{"no import", map[string]string{"CLAUDE.md": "Mail me@x.example, see @scope/pkg and `@decorator`.", "pkg": ""}, "", ""},
		{"an import of a file of credentials", map[string]string{"CLAUDE.md": "@.ssh/id_rsa", ".ssh/id_rsa": "x"}, "", ""},
		{"an import out of the folder", map[string]string{"CLAUDE.md": "@/etc/hosts and @/etc/none.md"}, "", "/etc/hosts, which lies outside"},
		{"imports of imports", map[string]string{"GEMINI.md": "@a1.md", "a1.md": "@a2.md", "a2.md": "@a3.md", "a3.md": "@a4.md", "a4.md": "@a5.md", "a5.md": "@a6.md", "a6.md": "x"},
			"a1.md instructions a2.md instructions a3.md instructions a4.md instructions a5.md instructions", "a6.md, which is more than 5"},
		{"imports in a circle", map[string]string{"CLAUDE.md": "@a.md", "a.md": "@CLAUDE.md @a.md"}, "a.md instructions", ""},
		{"a plugin", map[string]string{".claude-plugin/plugin.json": `{"name":"a","hooks":"./cfg/h.json","mcpServers":"./cfg/m.json","commands":["./c2/x.md"],"agents":"./ag","author":{"name":"./README.md"}}`,
			"cfg/h.json": hook("${CLAUDE_PLUGIN_ROOT}/cfg/run"), "cfg/m.json": `{"mcpServers":{"z":{"command":"z"}}}`, "c2/x.md": "Go.", "ag/a.md": "Go.", "ag/deep/b.md": "Go.", "cfg/run": "#!/bin/sh\n", "cfg/n.json": "{}"},
			"ag/a.md sub-agent ag/deep/b.md sub-agent c2/x.md command cfg/h.json  cfg/m.json  cfg/run script", ""},
		{"a plugin that lacks a file", map[string]string{".claude-plugin/plugin.json": `{"name":"a","hooks":"./cfg/h.json"}`}, "", "./cfg/h.json"},
		{"a skill's program among packages", map[string]string{".claude/skills/x/SKILL.md": "Run `node_modules/r/run.sh`, see https://x.example/a.sh and lib/none.py.", ".claude/skills/x/node_modules/r/run.sh": "echo 1"}, ".claude/skills/x/node_modules/r/run.sh script", ""},
		{"a skill's program of the project", map[string]string{".claude/skills/x/SKILL.md": "Run (tools/run.py).", "tools/run.py": "1", "tools/b.py": "1"}, "tools/run.py script", ""},
		{"a script that instructions have run", map[string]string{"AGENTS.md": "Run ./tools/a.sh first, then:\n```\n$ sh tools/b --x\n```\nKeep `src/c.ts` short, and run `gofmt d.go`.", "tools/a.sh": "1", "tools/b": "1", "src/c.ts": "1", "d.go": "1"}, "tools/a.sh script tools/b script", ""},
		{"recipes that instructions have run", map[string]string{"AGENTS.md": "Use `npm ci`, `npm run x` and `make dev`.", "package.json": `{"scripts":{"prepare":"sh p.sh","x":"node x.js","y":"node y.js"}}`, "p.sh": "1", "x.js": "1", "y.js": "1", "Makefile": "dev:\n"}, "Makefile script p.sh script package.json  package.json  x.js script", ""},
		{"texts that instructions name", map[string]string{"AGENTS.md": "Read [the rules](docs/rules.md), and docs/gone.md.", "docs/rules.md": "See docs/more.md.", "docs/more.md": "x"}, "docs/rules.md skill file", ""},
		{"scripts of servers", map[string]string{".mcp.json": `{"mcpServers":{"a":{"command":"bash","args":["tools/a","--config","c.js"]},"b":{"command":"./bin/b"},"c":{"command":"npm","args":["run","c"]}}}`, "tools/a": "1", "c.js": "1", "bin/b": "\x7fELF", "package.json": `{"scripts":{"c":"node d.js"}}`, "d.js": "1"}, "d.js script package.json  tools/a script", ""},
		{"files of settings", map[string]string{"opencode.json": `{"instructions":["docs/**/*.md","https://x.example/r.md"],"plugin":["./p.ts","npm-plugin"]}`, "docs/a/b.md": "x", "docs/c.txt": "x", "p.ts": "1", ".aider.conf.yml": "read: [d.md]\nlint-cmd: sh tools/l.sh\n", "d.md": "x", "tools/l.sh": "1"},
			"d.md instructions docs/a/b.md instructions p.ts script tools/l.sh script", "https://x.example/r.md, which lies at an address"},
		{"commands by indentation", map[string]string{"AGENTS.md": "Run:\n\n    ./t.sh\n", "t.sh": "1"}, "t.sh script", ""},
		{"commands in a folder", map[string]string{"AGENTS.md": "Run `cd tools && ./a.sh` and `npm --prefix web run b`.", "tools/a.sh": "1", "a.sh": "1", "web/package.json": `{"scripts":{"b":"node c.js"}}`, "web/c.js": "1", "package.json": "{}"}, "tools/a.sh script web/c.js script web/package.json ", ""},
		{"a server in a folder", map[string]string{".mcp.json": `{"mcpServers":{"a":{"command":"bash","args":["s.sh"],"cwd":"tools"},"b":{"command":"uv","args":["--directory","py","run","s.py"]}}}`, "tools/s.sh": "1", "s.sh": "1", "py/s.py": "1"}, "py/s.py script tools/s.sh script", ""},
		{"names of instructions", map[string]string{".codex/config.toml": "project_doc_fallback_filenames = [\"RULES.md\", \"NONE.md\"]\n", "RULES.md": "x"}, "RULES.md instructions", ""},
		{"a server's environment", map[string]string{".vscode/mcp.json": `{"servers":{"a":{"command":"a","envFile":"${workspaceFolder}/x.env"}}}`, "x.env": "A=1\n"}, "x.env ", ""},
		{"a task that runs a script of the package", map[string]string{".vscode/tasks.json": `{"tasks":[{"type":"npm","script":"x"}]}`, "package.json": `{"scripts":{"x":"node x.js"}}`, "x.js": "1"}, "package.json  x.js script", ""},
		{"bytecode of a skill", map[string]string{".claude/skills/x/SKILL.md": "x", ".claude/skills/x/__pycache__/h.cpython-312.pyc": "\xcb\r\r\n\x00", "src/__pycache__/a.pyc": "\xcb\r\r\n\x00"}, ".claude/skills/x/__pycache__/h.cpython-312.pyc program", "a compiled program"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := layOut(t, tt.files)
			var read, problems []string
			for _, f := range Folder(Host{FS: Disk{}, OS: "linux"}, dir) {
				rel := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(f.Path, dir)), "/")
				if _, ok := patternOf(rel); !ok && rel != ".claude-plugin/plugin.json" || f.Role == "program" || strings.Contains(rel, "node_modules") {
					read = append(read, rel+" "+string(f.Role))
				}
				for _, p := range f.Problems {
					problems = append(problems, p.Message)
				}
			}
			slices.Sort(read)
			if got := strings.Join(read, " "); got != tt.read {
				t.Errorf("read:\n%s\nwant:\n%s", got, tt.read)
			}
			if got := strings.Join(problems, "; "); (got != "") != (tt.unread != "") || !strings.Contains(got, tt.unread) {
				t.Errorf("problems %q, want %q", got, tt.unread)
			}
		})
	}
}

// A file in the user's home is read where a file says that it lies there.
func TestFollowHome(t *testing.T) {
	home := layOut(t, map[string]string{"notes/extra.md": "Use tabs.", "bin/hook.sh": "echo 1", ".claude/CLAUDE.md": "@~/notes/extra.md\n", ".claude/settings.json": `{"statusLine":{"type":"command","command":"bash $HOME/bin/hook.sh"}}`,
		".config/Code/User/prompts/a.instructions.md": "Use tabs.", ".config/Code/User/profiles/p/prompts/b.prompt.md": "Use tabs.", ".config/Code/User/snippets/c.md": "x"})
	var got []string
	for _, f := range All(Host{FS: Disk{}, OS: "linux", Home: home}) {
		got = append(got, strings.TrimPrefix(f.Path, home))
	}
	for _, want := range []string{"/notes/extra.md", "/bin/hook.sh", "/.config/Code/User/prompts/a.instructions.md", "/.config/Code/User/profiles/p/prompts/b.prompt.md"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not read: %q", want, got)
		}
	}
	repository := layOut(t, map[string]string{"CLAUDE.md": "@~/notes/extra.md and @~/none.md"})
	files := Folder(Host{FS: Disk{}, OS: "linux", Home: home}, repository)
	if len(files) != 2 || files[1].Path != home+"/notes/extra.md" || len(files[0].Problems) > 0 {
		t.Errorf("%+v", files)
	}
}
