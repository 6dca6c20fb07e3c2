package result

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/verdict"
)

// A situation is one combination of all that an exit code rests on.
type situation struct {
	own, imported finding.Severity // of the one finding, None for no finding
	importedGates bool
	experimental  bool // the own finding's check, with a gate for stable ones
	attack        verdict.Outcome
	expectation   string // "", "held" or "broken"
	problem, read bool
	floor         finding.Severity
	allowPartial  bool
}

func (s situation) report() *Report {
	r := &Report{Rules: []Rule{{ID: "SEC-001", Maturity: "stable"}, {ID: "SEC-002", Maturity: "experimental"}}}
	if s.own != finding.None {
		f := finding.Finding{Rule: "SEC-001", Severity: s.own}
		if s.experimental {
			f.Rule, r.Gate = "SEC-002", GateStable
		}
		r.Findings = []finding.Finding{f}
	}
	if s.imported != finding.None {
		r.Imported = &Imported{Gates: s.importedGates, Findings: []ImportedFinding{{Severity: s.imported}}}
	}
	if s.attack != "" {
		r.Attacks = []AttackRun{{Verdict: &verdict.Attack{Outcome: s.attack}}}
	}
	if s.expectation != "" {
		r.Expectations = []Expectation{{Held: s.expectation == "held"}}
	}
	if s.problem {
		r.Problems = []finding.Problem{{Message: "m"}}
	}
	if s.read {
		r.Coverage.Servers = []ServerCoverage{{Lists: []ListCoverage{{Kind: finding.Prompt, State: StateRead}}}}
	}
	return r
}

// want is the documented rule, in the order in which docs say it: the first that applies decides.
func (s situation) want() (code int, reason string) {
	gate := s.floor != finding.None
	complied := s.attack == verdict.Exploited || s.attack == verdict.Partial
	resisted := s.attack == verdict.NotExploited
	orHigher := map[bool]string{true: "critical", false: s.floor.String() + " or higher"}[s.floor == finding.Critical]
	switch {
	case gate && s.own >= s.floor && !s.experimental:
		return 1, "a finding has severity " + orHigher
	case gate && s.importedGates && s.imported >= s.floor:
		return 1, "an imported finding has severity " + orHigher
	case complied:
		return 1, "the agent complied with an attack"
	case s.expectation == "broken":
		return 1, "an expectation does not hold"
	case s.attack != "" && !resisted:
		return 2, "an attack has no verdict or never reached the agent"
	case s.problem && !s.allowPartial:
		return 2, "part of the input was not read"
	case s.problem && !s.read:
		return 2, "nothing was read"
	case s.problem:
		return 0, "--allow-partial accepts that a part was not read"
	case resisted:
		return 0, "the agent resisted every attack"
	case gate && s.own >= s.floor:
		return 0, "the only findings of severity " + orHigher + " are of experimental checks, which --gate stable leaves out"
	case !gate && s.own == finding.None:
		return 0, "no finding fails the run with --fail-on none"
	case !gate:
		return 0, "" // with findings the words may be either of two
	}
	return 0, "no finding has severity " + orHigher
}

// Every combination of findings, imported findings, attacks, expectations, gaps and flags has the code and the reason of
// the documented rule: gates before gaps, whatever else there is.
func TestExitCodeOfEveryCombination(t *testing.T) {
	severities := []finding.Severity{finding.None, finding.Medium, finding.High, finding.Critical}
	outcomes := []verdict.Outcome{"", verdict.Exploited, verdict.Partial, verdict.NotExploited, verdict.Failed, verdict.NotExposed}
	both := []bool{false, true}
	wrong := 0
	try := func(s situation) {
		code, reason := s.want()
		r := s.report()
		if got := r.ExitCode(s.floor, s.allowPartial); got != code {
			t.Errorf("%+v: exit code %d, want %d", s, got, code)
			wrong++
		}
		if got := r.ExitReason(s.floor, s.allowPartial); reason != "" && got != reason {
			t.Errorf("%+v: reason %q, want %q", s, got, reason)
			wrong++
		}
	}
	for _, floor := range severities {
		for _, own := range severities {
			for _, imported := range severities {
				for _, attack := range outcomes {
					for _, expectation := range []string{"", "held", "broken"} {
						for n := range 32 {
							bit := func(i int) bool { return both[n>>i&1] }
							try(situation{
								own: own, imported: imported, importedGates: bit(0), experimental: bit(1), attack: attack,
								expectation: expectation, problem: bit(2), read: bit(3), floor: floor, allowPartial: bit(4),
							})
							if wrong > 10 {
								t.Fatal("and more")
							}
						}
					}
				}
			}
		}
	}
}

