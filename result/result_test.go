package result

import (
	"maps"
	"testing"

	"gauntlet/finding"
	"gauntlet/verdict"
)

// The one rule for exit codes, for every combination of gate, completeness and leave.
func TestExitCode(t *testing.T) {
	high := []finding.Finding{{Severity: finding.High}}
	gap := []finding.Problem{{Kind: finding.Unread}}
	tools := []ServerCoverage{{Lists: []ListCoverage{{Kind: finding.Tool, State: StateRead}}}}
	words := []ServerCoverage{{Lists: []ListCoverage{{Kind: finding.Server, State: StateRead, Instructions: true}}}}
	name := []ServerCoverage{{Lists: []ListCoverage{{Kind: finding.Server, State: StateRead}, {Kind: finding.Tool, State: StateAbsent}}}}
	run := func(outcomes ...verdict.Outcome) Report {
		var r Report
		for _, o := range outcomes {
			r.Attacks = append(r.Attacks, AttackRun{Verdict: &verdict.Attack{Outcome: o}})
		}
		return r
	}
	with := func(r Report, fs []finding.Finding) Report {
		r.Findings = fs
		return r
	}
	unrun := run(verdict.NotExploited)
	unrun.Attacks = append(unrun.Attacks, AttackRun{Problem: "it is no document"})
	for _, tt := range []struct {
		name    string
		report  Report
		floor   finding.Severity
		partial bool
		want    int
	}{
		{"nothing found, all read", Report{}, finding.High, false, ExitOK},
		{"a finding at the gate", Report{Findings: high}, finding.High, false, ExitGate},
		{"a finding above the gate", Report{Findings: high}, finding.Low, false, ExitGate},
		{"a finding below the gate", Report{Findings: high}, finding.Critical, false, ExitOK},
		{"no gate", Report{Findings: high}, finding.None, false, ExitOK},
		{"a gap", Report{Problems: gap}, finding.High, false, ExitTrouble},
		{"the gate goes before a gap", Report{Findings: high, Problems: gap}, finding.High, false, ExitGate},
		{"a gap without a gate", Report{Findings: high, Problems: gap}, finding.None, false, ExitTrouble},
		{"a gap that may be, beside a list", Report{Problems: gap, Coverage: Coverage{Servers: tools}}, finding.High, true, ExitOK},
		{"a gap that may be, beside instructions", Report{Problems: gap, Coverage: Coverage{Servers: words}}, finding.High, true, ExitOK},
		{"a gap that may be, beside a name only", Report{Problems: gap, Coverage: Coverage{Servers: name}}, finding.High, true, ExitTrouble},
		{"a gap that may be, beside nothing", Report{Problems: gap}, finding.High, true, ExitTrouble},
		{"an agent that resisted", run(verdict.NotExploited), finding.None, false, ExitOK},
		{"an agent that complied", run(verdict.NotExploited, verdict.Exploited), finding.None, false, ExitGate},
		{"an agent that complied in part", run(verdict.Partial), finding.None, false, ExitGate},
		{"an attack that never arrived", run(verdict.NotExploited, verdict.NotExposed), finding.None, true, ExitTrouble},
		{"a verdict that says nothing", run(verdict.Failed), finding.None, true, ExitTrouble},
		{"an attack that was not run", unrun, finding.None, true, ExitTrouble},
		{"an expectation that held", Report{Expectations: []Expectation{{Held: true}}}, finding.None, false, ExitOK},
		{"an expectation that did not hold", Report{Expectations: []Expectation{{Held: true}, {}}}, finding.None, true, ExitGate},
		{"an expectation goes before a gap", Report{Expectations: []Expectation{{}}, Problems: gap}, finding.None, false, ExitGate},
		{"a finding goes before an attack without verdict", with(run(verdict.Failed), high), finding.High, false, ExitGate},
		{"an attack without verdict, a finding below the gate", with(run(verdict.Failed), high), finding.Critical, true, ExitTrouble},
		{"compliance before an attack without verdict", run(verdict.Exploited, verdict.Failed), finding.None, false, ExitGate},
		{"a suppressed finding", Report{Suppressed: []Suppressed{{Finding: high[0]}}}, finding.Info, false, ExitOK},
		{"the lowest severity at its own gate", Report{Findings: []finding.Finding{{Severity: finding.Info}}}, finding.Info, false, ExitGate},
		{"the second finding is at the gate", Report{Findings: []finding.Finding{{Severity: finding.Low}, {Severity: finding.High}}}, finding.High, false, ExitGate},
		{"a gap that may be, beside a trace", Report{Problems: gap, Coverage: Coverage{Trace: &TraceCoverage{Messages: 1}}}, finding.High, true, ExitOK},
		{"a gap that may be, beside an empty trace", Report{Problems: gap, Coverage: Coverage{Trace: &TraceCoverage{}}}, finding.High, true, ExitTrouble},
		{"a gap that may be, beside a configuration", Report{Problems: gap, Clients: &Clients{Files: []ClientFile{{State: StateRead}}}}, finding.High, true, ExitOK},
		{"a gap that may be, beside an unread configuration", Report{Problems: gap, Clients: &Clients{Files: []ClientFile{{State: "unread"}}}}, finding.High, true, ExitTrouble},
		{"a gap that may not be, beside a list", Report{Problems: gap, Coverage: Coverage{Servers: tools}}, finding.High, false, ExitTrouble},
		{"compliance goes before what is not known", run(verdict.Failed, verdict.Exploited), finding.None, false, ExitGate},
		{"the gate goes before leave", Report{Findings: high, Problems: gap}, finding.High, true, ExitGate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.report.ExitCode(tt.floor, tt.partial); got != tt.want {
				t.Errorf("ExitCode(%v, %v) = %d, want %d", tt.floor, tt.partial, got, tt.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	r := Report{
		Findings:     []finding.Finding{{Severity: finding.High}, {Severity: finding.Info}, {Severity: finding.High}, {Severity: finding.Critical}},
		Suppressed:   []Suppressed{{}, {}, {}},
		Expectations: []Expectation{{}, {Held: true}, {}},
	}
	r.Count()
	s := r.Summary
	if s.Findings != 4 || s.Suppressed != 3 || s.Problems != 0 || !s.Complete || r.Failed() != 2 {
		t.Errorf("summary %+v with %d failed", s, r.Failed())
	}
	want := map[string]int{"info": 1, "low": 0, "medium": 0, "high": 2, "critical": 1}
	if !maps.Equal(s.BySeverity, want) {
		t.Errorf("by severity %v, want %v", s.BySeverity, want)
	}
	var none Report
	none.Count()
	if zero := map[string]int{"info": 0, "low": 0, "medium": 0, "high": 0, "critical": 0}; !maps.Equal(none.Summary.BySeverity, zero) {
		t.Errorf("without findings by severity %v, want all five at zero", none.Summary.BySeverity)
	}
	r.Problems = []finding.Problem{{}}
	if r.Count(); r.Summary.Complete || r.Summary.Problems != 1 {
		t.Errorf("with a problem: %+v", r.Summary)
	}
}

// What a verdict says of a run: a partial one counts as compliance, and what is neither
// compliance nor resistance counts as neither.
func TestAttackRun(t *testing.T) {
	for _, tt := range []struct {
		outcome             verdict.Outcome
		exploited, resisted bool
	}{
		{verdict.Exploited, true, false}, {verdict.Partial, true, false}, {verdict.NotExploited, false, true},
		{verdict.Failed, false, false}, {verdict.NotExposed, false, false}, {"of a later version", false, false},
	} {
		a := AttackRun{Verdict: &verdict.Attack{Outcome: tt.outcome}}
		if a.Exploited() != tt.exploited || a.Resisted() != tt.resisted {
			t.Errorf("%s: exploited %t, resisted %t", tt.outcome, a.Exploited(), a.Resisted())
		}
	}
	if a := (AttackRun{}); a.Exploited() || a.Resisted() {
		t.Error("a run without verdict is one of resistance or compliance")
	}
}
