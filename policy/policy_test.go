package policy

import (
	"testing"
	"time"

	"gauntlet/finding"
	"gauntlet/result"
)

// reported returns a report with one finding of SEC-003 and the check that found it.
func reported() *result.Report {
	r := &result.Report{
		Findings: []finding.Finding{
			{Rule: "SEC-001", Severity: finding.High, Fingerprint: print1, Content: content1},
			{Rule: "SEC-003", Severity: finding.Critical, Fingerprint: print2, Content: content2},
		},
		Coverage: result.Coverage{Checks: []result.CheckCoverage{{Rule: "SEC-001", State: "ran"}, {Rule: "SEC-003", State: "ran"}, {Rule: "SEC-014", State: "skipped"}}},
	}
	r.Count()
	return r
}

func TestApply(t *testing.T) {
	good := Entry{Fingerprint: print2, Rule: "SEC-003", Content: content2, Reason: "fine", Line: 4}
	with := func(change func(*Entry)) Entry {
		e := good
		change(&e)
		return e
	}
	const today = Date("2026-11-21")
	for _, tt := range []struct {
		name  string
		entry Entry
		want  result.SuppressionState
	}{
		{"all the same", good, result.Used},
		{"on its last day", with(func(e *Entry) { e.Expires = "2026-11-21" }), result.Used},
		{"the day after", with(func(e *Entry) { e.Expires = "2026-11-20" }), result.Expired},
		{"another content", with(func(e *Entry) { e.Content = content1 }), result.Changed},
		{"another fingerprint", with(func(e *Entry) { e.Fingerprint = "ffffffffffffffffffffffffffffffff" }), result.Unused},
		{"another rule", with(func(e *Entry) { e.Rule = "SEC-001" }), result.Unused},
		{"a check that was skipped", with(func(e *Entry) { e.Rule = "SEC-014" }), result.Unjudged},
		{"a check that nobody knows", with(func(e *Entry) { e.Rule = "XYZ-999" }), result.Unjudged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reported()
			(&Policy{File: "p.yaml", Entries: []Entry{tt.entry}}).Apply(r, today)
			s := r.Suppressions[0]
			if s.State != tt.want || (s.Detail == "") != (tt.want == result.Used) || s.File != "p.yaml" || s.Line != 4 {
				t.Errorf("the decision is %+v, want state %s", s, tt.want)
			}
			used := 0
			if tt.want == result.Used {
				used = 1
				if r.Suppressed[0].Decision != s.Decision || r.Suppressed[0].Finding.Fingerprint != print2 {
					t.Errorf("suppressed is %+v", r.Suppressed[0])
				}
			}
			if len(r.Suppressed) != used || len(r.Findings) != 2-used || r.Summary.Suppressed != used || r.Summary.Findings != 2-used || r.Summary.BySeverity["critical"] != 1-used {
				t.Errorf("%d suppressed and %d findings, in the summary %+v; want %d suppressed of 2", len(r.Suppressed), len(r.Findings), r.Summary, used)
			}
			if r.FailsAt(finding.Critical) == (used == 1) || !r.FailsAt(finding.High) || !r.Complete() {
				t.Error("a suppressed finding gates, or another does not, or the run is incomplete")
			}
		})
	}
}

// A finding without a content hash cannot be suppressed: nobody knows what was judged.
func TestApplyWantsContent(t *testing.T) {
	r := reported()
	r.Findings[1].Content = ""
	(&Policy{Entries: []Entry{{Fingerprint: print2, Rule: "SEC-003", Content: content2}}}).Apply(r, "2026-01-01")
	if len(r.Findings) != 2 || r.Suppressions[0].State != result.Changed {
		t.Errorf("%d findings, state %s; want both findings", len(r.Findings), r.Suppressions[0].State)
	}
}

// A check that broke may have left a finding out, and what it did find is judged like any other.
func TestApplyToChecksThatFailed(t *testing.T) {
	failed := func() *result.Report {
		r := reported()
		r.Coverage.Checks[1].State = "failed"
		return r
	}
	for _, tt := range []struct {
		name  string
		entry Entry
		want  result.SuppressionState
	}{
		{"no finding", Entry{Fingerprint: print1, Rule: "SEC-003", Content: content1}, result.Unjudged},
		{"its finding", Entry{Fingerprint: print2, Rule: "SEC-003", Content: content2}, result.Used},
		{"its finding, over another definition", Entry{Fingerprint: print2, Rule: "SEC-003", Content: content1}, result.Changed},
	} {
		r := failed()
		(&Policy{Entries: []Entry{tt.entry}}).Apply(r, "2026-01-01")
		if got := r.Suppressions[0].State; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Two servers that call themselves alike share fingerprints, one at a time.
func TestTwoContentsOfOneFingerprint(t *testing.T) {
	p := Policy{Entries: []Entry{
		{Fingerprint: print2, Rule: "SEC-003", Content: content1, Reason: "a"}, {Fingerprint: print2, Rule: "SEC-003", Content: content2, Reason: "b"},
	}}
	r := reported()
	p.Apply(r, "2026-01-01")
	if len(r.Suppressed) != 1 || r.Suppressed[0].Decision.Reason != "b" || r.Suppressions[0].State != result.Changed || r.Suppressions[1].State != result.Used {
		t.Errorf("suppressed %+v by %+v, want one by the second", r.Suppressed, r.Suppressions)
	}
}

func TestDates(t *testing.T) {
	for _, s := range []string{"2027-01-31", "2028-02-29", "9999-12-31", "0001-01-01"} {
		if d, err := ParseDate(s); err != nil || string(d) != s {
			t.Errorf("ParseDate(%q) = %q, %v", s, d, err)
		}
	}
	for _, s := range []string{"", "2027-02-29", "2027-1-31", "31.01.2027", "2027-01-31 ", "10000-01-01", "tomorrow"} {
		if d, err := ParseDate(s); err == nil {
			t.Errorf("ParseDate(%q) = %q, want an error", s, d)
		}
	}
	// One moment, whatever the clock on the wall says.
	late := time.Date(2026, 12, 31, 23, 30, 0, 0, time.FixedZone("", -3600))
	if got := DateOf(late); got != "2027-01-01" {
		t.Errorf("DateOf(%v) = %s, want the day in UTC", late, got)
	}
}