// With several of one kind the worst decides, wherever it stands.
func TestTheWorstOfSeveralDecides(t *testing.T) {
	run := func(o verdict.Outcome) AttackRun { return AttackRun{Verdict: &verdict.Attack{Outcome: o}} }
	resisted, complied, unknown := run(verdict.NotExploited), run(verdict.Exploited), AttackRun{Problem: "no"}
	for _, tt := range []struct {
		runs []AttackRun
		want int
	}{
		{[]AttackRun{unknown, resisted}, ExitTrouble},
		{[]AttackRun{resisted, unknown, resisted}, ExitTrouble},
		{[]AttackRun{unknown, unknown, complied}, ExitGate},
		{[]AttackRun{complied, unknown}, ExitGate},
		{[]AttackRun{resisted, resisted}, ExitOK},
	} {
		r := Report{Attacks: tt.runs}
		if got := r.ExitCode(finding.High, true); got != tt.want {
			t.Errorf("%d runs: exit code %d, want %d", len(tt.runs), got, tt.want)
		}
	}
}

func TestWorstRule(t *testing.T) {
	f := func(rule finding.Rule, s finding.Severity) finding.Finding {
		return finding.Finding{Rule: rule, Severity: s}
	}
	for _, tt := range []struct {
		name     string
		findings []finding.Finding
		want     finding.Rule
	}{
		{"none", nil, ""},
		{"of severity info alone", []finding.Finding{f("SEC-001", finding.Info)}, ""},
		{"low is above info", []finding.Finding{f("SEC-001", finding.Info), f("SEC-002", finding.Low)}, "SEC-002"},
		{"the severest, in the middle", []finding.Finding{f("SEC-001", finding.Low), f("SEC-002", finding.High), f("SEC-003", finding.Medium)}, "SEC-002"},
		{"the first of two", []finding.Finding{f("SEC-001", finding.High), f("SEC-002", finding.High)}, "SEC-001"},
		{"the last", []finding.Finding{f("SEC-001", finding.High), f("SEC-002", finding.Critical)}, "SEC-002"},
	} {
		if got := (&Report{Findings: tt.findings}).WorstRule(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A server that answered: a list of any kind, or instructions. That it stated its name is no answer to a question.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		list ListCoverage
		want bool
	}{
		{"an empty list", ListCoverage{Kind: finding.Tool, State: StateRead}, true},
		{"no list", ListCoverage{Kind: finding.Tool, State: StateAbsent}, false},
		{"no list, whatever else is said of it", ListCoverage{Kind: finding.Tool, State: StateAbsent, Instructions: true}, false},
		{"its name", ListCoverage{Kind: finding.Server, State: StateRead}, false},
		{"its instructions", ListCoverage{Kind: finding.Server, State: StateRead, Instructions: true}, true},
	} {
		first := ServerCoverage{Lists: []ListCoverage{{Kind: finding.Prompt, State: StateAbsent}}}
		r := Report{Coverage: Coverage{Servers: []ServerCoverage{first, {Lists: []ListCoverage{{Kind: finding.Resource, State: StateAbsent}, tt.list}}}}}
		if got := r.Read(); got != tt.want {
			t.Errorf("%s: read %t, want %t", tt.name, got, tt.want)
		}
	}
}

// Trials count by their outcome; those that nobody planned count only where all are asked for.
func TestCountTrials(t *testing.T) {
	var p Probing
	add := func(o ProbeOutcome, planned, others int) {
		for range planned {
			p.Trials = append(p.Trials, ProbeTrial{Outcome: o, Planned: true})
		}
		for range others {
			p.Trials = append(p.Trials, ProbeTrial{Outcome: o})
		}
	}
	add(Proved, 1, 2)
	add(ResistedIt, 3, 4)
	add(ByDesign, 5, 0)
	add(NotDelivered, 0, 7)
	for _, tt := range []struct {
		of           ProbeOutcome
		planned, all int
	}{{Proved, 1, 3}, {ResistedIt, 3, 7}, {ByDesign, 5, 5}, {NotDelivered, 0, 7}, {"later", 0, 0}} {
		if planned, all := p.Count(tt.of, false), p.Count(tt.of, true); planned != tt.planned || all != tt.all {
			t.Errorf("%s: %d planned, %d in all, want %d and %d", tt.of, planned, all, tt.planned, tt.all)
		}
	}
}

// Two findings have one cause only where both rules quote clauses and everything that names the text is the same.
func TestSameCauseNeedsTheSameText(t *testing.T) {
	base := finding.Finding{Rule: "SEC-001", Severity: finding.High, Order: 10, OrderEnd: 20, Input: 1,
		Location: finding.Location{Pointer: "/tools/0/description", Server: "s", Seq: 3, Item: "i", File: "f", Line: 4}}
	for _, tt := range []struct {
		name   string
		change func(*finding.Finding)
		want   bool
	}{
		{"the same words", func(*finding.Finding) {}, true},
		{"they overlap at the end", func(f *finding.Finding) { f.Order, f.OrderEnd = 19, 30 }, true},
		{"they overlap at the beginning", func(f *finding.Finding) { f.Order, f.OrderEnd = 5, 11 }, true},
		{"they begin where the other ends", func(f *finding.Finding) { f.Order, f.OrderEnd = 20, 30 }, false},
		{"they end where the other begins", func(f *finding.Finding) { f.Order, f.OrderEnd = 5, 10 }, false},
		{"another rule", func(f *finding.Finding) { f.Rule = "SEC-010" }, false},
		{"another input", func(f *finding.Finding) { f.Input = 2 }, false},
		{"another place of the document", func(f *finding.Finding) { f.Location.Pointer = "/tools/1/description" }, false},
		{"another server", func(f *finding.Finding) { f.Location.Server = "t" }, false},
		{"another message", func(f *finding.Finding) { f.Location.Seq = 4 }, false},
		{"another name of the item at the same place", func(f *finding.Finding) { f.Location.Item = "j" }, true},
		{"another line of the same place", func(f *finding.Finding) { f.Location.Line = 5 }, true},
		{"another spelling of the file", func(f *finding.Finding) { f.Location.File = "g" }, true},
	} {
		other := base
		other.Rule = "SEC-003"
		tt.change(&other)
		for _, pair := range [][2]finding.Finding{{base, other}, {other, base}} {
			if got := sameCause(&pair[0], &pair[1]); got != tt.want {
				t.Errorf("%s: one cause %t, want %t", tt.name, got, tt.want)
			}
		}
	}
}

// Whichever comes first, the severer stays, of one severity the rule that stands first among those of clauses, and names all others
// once, in order, never itself.
func TestMergedNamesTheOthers(t *testing.T) {
	f := func(rule finding.Rule, s finding.Severity, also ...finding.Rule) finding.Finding {
		return finding.Finding{Rule: rule, Severity: s, Also: also}
	}
	for _, tt := range []struct {
		a, b finding.Finding
		want string
	}{
		{f("SEC-003", finding.Low), f("SEC-001", finding.High), "SEC-001 high [SEC-003]"},
		{f("SEC-003", finding.High), f("SEC-001", finding.Low), "SEC-003 high [SEC-001]"},
		{f("SEC-003", finding.High), f("SEC-001", finding.High), "SEC-003 high [SEC-001]"},
		{f("SEC-009", finding.High), f("MCP-S-004", finding.High), "MCP-S-004 high [SEC-009]"},
		{f("SEC-003", finding.High, "SEC-001", "SEC-002"), f("SEC-002", finding.High, "SEC-001", "SEC-003"), "SEC-003 high [SEC-001 SEC-002]"},
		{f("SEC-001", finding.High, "SEC-009"), f("SEC-001", finding.High, "SEC-004"), "SEC-001 high [SEC-004 SEC-009]"},
	} {
		for _, got := range []finding.Finding{merged(tt.a, tt.b), merged(tt.b, tt.a)} {
			if got := fmt.Sprint(got.Rule, " ", got.Severity, " ", got.Also); got != tt.want {
				t.Errorf("%s and %s: %s, want %s", tt.a.Rule, tt.b.Rule, got, tt.want)
			}
		}
	}
	also := make([]finding.Rule, 1, 4)
	also[0] = "SEC-009"
	a := f("SEC-003", finding.High)
	a.Also = also
	merged(a, f("SEC-001", finding.Low))
	if got := also[:2][1]; got != "" || strings.Join([]string{string(also[0])}, "") != "SEC-009" {
		t.Errorf("merging wrote %q into the list of the finding that was given", got)
	}
}

// What was merged away is gone from the list, and the rest is in the order of findings.
func TestMergeCausesLeavesAnOrderedList(t *testing.T) {
	f := func(rule finding.Rule, s finding.Severity, from int) finding.Finding {
		return finding.Finding{Rule: rule, Severity: s, Order: from, OrderEnd: from + 5, Location: finding.Location{Pointer: fmt.Sprintf("/%d", from/100)}}
	}
	all := []finding.Finding{f("SEC-010", finding.Low, 0), f("SEC-001", finding.Low, 100), f("SEC-003", finding.Critical, 102), f("SEC-010", finding.High, 200)}
	r := &Report{Findings: all}
	r.MergeCauses()
	if len(r.Findings) != 3 {
		t.Fatalf("%d findings, want 3", len(r.Findings))
	}
	for i := 1; i < len(r.Findings); i++ {
		if finding.Compare(r.Findings[i-1], r.Findings[i]) > 0 {
			t.Errorf("%s stands before %s", r.Findings[i-1].Rule, r.Findings[i].Rule)
		}
	}
	if all[3].Rule != "" {
		t.Error("what was merged away is still reachable behind the list")
	}
}

// A share stays within 0 and 1 and within its interval, a negative number of trials is none, and more trials say more.
func TestWilsonBounds(t *testing.T) {
	for trials := -1; trials <= 40; trials++ {
		for hits := 0; hits <= max(trials, 0); hits++ {
			got := Wilson(hits, trials)
			if got.Low < 0 || got.High > 1 || got.Share < got.Low || got.Share > got.High {
				t.Errorf("%d of %d: %+v", hits, trials, got)
			}
			if trials <= 0 && got != (Interval{High: 1}) {
				t.Errorf("%d of %d: %+v, want nothing known", hits, trials, got)
			}
			if twice := Wilson(2*hits, 2*trials); trials > 0 && twice.High-twice.Low >= got.High-got.Low {
				t.Errorf("%d of %d: %+v is no narrower with twice the trials: %+v", hits, trials, got, twice)
			}
		}
	}
	if got := Wilson(1, 1); got != (Interval{1, 0.2065, 1}) {
		t.Errorf("1 of 1: %+v, want 0.2065 to 1", got)
	}
}

// Runs of one document with two agents, and of two documents with one agent, are counted apart.
func TestRatesAreOfDocumentAndAgent(t *testing.T) {
	run := func(doc, agent string, o verdict.Outcome) AttackRun {
		return AttackRun{Document: doc, Agent: agent, Verdict: &verdict.Attack{Outcome: o}}
	}
	got := RatesOf([]AttackRun{
		run("d", "x", verdict.Exploited), run("d", "y", verdict.NotExploited), run("e", "x", verdict.Partial), run("d", "y", verdict.Exploited), run("d", "x", verdict.Failed),
	})
	want := []Rate{
		{"d", "x", 1, 0, 1, Wilson(1, 1)},
		{"d", "y", 1, 1, 0, Wilson(1, 2)},
		{"e", "x", 1, 0, 0, Wilson(1, 1)},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rates %+v, want %+v", got, want)
	}
}

// An empty fleet writes lists and no null.
func TestFleetWithoutTargetsWritesLists(t *testing.T) {
	var f Fleet
	f.Summarize()
	if f.Targets == nil || f.Left == nil || f.Refused == nil || f.Summary.Counts == nil {
		t.Errorf("%+v has a list that is null in JSON", f)
	}
}
