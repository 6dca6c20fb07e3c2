package mcpserver

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The official TypeScript clients, of both generations where both are installed, meet a
// server that asks and changes.
func TestTypeScriptMeetsARugPull(t *testing.T) {
	dir := os.Getenv(envEverything)
	if dir == "" {
		t.Skipf("%s is not set: npm install @modelcontextprotocol/server-everything @modelcontextprotocol/client somewhere and name that directory", envEverything)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	for _, tt := range []struct{ generation, era, way string }{
		{"v1", "legacy", "stdio"}, {"v1", "legacy", "http"}, {"v1", "legacy", "sse"},
		{"v2", "legacy", "stdio"}, {"v2", "legacy", "http"}, {"v2", "legacy", "sse"},
		{"v2", "stateless", "stdio"}, {"v2", "stateless", "http"},
	} {
		t.Run(strings.Join([]string{tt.generation, tt.era, tt.way}, " "), func(t *testing.T) {
			module := map[string]string{"v1": "sdk", "v2": "client"}[tt.generation]
			if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", module)); err != nil {
				t.Skipf("@modelcontextprotocol/%s is not installed", module)
			}
			// A module finds its packages beside itself, so it is put beside them.
			here := t.TempDir()
			if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(here, "node_modules")); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
			script, err := os.ReadFile("testdata/rugpull.mjs")
			if err != nil {
				t.Fatal(err)
			}
			client := filepath.Join(here, "rugpull.mjs")
			if err := os.WriteFile(client, script, 0o600); err != nil {
				t.Fatal(err)
			}
			command, env := rugPullCommand(t)
			args := []string{client, tt.generation, tt.era, tt.way}
			switch tt.way {
			case "stdio":
				args = append(args, command...)
			default:
				_, s, err := newRugPull()
				if err != nil {
					t.Fatal(err)
				}
				base, stop := listen(t, s)
				t.Cleanup(stop)
				args = append(args, base+map[string]string{"http": Path, "sse": PathSSE}[tt.way])
			}
			cmd := exec.CommandContext(t.Context(), node, args...)
			cmd.Env = env
			var words bytes.Buffer
			cmd.Stderr = &words
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, words.String())
			}
			var got struct {
				Before, After []string
				Said          string
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !slices.Equal(got.Before, []string{"good"}) || !slices.Equal(got.After, []string{"evil"}) {
				t.Errorf("tools %q and then %q", got.Before, got.After)
			}
			for _, want := range []string{"file:///root", `"Ada"`, "sampled"} {
				if !strings.Contains(got.Said, want) {
					t.Errorf("asked, and told %s, want %s", got.Said, want)
				}
			}
		})
	}
}
