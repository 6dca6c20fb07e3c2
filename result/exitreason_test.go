package result

import (
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/verdict"
)

// The reason and the code rest on the same facts, so each reason belongs to one code.
func TestExitReasonFitsTheCode(t *testing.T) {
	read := Coverage{Servers: []ServerCoverage{{Lists: []ListCoverage{{Kind: finding.Tool, State: StateRead}}}}}
	high := []finding.Finding{{Rule: "SEC-001", Severity: finding.High}}
	problem := []finding.Problem{{Message: "m"}}
	run := func(o verdict.Outcome) []AttackRun { return []AttackRun{{Verdict: &verdict.Attack{Outcome: o}}} }
	for _, tt := range []struct {
		name    string
		r       Report
		floor   finding.Severity
		partial bool
		code    int
		says    string
	}{
		{"a finding at the floor", Report{Findings: high}, finding.High, false, ExitGate, "severity high or higher"},
		{"a finding below the floor", Report{Findings: high, Coverage: read}, finding.Critical, false, ExitOK, "no finding has severity critical"},
		{"no gate", Report{Findings: high}, finding.None, false, ExitOK, "--fail-on none"},
		{"a finding goes before a problem", Report{Findings: high, Problems: problem}, finding.High, false, ExitGate, "a finding has"},
		{"a problem", Report{Problems: problem, Coverage: read}, finding.High, false, ExitTrouble, "was not read"},
		{"a problem that is accepted", Report{Problems: problem, Coverage: read}, finding.High, true, ExitOK, "--allow-partial"},
		{"nothing read", Report{Problems: problem}, finding.High, true, ExitTrouble, "nothing was read"},
		{"an expectation", Report{Expectations: []Expectation{{}}}, finding.High, false, ExitGate, "expectation"},
		{"an attack that worked", Report{Attacks: run(verdict.Exploited)}, finding.None, false, ExitGate, "complied"},
		{"an attack that never arrived", Report{Attacks: run(verdict.NotExposed)}, finding.None, false, ExitTrouble, "never reached"},
		{"an attack that was resisted", Report{Attacks: run(verdict.NotExploited)}, finding.None, false, ExitOK, "resisted every"},
	} {
		if code := tt.r.ExitCode(tt.floor, tt.partial); code != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.name, code, tt.code)
		}
		if got := tt.r.ExitReason(tt.floor, tt.partial); !strings.Contains(got, tt.says) {
			t.Errorf("%s: reason %q, want one with %q", tt.name, got, tt.says)
		}
	}
}

// The reason names what was under attack: an agent, a server whose only callers were clients, or both.
func TestExitReasonNamesTheTarget(t *testing.T) {
	attack := func(o verdict.Outcome, modes ...string) AttackRun {
		a := AttackRun{Verdict: &verdict.Attack{Outcome: o}}
		for _, m := range modes {
			a.Actors = append(a.Actors, ActorRun{Mode: m})
		}
		return a
	}
	for _, tt := range []struct {
		attacks []AttackRun
		want    string
	}{
		{[]AttackRun{attack(verdict.NotExploited, "mcp_client")}, "the server resisted every attack"},
		{[]AttackRun{attack(verdict.NotExploited, "mcp_server")}, "the agent resisted every attack"},
		{[]AttackRun{attack(verdict.NotExploited, "a2a_client")}, "the agent resisted every attack"},
		{[]AttackRun{attack(verdict.NotExploited, "mcp_client", "mcp_server")}, "the agent resisted every attack"},
		{[]AttackRun{attack(verdict.NotExploited)}, "the agent resisted every attack"},
		{[]AttackRun{attack(verdict.NotExploited, "mcp_client"), attack(verdict.NotExploited, "mcp_server")}, "the agent and the server resisted every attack"},
		{[]AttackRun{attack(verdict.Exploited, "mcp_client"), attack(verdict.NotExploited, "mcp_server")}, "the server complied with an attack"},
		{[]AttackRun{attack(verdict.NotExposed, "mcp_client"), attack(verdict.NotExploited, "mcp_server")}, "an attack has no verdict or never reached the server"},
	} {
		r := Report{Attacks: tt.attacks}
		if got := r.ExitReason(finding.High, false); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// A run whose input was all read, and that only a budget ended, says what was not done.
func TestExitReasonOfWhatWasNotDone(t *testing.T) {
	limit := finding.Problem{Kind: finding.Limit, Message: "the budget of 200 calls is used up."}
	unread := finding.Problem{Kind: finding.Unread, Message: "no answer"}
	for _, tt := range []struct {
		name string
		r    Report
		want string
	}{
		{"calls are over", Report{Probing: &Probing{Cut: "the time for calls was over"}}, "not everything was done: the time for calls was over"},
		{"a limit", Report{Problems: []finding.Problem{limit}}, "not everything was done: the budget of 200 calls is used up"},
		{"more", Report{Problems: []finding.Problem{limit}, Probing: &Probing{Cut: "cut"}}, "not everything was done: the budget of 200 calls is used up, and 1 more"},
		{"input that was not read", Report{Problems: []finding.Problem{limit, unread}}, "part of the input was not read"},
	} {
		if got := tt.r.ExitReason(finding.High, false); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
