package redteam

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/testagent"
)

// A run whose server cannot be reached ends with the reason why nothing is known, and leaves its trace.
func TestServerThatCannotBeReached(t *testing.T) {
	agent, err := testagent.New(testagent.Options{Agent: "builtin:resister", Limit: time.Minute, Idle: time.Millisecond, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	target := &Target{Name: "server", Tool: "test", masks: &masks{}, Server: launch.Server{Command: []string{filepath.Join(t.TempDir(), "nobody")}}}
	setting := Setting{Run: 1, Trace: filepath.Join(t.TempDir(), "t.ndjson")}
	p := target.play(context.Background(), agent, "Use the tool t.", overlay{target: "t"}, setting)
	if p.Outcome != Inconclusive || !strings.Contains(p.Reason, "nobody") {
		t.Errorf("%s: %q", p.Outcome, p.Reason)
	}
	if a, err := AssessFile(setting.Trace); err != nil || a.Outcome != Inconclusive {
		t.Errorf("the trace shows %+v, %v", a, err)
	}
}
