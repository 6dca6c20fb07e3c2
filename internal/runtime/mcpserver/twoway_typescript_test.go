package mcpserver

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/testing/peertest"
)

// The official TypeScript clients, of both generations where both are installed, meet a
// server that asks and changes.
func TestTypeScriptMeetsARugPull(t *testing.T) {
	dir := peertest.Everything(t)
	for _, client := range peertest.Clients {
		t.Run(client.String(), func(t *testing.T) {
			client.Need(t, dir)
			command := append(peertest.Script(t, dir, "testdata/rugpull.mjs"), client.Generation, client.Era, client.Way)
			server, env := rugPullCommand(t)
			switch client.Way {
			case "stdio":
				command = append(command, server...)
			default:
				_, s, err := newRugPull()
				if err != nil {
					t.Fatal(err)
				}
				base, stop := listen(t, s)
				t.Cleanup(stop)
				command = append(command, base+map[string]string{"http": Path, "sse": PathSSE}[client.Way])
			}
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
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
