package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"gauntlet/internal/engine/check/config"
)

func TestClientIsTold(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       config.Client
	}{
		{"/p/.mcp.json", `{"mcpServers":{}}`, "claude-code"},
		{`C:\p\.cursor\mcp.json`, `{"mcpServers":{}}`, "cursor"},
		{"mcp.json", `{"servers":{}}`, "vscode"},
		{"mcp.json", `{"mcpServers":{}}`, config.Generic},
		{"settings.json", `{"context_servers":{}}`, "zed"},
		{"any", "[mcp_servers.x]\ncommand='a'", "codex"},
		{"any.json", `{"$schema":"https://opencode.ai/config.json","mcp":{}}`, "opencode"},
		{"any.yaml", "mcpServers:\n  - name: a\n    command: b\n", "continue"},
		{"any", `{"projects":{},"mcpServers":{}}`, "claude-code"},
	} {
		if got := Read(tt.name, []byte(tt.text), Hint{}); got.Client != tt.want {
			t.Errorf("Read(%q, %q) is of %q, want %q", tt.name, tt.text, got.Client, tt.want)
		}
	}
}

func TestForms(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"bare object", `{"a":{"command":"x"},"other":1}`, `a stdio x|`},
		{"nothing in it", `{"a":1}`, `|no MCP servers found: a client's configuration lists them below a key such as mcpServers or servers`},
		{"a snapshot", `{"tools":[]}`, `|this is a snapshot of a server, not a client's configuration: scan it without --config`},
		{"a snapshot as an answer", `{"result":{"prompts":[]}}`, `|this is a snapshot of a server, not a client's configuration: scan it without --config`},
		{"tools that are no list", `{"tools":{"web":true}}`, `|no MCP servers found: a client's configuration lists them below a key such as mcpServers or servers`},
		{"empty object", `{}`, `|`},
		{"empty file", "", `|the file is empty`},
		{"a list", `[1]`, `|the file holds a list where a configuration is an object`},
		{"servers are a number", `{"mcpServers":3}`, `|the servers are a number, want an object or a list`},
		{"type wins over the guess", `{"mcpServers":{"a":{"type":"sse","url":"https://x.example/mcp"}}}`, `a sse |`},
		{"both", `{"mcpServers":{"a":{"command":"x","url":"https://x.example"}}}`, `a stdio x|server "a": it has both a command and an address; which one its client takes is not said`},
		{"type does not fit", `{"mcpServers":{"a":{"type":"stdio","url":"https://x.example"}}}`, `a http |server "a": its transport does not fit what it has, a command or an address`},
		{"twice", `{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, `a stdio x,a stdio y|server "a": the name stands twice; clients take the last`},
		{"a path with spaces", `{"mcpServers":{"a":{"command":"/Applications/My App/bin/server"}}}`, `a stdio /Applications/My App/bin/server|`},
		{"a path and an option", `{"mcpServers":{"a":{"command":"/usr/bin/node --stdio"}}}`, `a stdio /usr/bin/node --stdio|`},
		{"windows path with spaces", `{"mcpServers":{"a":{"command":"C:\\Program Files\\a.exe","args":[]}}}`, `a stdio "C:\\Program Files\\a.exe"|`},
		{"variable in front", `{"mcpServers":{"a":{"command":"A=b npx x@1.0.0"}}}`, `a stdio npx x@1.0.0|`},
		{"pipe", "{\"mcpServers\":{\"a\":{\"command\":\"\"}}}", `a unknown |server "a": it has neither a command nor an address`},
		{"disabled is a string", `{"mcpServers":{"a":{"command":"x","disabled":"yes"}}}`, `a stdio x|server "a": "disabled" is a string, want a boolean`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Read("mcp.json", []byte(tt.text), Hint{})
			var entries, problems []string
			for i := range f.Entries {
				e := &f.Entries[i]
				line := ""
				if e.Command != "" {
					line = e.CommandLine()
				}
				entries = append(entries, fmt.Sprintf("%s %s %s", e.Name, e.Transport, line))
			}
			for _, p := range f.Problems {
				problems = append(problems, p.Message)
			}
			got := strings.Join(entries, ",") + "|" + strings.Join(problems, ",")
			if strings.ReplaceAll(got, `"/Applications/My App/bin/server"`, "/Applications/My App/bin/server") != tt.want {
				t.Errorf("%s gives\n%s\nwant\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestUTF16(t *testing.T) {
	data := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(`{"mcpServers":{"ä":{"command":"x"}}}`)) {
		data = append(data, byte(u), byte(u>>8))
	}
	if f := Read("mcp.json", data, Hint{}); len(f.Entries) != 1 || f.Entries[0].Name != "ä" || len(f.Problems) != 0 {
		t.Errorf("got %+v", f)
	}
}

func TestLimits(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"mcpServers":{`)
	for i := range MaxEntries + 5 {
		fmt.Fprintf(&b, `"s%d":{"command":"x"},`, i)
	}
	f := Read("mcp.json", []byte(b.String()+`"z":{}}}`), Hint{})
	if len(f.Entries) != MaxEntries || len(f.Problems) != 1 || f.Problems[0].Kind != "limit" {
		t.Errorf("%d entries, %d problems %v", len(f.Entries), len(f.Problems), f.Problems[:min(3, len(f.Problems))])
	}
	for _, tt := range []struct{ name, text string }{
		{"deep.json", `{"mcpServers":` + strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000) + `}`},
		{"deep.toml", `a = ` + strings.Repeat(`[`, 900_000)},
		{"deep.yaml", `mcpServers: ` + strings.Repeat(`[`, 900_000)},
		{"bomb.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\nmcpServers: [*f,*f,*f,*f]"},
		{"long.toml", strings.Repeat("# x\n", 1_000_000)},
		{"many.toml", strings.Repeat("[", 1) + "mcp_servers.x]\n" + strings.Repeat("a = \n[b]\n", 10_000)},
	} {
		if f := Read(tt.name, []byte(tt.text), Hint{}); len(f.Problems) == 0 {
			t.Errorf("%s is read without a problem", tt.name)
		}
	}
}

