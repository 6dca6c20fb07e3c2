package vet

import (
	"slices"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/runtime/fetch"
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
		{"an archive that is damaged in part", nil, done, []finding.Problem{{Kind: finding.Malformed, Message: "an entry is broken"}}, result.Review},
		{"a problem that leaves nothing out", nil, done, []finding.Problem{{Kind: finding.Unread, Message: "no advisories"}}, result.Accept},
		{"nothing read", nil, nil, nil, result.Unknown},
		{"nothing read of it, and something of medium severity known", []finding.Finding{doubtful}, nil, nil, result.Review},
		{"nothing read of it, and something of high severity known", []finding.Finding{poisoned}, nil, nil, result.Refuse},
		{"something of medium severity behind what is dangerous together", []finding.Finding{pairing, doubtful}, done, nil, result.Review},
		{"something of low severity", []finding.Finding{{Rule: "SEC-001", Severity: finding.Low}}, done, nil, result.Accept},
		{"a step that failed", nil, append([]result.VettingStep{{Name: "install", State: result.StepFailed}}, done...), nil, result.Review},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := vetting{target: &Target{Name: "x"}}
			v.what.Steps, v.problems = tt.steps, tt.problems
			r := &result.Report{Findings: tt.findings}
			v.judge(r)
			if r.Complete() != (tt.want != result.Unknown) {
				t.Errorf("a verdict %s with the problems %v", tt.want, r.Problems)
			}
			if v.what.Verdict != tt.want || len(v.what.Reasons) == 0 && len(tt.findings) > 0 {
				t.Errorf("got %s, %q, want %s", v.what.Verdict, v.what.Reasons, tt.want)
			}
		})
	}
}

// What failed was not looked at, whatever step it was; what was not done counts where a level of --depth was not reached.
func TestUnreadReasons(t *testing.T) {
	v := vetting{target: &Target{Name: "x"}}
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

// What is said of an update rests on facts that both versions have: nothing known on both sides is no sameness, and a
// statement that came is no loss of one.
func TestCompareFacts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		was, now fetch.Fetched
		want     []string
	}{
		{"nothing known", fetch.Fetched{}, fetch.Fetched{}, []string{}},
		{"another version", fetch.Fetched{Version: "1"}, fetch.Fetched{Version: "2"}, []string{"version 1 became 2"}},
		{"the same archive", fetch.Fetched{Facts: result.Package{Digest: "sha256:a"}}, fetch.Fetched{Facts: result.Package{Digest: "sha256:a"}}, []string{"the archives are the same"}},
		{"other archives", fetch.Fetched{Facts: result.Package{Digest: "sha256:a"}}, fetch.Fetched{Facts: result.Package{Digest: "sha256:b"}}, []string{}},
		{"provenance lost", fetch.Fetched{Facts: result.Package{Provenance: "ci"}}, fetch.Fetched{}, []string{"the older version had a statement of provenance, and this one has none"}},
		{"provenance gained", fetch.Fetched{}, fetch.Fetched{Facts: result.Package{Provenance: "ci"}}, []string{}},
		{"provenance of another form", fetch.Fetched{Facts: result.Package{Provenance: "ci"}}, fetch.Fetched{Facts: result.Package{Provenance: "ci 2"}}, []string{}},
		{"maintainers", fetch.Fetched{Facts: result.Package{Maintainers: []string{"ann", "bob"}}}, fetch.Fetched{Facts: result.Package{Maintainers: []string{"bob", "eve"}}}, []string{"maintainer added: eve", "maintainer removed: ann"}},
	} {
		v := &vetting{fetched: &tt.now}
		v.compare(&vetting{fetched: &tt.was})
		if !slices.Equal(v.what.Changes, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, v.what.Changes, tt.want)
		}
	}
}
