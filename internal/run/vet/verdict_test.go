package vet

import (
	"slices"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// What tools can do together asks for a review; what is wrong with a package speaks against it.
func TestJudge(t *testing.T) {
	pairing := finding.Finding{Rule: "SEC-035", Severity: finding.High}
	poisoned := finding.Finding{Rule: "SEC-003", Severity: finding.High}
	doubtful := finding.Finding{Rule: "SEC-001", Severity: finding.Medium}
	done := []result.VettingStep{{Name: string(Definitions), State: result.StepDone}}
	for _, tt := range []struct {
		name     string
		findings []finding.Finding
		steps    []result.VettingStep
		problems []finding.Problem
		want     result.VettingVerdict
	}{
		{"nothing", nil, done, nil, result.Accept},
		{"tools that are dangerous together", []finding.Finding{pairing}, done, nil, result.Review},
		{"something of medium severity", []finding.Finding{doubtful}, done, nil, result.Review},
		{"something of high severity", []finding.Finding{pairing, poisoned}, done, nil, result.Refuse},
		{"read in part", nil, done, []finding.Problem{{Kind: finding.Limit, Message: "the rest was not unpacked"}}, result.Review},
		{"nothing read", nil, nil, nil, result.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := vetting{}
			v.what.Steps, v.problems = tt.steps, tt.problems
			v.judge(&result.Report{Findings: tt.findings})
			if v.what.Verdict != tt.want || len(v.what.Reasons) == 0 && len(tt.findings) > 0 {
				t.Errorf("got %s, %q, want %s", v.what.Verdict, v.what.Reasons, tt.want)
			}
		})
	}
}

// What failed was not looked at, whatever step it was; what was not done counts where a level of --depth was not reached.
func TestUnreadReasons(t *testing.T) {
	v := vetting{}
	v.what.Steps = []result.VettingStep{
		{Name: string(Definitions), State: result.StepDone},
		{Name: string(Source), State: result.StepNotDone, Detail: "no sandbox"},
		{Name: string(Behaviour), State: result.StepFailed, Detail: "it did not start"},
		{Name: "registry", State: result.StepNotDone, Detail: "nobody asked"},
		{Name: "install", State: result.StepFailed, Detail: "no answer"},
	}
	want := []string{"source not looked at: no sandbox", "behaviour not looked at: it did not start", "install not looked at: no answer"}
	if got := v.unreadReasons(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