// A text of one long line must not cost its length for every place in it.
func TestOneLongLine(t *testing.T) {
	l := newLines("é" + strings.Repeat("x", 3*block) + "\nyé|")
	for _, tt := range []struct{ off, line, column int }{{0, 1, 1}, {2, 1, 2}, {block, 1, block}, {3*block + 2, 1, 3*block + 2}, {3*block + 3, 2, 1}, {3*block + 6, 2, 3}} {
		if line, column := l.lineAndColumn(tt.off); line != tt.line || column != tt.column {
			t.Errorf("at(%d) = %d:%d, want %d:%d", tt.off, line, column, tt.line, tt.column)
		}
		if off := l.offset(tt.line, tt.column); off != tt.off {
			t.Errorf("offset(%d, %d) = %d, want %d", tt.line, tt.column, off, tt.off)
		}
	}
}

func TestResolve(t *testing.T) {
	env := map[string]string{"KEY": "value", "EMPTY": ""}
	h := Host{OS: "linux", Home: "/home/ada", Cwd: "/srv/p", Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }}
	for _, tt := range []struct {
		client     config.Client
		text, want string
		problem    string
	}{
		{"claude-code", "${KEY}-${MISSING:-d}", "value-d", ""},
		{"claude-code", "${EMPTY:-d}", "d", ""},
		{"claude-code", "${MISSING}", "${MISSING}", "MISSING is not set"},
		{"claude-desktop", "${KEY} $KEY ${env:KEY}", "${KEY} $KEY ${env:KEY}", ""},
		{"gemini-cli", "$KEY/${KEY}", "value/value", ""},
		{"cursor", "${env:KEY} $KEY ${userHome} ${workspaceFolder}", "value $KEY /home/ada /srv/p", ""},
		{"vscode", "${input:token}", "${input:token}", `input "token"`},
		{"opencode", "{env:KEY} {file:~/x}", "value {file:~/x}", `file "~/x"`},
		{"continue", "${{ secrets.S }}", "${{ secrets.S }}", `secret "S"`},
		{"vscode", "pa$$KEY%", "pa$$KEY%", ""},
	} {
		e := config.Entry{Client: tt.client, Name: "s", Command: "~/bin/x", Env: []config.Variable{{Name: "V", Value: config.NewValue(tt.text, config.Place{})}}}
		got, problems := h.Resolve(e)
		if v := got.Env[0].Value.Reveal(); v != tt.want || got.Command != "/home/ada/bin/x" {
			t.Errorf("%s: %q becomes %q, %q, want %q", tt.client, tt.text, v, got.Command, tt.want)
		}
		if tt.problem == "" && len(problems) > 0 || tt.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, tt.problem)) {
			t.Errorf("%s: %q: problems %v, want %q", tt.client, tt.text, problems, tt.problem)
		}
		if e.Env[0].Value.Reveal() != tt.text {
			t.Errorf("Resolve changed the entry it was given")
		}
	}
}

