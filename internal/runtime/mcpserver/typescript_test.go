package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"gauntlet/internal/testing/peertest"
)

// The official TypeScript client over every transport it has is told what stands in the
// snapshot.
func TestTypeScriptClient(t *testing.T) {
	dir := peertest.Everything(t)
	base, stop := listen(t, play(t, friendly, Options{PageSize: 2, Streams: true, IdleStream: true}))
	defer stop()
	plain, stopPlain := listen(t, play(t, friendly, Options{}))
	defer stopPlain()
	file := filepath.Join(t.TempDir(), "snapshot.json")
	if err := os.WriteFile(file, []byte(friendly), 0o600); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(friendly), &want); err != nil {
		t.Fatal(err)
	}
	delete(want, "protocolVersion")
	want["calls"] = "refused"
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"stdio", []string{"stdio", os.Args[0]}},
		{"Streamable HTTP, event streams", []string{"http", base + Path}},
		{"Streamable HTTP, JSON", []string{"http", plain + Path}},
		{"HTTP+SSE", []string{"sse", base + PathSSE}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			command := append(peertest.Script(t, dir, "testdata/judge.mjs"), tt.args...)
			cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s||2", envPlay, file), "GOCOVERDIR="+t.TempDir(), noRaceSleep)
			var words bytes.Buffer
			cmd.Stderr = &words
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, words.String())
			}
			var got map[string]any
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for member := range want {
				if !reflect.DeepEqual(got[member], want[member]) {
					t.Errorf("%s: the client was told\n%v\nand the snapshot has\n%v", member, got[member], want[member])
				}
			}
		})
	}
}
