package result

import (
	"testing"

	"gauntlet/finding"
)

// With the gate for stable checks a finding moves the exit code by the maturity of its rule alone.
func TestGateByMaturity(t *testing.T) {
	rules := []Rule{{ID: "SEC-001", Maturity: "stable"}, {ID: "SEC-002", Maturity: "experimental"}, {ID: "SEC-003"}}
	for _, tt := range []struct {
		name    string
		gate    string
		rule    finding.Rule
		want    int
		ungated int
	}{
		{"a stable check", GateStable, "SEC-001", ExitGate, 0},
		{"an experimental check", GateStable, "SEC-002", ExitOK, 1},
		{"a check of no known maturity", GateStable, "SEC-003", ExitOK, 1},
		{"a rule that the report does not describe", GateStable, "SEC-004", ExitGate, 0},
		{"an experimental check at the gate for all", "all", "SEC-002", ExitGate, 0},
		{"an experimental check without a gate", "", "SEC-002", ExitGate, 0},
	} {
		r := Report{Gate: tt.gate, Rules: rules, Findings: []finding.Finding{{Rule: tt.rule, Severity: finding.High}}}
		if got := r.ExitCode(finding.High, false); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
		if got := r.Ungated(finding.High); got != tt.ungated {
			t.Errorf("%s: %d findings beside the gate, want %d", tt.name, got, tt.ungated)
		}
		if got := r.Ungated(finding.Critical); got != 0 {
			t.Errorf("%s: %d findings of severity critical, want none", tt.name, got)
		}
	}
}

// Findings of other programs move the exit code only where they were asked to, by the rule of our own.
func TestGateOfImportedFindings(t *testing.T) {
	imported := func(gates bool, severities ...finding.Severity) *Imported {
		i := &Imported{Gates: gates}
		for _, s := range severities {
			i.Findings = append(i.Findings, ImportedFinding{Severity: s})
		}
		return i
	}
	for _, tt := range []struct {
		name     string
		imported *Imported
		floor    finding.Severity
		want     int
	}{
		{"none", nil, finding.Info, ExitOK},
		{"at the gate", imported(true, finding.High), finding.High, ExitGate},
		{"above the gate", imported(true, finding.Critical), finding.High, ExitGate},
		{"below the gate", imported(true, finding.Medium), finding.High, ExitOK},
		{"the second is at the gate", imported(true, finding.Low, finding.High), finding.High, ExitGate},
		{"at a gate for our own only", imported(false, finding.Critical), finding.High, ExitOK},
		{"no gate", imported(true, finding.Critical), finding.None, ExitOK},
	} {
		r := Report{Imported: tt.imported}
		if got := r.ExitCode(tt.floor, false); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestCountImported(t *testing.T) {
	i := &Imported{Findings: []ImportedFinding{{State: Agreed, Run: Confirmed}, {State: ForeignOnly, Run: Confirmed}, {State: ForeignOnly, Run: Refuted}, {State: ForeignOnly}}}
	if states, runs := i.Count(ForeignOnly, Confirmed); states != 3 || runs != 2 {
		t.Errorf("%d found by others alone, %d confirmed, want 3 and 2", states, runs)
	}
	if states, runs := i.Count(Agreed, Refuted); states != 1 || runs != 1 {
		t.Errorf("%d agreed, %d refuted, want 1 and 1", states, runs)
	}
}
