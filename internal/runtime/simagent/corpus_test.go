package simagent

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gauntlet/catalog"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
)

// mostHonestCalls is how many calls the victim makes at most on honest definitions alone,
// with no task: what servers say of the use of their tools orders some ("call this first").
// It only goes down.
const mostHonestCalls = 120

func TestHonestDefinitionsOrderLittle(t *testing.T) {
	dir := os.Getenv("GAUNTLET_CORPUS")
	if dir == "" {
		t.Skip("GAUNTLET_CORPUS names no directory")
	}
	files, err := filepath.Glob(filepath.Join(dir, "snapshots", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots in %s: %v", dir, err)
	}
	calls, tools := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Parse(filepath.Base(f), string(text), catalog.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, s := range c.Servers {
			state := mcpserver.FromSnapshot(s)
			tools += len(state.Lists[0].Items)
			r, err := Run(t.Context(), Options{Task: mcpclient.Task{Servers: []mcpclient.Server{{Name: "s", URL: played(t, state)}}}, Behaviour: Victim, Idle: -1})
			if err != nil || r.Cut != "" {
				t.Errorf("%s: %v %s", f, err, r.Cut)
			}
			for _, step := range r.Steps[1:] {
				if step.Why == firstTry { // which no definition ordered
					continue
				}
				calls++
				t.Logf("%s: %s %s: %s", filepath.Base(f), step.Method, step.Name, step.Why)
			}
		}
	}
	t.Logf("%d servers, %d tools, %d calls", len(files), tools, calls)
	if calls > mostHonestCalls {
		t.Errorf("%d calls on honest definitions, want at most %d", calls, mostHonestCalls)
	}
}

// played serves a state until the end of the test.
func played(t *testing.T, state mcpserver.State) string {
	t.Helper()
	s, err := mcpserver.New(state, mcpserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	done := make(chan error, 1)
	// Ends with ctx.
	go func() { done <- s.HTTP(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String() + mcpserver.Path
}
