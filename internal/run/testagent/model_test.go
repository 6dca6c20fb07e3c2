package testagent

import (
	"errors"
	"testing"

	"gauntlet/internal/runtime/modelagent"
)

// A model whose provider fails is judged as a program that ends with a status: by what it had done until then.
func TestModelsThatBreakOff(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		r                         modelagent.Result
		trouble, crashed, nothing bool
	}{
		{"it came to its end", modelagent.Result{End: modelagent.Finished, Calls: 1}, false, false, false},
		{"it answered in words", modelagent.Result{End: modelagent.Finished, Said: "No."}, false, false, false},
		{"it said and did nothing", modelagent.Result{End: modelagent.Finished, Said: " "}, false, false, true},
		{"its provider failed at once", modelagent.Result{End: modelagent.NoAnswer}, true, false, true},
		{"its provider failed after a call", modelagent.Result{End: modelagent.NoAnswer, Calls: 1, Detail: "429"}, false, true, false},
		{"our ceiling was reached after a call", modelagent.Result{End: modelagent.NotAsked, Calls: 1, Detail: "the ceiling is reached"}, true, false, true},
		{"its time was over", modelagent.Result{End: modelagent.OutOfTime, Calls: 1}, true, false, false},
		{"its answer was cut", modelagent.Result{End: modelagent.Truncated, Calls: 1}, true, false, false},
	} {
		o := modelOutcome(tt.r, nil)
		if (o.Trouble != nil) != tt.trouble || o.Crashed != tt.crashed || o.Unanswered() != tt.nothing {
			t.Errorf("%s: trouble %v, crashed %v, unanswered %v", tt.name, o.Trouble, o.Crashed, o.Unanswered())
		}
		if (o.Failure() != nil) != (tt.trouble || tt.crashed) {
			t.Errorf("%s: failure %v", tt.name, o.Failure())
		}
	}
	if o := (&Outcome{Trouble: errors.New("x"), Crashed: true, Ended: "y"}); o.Failure().Error() != "x" {
		t.Errorf("%v, want the trouble", o.Failure())
	}
}
