package vet

import (
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
		want     result.VettingVerdict
	}{
		{"nothing", nil, done, result.Accept},
		{"tools that are dangerous together", []finding.Finding{pairing}, done, result.Review},
		{"something of medium severity", []finding.Finding{doubtful}, done, result.Review},
		{"something of high severity", []finding.Finding{pairing, poisoned}, done, result.Refuse},
		{"nothing read", nil, nil, result.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := vetting{}
			v.what.Steps = tt.steps
			v.judge(&result.Report{Findings: tt.findings})
			if v.what.Verdict != tt.want || len(v.what.Reasons) == 0 && len(tt.findings) > 0 {
				t.Errorf("got %s, %q, want %s", v.what.Verdict, v.what.Reasons, tt.want)
			}
		})
	}
}
