package attackrun

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gauntlet/internal/runtime/attack"
	"gauntlet/trace"
)

// A replay names the first hundred answers that differ, and how many more there are.
func TestReplayNotices(t *testing.T) {
	for _, tt := range []struct {
		differ, skipped, notices int
		last                     string
	}{
		{0, 0, 1, ""}, {2, 0, 3, ""}, {100, 0, 101, ""}, {101, 0, 102, "and 1 more"}, {250, 1, 103, "and 150 more"},
	} {
		r := attack.Replayed{Sent: 3, Skipped: tt.skipped, Differences: slices.Repeat([]attack.Difference{{Actor: "a", Method: "tools/list", Recorded: "1", Now: "2"}}, tt.differ)}
		got := replayNotices(&trace.Trace{}, r)
		if len(got) != tt.notices {
			t.Errorf("%d differences: %d notices, want %d", tt.differ, len(got), tt.notices)
			continue
		}
		if last := got[len(got)-1]; tt.last != "" && last.Message != tt.last || tt.last == "" && tt.differ > 0 && last.Actor != "a" {
			t.Errorf("%d differences: the last is %q", tt.differ, last.Message)
		}
	}
}

// What went wrong is said once, on one line.
func TestTroubleIsOneSentence(t *testing.T) {
	err := errors.Join(errors.New("the model did not answer: 401"), fmt.Errorf("user: the agent's run failed: the model did not answer: 401"), errors.New("a transport failed"))
	if got := inOneSentence(err); got != "the model did not answer: 401; a transport failed" {
		t.Errorf("%q", got)
	}
}
