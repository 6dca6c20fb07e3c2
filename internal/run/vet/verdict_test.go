package vet

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/mcpclient"
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
		{"a problem of any kind", nil, done, []finding.Problem{{Kind: finding.Unread, Message: "no advisories"}}, result.Review},
		{"nothing read", nil, nil, nil, result.Unknown},
		{"nothing read of it, and something of medium severity known", []finding.Finding{doubtful}, nil, nil, result.Review},
		{"nothing read of it, and something of high severity known", []finding.Finding{poisoned}, nil, nil, result.Refuse},
		{"something of medium severity behind what is dangerous together", []finding.Finding{pairing, doubtful}, done, nil, result.Review},
		{"something of low severity", []finding.Finding{{Rule: "SEC-001", Severity: finding.Low}}, done, nil, result.Accept},
		{"a step that failed", nil, append([]result.VettingStep{{Name: "install", State: result.StepFailed}}, done...), nil, result.Review},
		{"a step that could not be tried", nil, append([]result.VettingStep{{Name: "source", State: result.StepNotDone}}, done...), nil, result.Review},
		{"a step that does not apply", nil, append([]result.VettingStep{{Name: "source", State: result.StepSkipped}}, done...), nil, result.Accept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := vetting{target: &Target{Name: "x"}}
			v.what.Steps, v.problems = tt.steps, tt.problems
			r := &result.Report{Findings: tt.findings, Problems: tt.problems}
			v.judge(r)
			if tt.want == result.Accept && !r.Complete() || tt.want == result.Unknown && r.Complete() {
				t.Errorf("a verdict %s with %q undone", tt.want, r.Undone())
			}
			if v.what.Verdict != tt.want || len(v.what.Reasons) == 0 && len(tt.findings) > 0 {
				t.Errorf("got %s, %q, want %s", v.what.Verdict, v.what.Reasons, tt.want)
			}
		})
	}
}

// What a kind of target does not have is said, and leaves something undone only where the user named it.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		depth Depth
		note  func(v *vetting)
		state string
	}{
		{"asked for by default", "", func(v *vetting) { v.missing(Source, "no handler") }, result.StepNotDone},
		{"asked for with what is deeper", Behaviour, func(v *vetting) { v.missing(Source, "no handler") }, result.StepNotDone},
		{"not asked for", Definitions, func(v *vetting) { v.missing(Source, "no handler") }, result.StepSkipped},
		{"nothing of it by default", "", func(v *vetting) { v.inapplicable(Source, "machine code") }, result.StepSkipped},
		{"nothing of it on the way", Behaviour, func(v *vetting) { v.inapplicable(Source, "machine code") }, result.StepSkipped},
		{"nothing of it, and named", Source, func(v *vetting) { v.inapplicable(Source, "machine code") }, result.StepNotDone},
	} {
		v := vetting{target: &Target{Name: "x"}, Options: Options{Depth: tt.depth}}
		tt.note(&v)
		r := result.Report{Problems: v.problems, Vetted: []result.Vetting{v.what}}
		if s := v.what.Steps[0]; s.State != tt.state || len(r.Undone()) != len(v.problems) || r.Complete() != (tt.state == result.StepSkipped) {
			t.Errorf("%s: %+v, undone %q", tt.name, s, r.Undone())
		}
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

// What probe leaves undone, vet leaves undone as well; what the reading has said is not said again.
func TestProbesProblemsAreKept(t *testing.T) {
	probed := &proberun.Result{Evidence: probe.Evidence{Server: "s", Snapshot: `{"tools":[{"name":"move"}]}`}, Gaps: []mcpclient.Gap{{Method: "prompts/list", Message: "refused"}}}
	trial := func(parameter string, o probe.Outcome) {
		probed.Evidence.Trials = append(probed.Evidence.Trials, probe.Trial{Tool: "move", Parameter: parameter, Class: probe.PathTraversal, Planned: true, Outcome: o})
	}
	trial("from", probe.Resist(3, 3, ""))
	trial("to", probe.NotDelivered.Because("the same error with an ordinary value"))
	v := &vetting{target: &Target{}, read: reading{probed: probed}}
	r := &result.Report{Problems: []finding.Problem{{Kind: finding.Unread, Message: "prompts/list: refused"}}}
	if err := v.addProbing(r); err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) != 2 || r.Problems[1].Location.Item != "move" {
		t.Errorf("%+v: want the refused list once, and the trial that was not delivered", r.Problems)
	}
}

// What the probe's client had been told before the change has not changed, though another client never saw it.
func TestChangesAreOfOneConversation(t *testing.T) {
	const add, roots = `{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}`, `{"name":"roots","description":"Lists roots.","inputSchema":{"type":"object"}}`
	for _, tt := range []struct{ name, before, after string }{
		{"only another client lacks it", add + "," + roots, ""}, {"it came with the change", add, "roots"},
	} {
		v := &vetting{target: &Target{}, read: reading{probed: &proberun.Result{After: "notifications/tools/list_changed", Changed: `{"tools":[` + add + "," + roots + `]}`}}}
		v.read.probed.Evidence.Snapshot = `{"tools":[` + tt.before + `]}`
		if err := v.read.catalog.Add("s", `{"server":{"name":"s"},"tools":[`+add+`]}`, catalog.Limits{}); err != nil {
			t.Fatal(err)
		}
		r, err := v.report(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			if f.Rule == "GNT-001" {
				got = f.Message
			}
		}
		if (got != "") != (tt.after != "") || !strings.Contains(got, tt.after) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
