package report

import (
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// What is undone is said once: as a reason of the verdict, as a problem, or as a step of which nothing else speaks.
func TestUndoneIsSaidOnce(t *testing.T) {
	step := result.VettingStep{Name: "source", State: result.StepNotDone, Detail: "no handler"}
	problem := finding.Problem{Kind: finding.Unread, Message: "source: no handler"}
	for _, tt := range []struct {
		name     string
		reasons  []string
		problems []finding.Problem
	}{
		{"the verdict says it", []string{"source: no handler"}, []finding.Problem{problem}},
		{"the verdict says something else", []string{"high, exfiltration: sends a key"}, []finding.Problem{problem}},
		{"the step alone says it", nil, nil},
	} {
		r := &result.Report{Problems: tt.problems, Vetted: []result.Vetting{{Target: "x", Verdict: result.Review, Reasons: tt.reasons, Steps: []result.VettingStep{step}}}}
		text := render(t, "pretty", r, Options{Width: 120})
		if n := strings.Count(text, "no handler"); n != 1 {
			t.Errorf("%s: said %d times:\n%s", tt.name, n, text)
		}
	}
}
