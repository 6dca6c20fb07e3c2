package scanner_test

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

func probed(t *testing.T, snapshot string, e *probe.Evidence) *result.Report {
	t.Helper()
	c, err := catalog.Parse("", snapshot, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return scanner.Run(c, scanner.Options{Probes: e})
}

// Planned trials that show nothing are a problem, once for each tool.
func TestInconclusiveTrialsAreProblems(t *testing.T) {
	trial := func(tool string, planned bool, o probe.Outcome) probe.Trial {
		return probe.Trial{Tool: tool, Parameter: "path", Class: probe.PathTraversal, Planned: planned, Outcome: o}
	}
	r := probed(t, `{"tools":[{"name":"a"},{"name":"b"}]}`, &probe.Evidence{Server: "s", Trials: []probe.Trial{
		trial("b", true, probe.Inconclusive.Because("same")), trial("a", true, probe.Inconclusive.Because("same")), trial("b", true, probe.Inconclusive.Because("same")),
		trial("a", false, probe.Inconclusive.Because("same")), trial("a", true, probe.Resist(1, 1, "")),
	}})
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Location.Item+": "+p.Message)
	}
	slices.Sort(got)
	if want := []string{"a: not conclusive: path traversal in path: same", "b: not conclusive: path traversal in path, path traversal in path: same"}; !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}

// The outcomes of trials are called in reports as they are in records.
func TestOutcomesHaveOneName(t *testing.T) {
	for want, o := range map[result.ProbeOutcome]probe.Outcome{
		result.Proved: probe.Prove(&probe.Proof{}), result.ResistedIt: probe.Resist(2, 1, ""), result.ByDesign: probe.ByDesign.Because("why"),
		result.InconclusiveTrial: probe.Inconclusive.Because("why"), result.NotDelivered: probe.NotDelivered.Because("why"),
	} {
		r := probed(t, `{"tools":[{"name":"a"}]}`, &probe.Evidence{Server: "s", Trials: []probe.Trial{{Tool: "a", Class: probe.CRLF, Outcome: o}}})
		got := r.Probing.Trials[0]
		resisted := o.Ending == probe.Resisted
		if got.Outcome != want || (got.Finding != "") != (want == result.Proved) || (got.Delivered == 2 && got.Answered == 1) != resisted || (got.Reason == "why") != (want != result.Proved && !resisted) {
			t.Errorf("%s: %+v, want %s", o.Ending, got, want)
		}
	}
}

// A run that sent nothing to a server without definitions is incomplete; protocol probes count.
func TestNothingProbed(t *testing.T) {
	sent := &probe.Protocol{Transport: "stdio", Exchanges: []probe.Exchange{{ID: "P18", Answered: true, Alive: true}}, Unsent: map[string]string{}}
	for _, tt := range []struct {
		name, snapshot string
		protocol       *probe.Protocol
		complete       bool
	}{
		{"nothing at all", `{"tools":[]}`, nil, false},
		{"protocol probes were not answered", `{"tools":[]}`, &probe.Protocol{Transport: "stdio", Unsent: map[string]string{}}, false},
		{"protocol probes", `{"tools":[]}`, sent, true},
		{"a tool to which no class applies", `{"tools":[{"name":"a"}]}`, nil, true},
		{"a prompt alone", `{"tools":[],"prompts":[{"name":"a"}]}`, nil, true},
	} {
		if r := probed(t, tt.snapshot, &probe.Evidence{Server: "s", Protocol: tt.protocol}); r.Complete() != tt.complete {
			t.Errorf("%s: complete %t, problems %+v", tt.name, r.Complete(), r.Problems)
		}
	}
}

// Who asks for checks none of which can run must not see green.
func TestNoneOfTheChecksCanRun(t *testing.T) {
	c, err := catalog.Parse("", `{"tools":[{"name":"a"}]}`, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for ids, complete := range map[string]bool{"SEC-060": false, "GNT-018 GNT-501": false, "SEC-060 SEC-001": true, "SEC-001": true, "SEC-010": true} {
		checks := slices.DeleteFunc(scanner.Checks(), func(k *check.Check) bool { return !slices.Contains(strings.Fields(ids), string(k.ID)) })
		if r := scanner.Run(c, scanner.Options{Checks: checks}); r.Complete() != complete {
			t.Errorf("%s: complete %t, problems %+v", ids, r.Complete(), r.Problems)
		}
	}
}
