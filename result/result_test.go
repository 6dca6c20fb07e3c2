package result

import (
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