type brokenFS struct{ memory }

func (b brokenFS) ReadFile(path string, limit int) ([]byte, error) {
	if strings.Contains(path, ".cursor") {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("permission denied")}
	}
	return b.memory.ReadFile(path, limit)
}

func TestOneBrokenFileLeavesTheOthers(t *testing.T) {
	text := `{"mcpServers":{"a":{"command":"x"}}}`
	h := Host{OS: "linux", Home: "/h", FS: brokenFS{memory{
		texts: map[string]string{"/h/.cursor/mcp.json": text, "/h/.kiro/settings/mcp.json": text},
		modes: map[string]fs.FileMode{"/h/.claude.json": fs.ModeNamedPipe | 0o600},
	}}}
	var got []string
	for _, f := range All(h) {
		got = append(got, fmt.Sprintf("%s %d", f.Client, len(f.Entries)))
		for _, p := range f.Problems {
			got = append(got, p.Message)
		}
	}
	want := "claude-code 0|it is not a file|cursor 0|it cannot be read: permission denied|kiro 1"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestDiskAndAccess(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "server")
	for p, text := range map[string]string{path: `{"mcpServers":{"a":{"command":"` + filepath.ToSlash(program) + `"}}}`, program: "#!/bin/sh\n"} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h := Host{FS: Disk{}, OS: "linux", Home: dir}
	files := All(h)
	if len(files) != 1 || len(files[0].Entries) != 1 || !files[0].Access.Anyone() || !files[0].Entries[0].CommandAccess.Anyone() {
		t.Fatalf("got %+v", files)
	}
	h.OS = "windows"
	if f := h.ReadFile(path, Hint{})[0]; f.Access.Anyone() || len(f.Entries) != 1 || f.Client != "cursor" {
		t.Errorf("on Windows: %+v", f)
	}
	if f := h.ReadFile(filepath.Join(dir, "none"), Hint{})[0]; len(f.Problems) != 1 {
		t.Errorf("a file that is not there: %+v", f)
	}
	if f := h.ReadFile(dir, Hint{})[0]; len(f.Problems) != 1 {
		t.Errorf("a folder: %+v", f)
	}
}

// A dotenv file is read as settings, whose values stand at their places; what is no such line is left out.
func TestReadEnvAsSettings(t *testing.T) {
	f := Read("x/.env", []byte("# a\nexport A=1\nnothing\nB = \"x y\" # c\nC='open\n"), Hint{Client: "gemini-cli", Optional: true})
	var got []string
	for _, s := range f.Settings {
		got = append(got, fmt.Sprintf("%s=%s at %d:%d", strings.Join(s.Keys, "/"), s.Value.Reveal(), s.Value.Place.Line, s.Value.Place.Column))
	}
	if want := "env/A=1 at 2:10; env/B=x y at 4:4"; strings.Join(got, "; ") != want || len(f.Problems) > 0 {
		t.Errorf("got %q, want %q; %v", got, want, f.Problems)
	}
}
