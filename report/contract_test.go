package report

import (
	"bufio"
	"regexp"
	"strings"
	"testing"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/verdict"
)

// A statement is a part of a report that a format may show in its own way and must not drop:
// a reader of any format learns of it.
type statement struct {
	name string
	put  func(r *result.Report)
	says string // text that the format must hold; "" asks only for an output that differs
}

// marker is a text that no format changes, wherever it is put.
const marker = "zq7marker"

var statements = []statement{
	{"a finding", func(r *result.Report) {
		r.Findings = append(r.Findings, finding.Finding{Rule: "SEC-001", Name: "n", Severity: finding.Low, Message: marker, Input: -1})
	}, marker},
	{"a problem", func(r *result.Report) {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: marker, Input: -1})
	}, marker},
	{"a scan that calls itself incomplete", func(r *result.Report) { r.Summary.Complete = false }, ""},
	{"an attack that was complied with", func(r *result.Report) { r.Attacks = append(r.Attacks, runOf(verdict.Exploited)) }, marker},
	{"an attack that was resisted", func(r *result.Report) { r.Attacks = append(r.Attacks, runOf(verdict.NotExploited)) }, ""},
	{"an attack that never arrived", func(r *result.Report) { r.Attacks = append(r.Attacks, runOf(verdict.NotExposed)) }, marker},
	{"an attack without verdict", func(r *result.Report) {
		r.Attacks = append(r.Attacks, result.AttackRun{Document: marker, Problem: marker})
	}, marker},
	{"an expectation that did not hold", func(r *result.Report) {
		r.Expectations = append(r.Expectations, result.Expectation{Name: "e", Message: marker})
	}, marker},
	{"a suppressed finding", func(r *result.Report) {
		r.Suppressed = append(r.Suppressed, result.Suppressed{
			Finding:  finding.Finding{Rule: "SEC-001", Name: "n", Severity: finding.High, Message: "m"},
			Decision: result.Decision{Reason: marker, File: "f"},
		})
	}, marker},
	{"a suppression that was not used", func(r *result.Report) {
		r.Suppressions = append(r.Suppressions, result.Suppression{State: result.Unused, Decision: result.Decision{Reason: marker, File: marker}})
	}, ""},
	{"one more server that was read", func(r *result.Report) {
		r.Coverage.Servers = append(r.Coverage.Servers, result.ServerCoverage{Server: marker})
		r.Summary.Servers++
	}, ""},
	{"one more definition that was read", func(r *result.Report) {
		r.Coverage.Servers[0].Lists[0].Items++
		r.Summary.Items++
	}, ""},
	{"a check that ran", func(r *result.Report) {
		r.Coverage.Checks = append(r.Coverage.Checks, result.CheckCoverage{Rule: "SEC-009", Name: marker, State: "ran"})
	}, ""},
	{"a check that did not run", func(r *result.Report) {
		r.Skipped = append(r.Skipped, result.Skip{Rule: "SEC-010", Name: "n", Needs: marker})
	}, ""},
	{"what was not scanned again", func(r *result.Report) { r.Coverage.Servers[0].Lists[0].Unchanged++ }, ""},
}

func runOf(o verdict.Outcome) result.AttackRun {
	return result.AttackRun{Document: marker, ID: "ACME-001", Name: marker, Severity: "high", Verdict: &verdict.Attack{Outcome: o}}
}

// plainReport is a complete report of one server, with nothing found.
func plainReport() *result.Report {
	return &result.Report{
		SchemaVersion: result.SchemaVersion,
		Summary:       result.Summary{Servers: 1, Items: 3, Complete: true},
		Coverage: result.Coverage{Servers: []result.ServerCoverage{{Server: "files", Lists: []result.ListCoverage{
			{Kind: finding.Tool, State: result.StateRead, Items: 3},
		}}}},
	}
}

// dropped returns the statements that a format does not make.
func dropped(t *testing.T, f Format) (names []string) {
	t.Helper()
	text := func(r *result.Report) string {
		var b strings.Builder
		if err := f.Write(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	before := text(plainReport())
	for _, s := range statements {
		r := plainReport()
		s.put(r)
		if got := text(r); got == before || !strings.Contains(got, s.says) {
			names = append(names, s.name)
		}
	}
	return names
}

// TestFormatsDropNothing holds each registered format, and with it the next one, to what a
// reader of any format must learn.
func TestFormatsDropNothing(t *testing.T) {
	for _, f := range Formats() {
		for _, name := range dropped(t, f) {
			t.Errorf("format %s does not say: %s", f.Name, name)
		}
	}
}

// claims are what each format writes only of a report that is complete, as regular expressions.
var claims = map[string]string{
	"pretty": "is complete", "json": `"complete": ?true`, "sarif": `"executionSuccessful": ?true`, "markdown": "is complete",
	"html": "Everything that was asked for was read and judged", "junit": `name="is complete"(/>|>\s*<(system-out|/testcase))`,
}

// What is undone is never done: whatever is missing in a report, it is not complete, its exit code says so,
// and no format claims the opposite. A format without a claim has to say what it writes of complete reports.
func TestUndoneIsNeverDone(t *testing.T) {
	undone := map[string]func(r *result.Report){
		"a problem": func(r *result.Report) {
			r.Problems = append(r.Problems, finding.Problem{Kind: finding.Limit, Message: "m", Input: -1})
		},
		"an unread document": func(r *result.Report) {
			r.Attacks = append(r.Attacks, result.AttackRun{Document: "a.yaml", Problem: "not valid"})
		},
		"an attack not judged": func(r *result.Report) { r.Attacks = append(r.Attacks, runOf(verdict.Failed)) },
		"an attack not met":    func(r *result.Report) { r.Attacks = append(r.Attacks, runOf(verdict.NotExposed)) },
		"probes that were cut": func(r *result.Report) { r.Probing = &result.Probing{Cut: "the calls were over"} },
		"a step that was not done": func(r *result.Report) {
			r.Vetted = append(r.Vetted, result.Vetting{Steps: []result.VettingStep{{Name: "source", State: result.StepNotDone, Detail: "d"}}})
		},
		"a step that failed": func(r *result.Report) {
			r.Vetted = append(r.Vetted, result.Vetting{Steps: []result.VettingStep{{Name: "behaviour", State: result.StepFailed, Detail: "d"}}})
		},
	}
	attacksAlone := func() *result.Report {
		return &result.Report{Attacks: []result.AttackRun{runOf(verdict.NotExploited)}}
	}
	for _, f := range Formats() {
		claim, known := claims[f.Name]
		if !known {
			t.Errorf("format %s: what does it claim of a complete report?", f.Name)
		}
		says := func(r *result.Report) bool {
			r.Count()
			var b strings.Builder
			if err := f.Write(&b, r, Options{}); err != nil {
				t.Fatal(err)
			}
			return regexp.MustCompile(claim).MatchString(b.String())
		}
		if !says(plainReport()) {
			t.Errorf("format %s does not say %q of a complete report", f.Name, claim)
		}
		for name, put := range undone {
			for of, base := range map[string]func() *result.Report{"a scan": plainReport, "attacks": attacksAlone} {
				r := base()
				put(r)
				if says(r) || r.Complete() || r.Summary.Complete {
					t.Errorf("format %s, %s with %s: called complete", f.Name, of, name)
				}
				if code := r.ExitCode(finding.None, false); code != result.ExitTrouble {
					t.Errorf("%s with %s: exit code %d", of, name, code)
				}
			}
		}
	}
}

// A format that prints findings alone would pass a test that asks for findings alone.
func TestDroppedSeesWhatIsMissing(t *testing.T) {
	careless := Format{Name: "careless", write: func(w *bufio.Writer, r *result.Report, _ Options) error {
		for _, f := range r.Findings {
			_, _ = w.WriteString(f.Message + "\n")
		}
		return nil
	}}
	if got := dropped(t, careless); len(got) != len(statements)-1 {
		t.Errorf("of a format that prints findings alone %d of %d statements are missed: %q", len(got), len(statements), got)
	}
}

// TestDiffFormatsDropNothing is the same for what changed.
func TestDiffFormatsDropNothing(t *testing.T) {
	plain := func() *diff.Diff { return &diff.Diff{Summary: diff.Summary{Complete: true}} }
	for _, f := range DiffFormats() {
		text := func(d *diff.Diff) string {
			var b strings.Builder
			if err := f.Write(&b, d, Options{}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		before := text(plain())
		for _, s := range []struct {
			name string
			put  func(*diff.Diff)
			says string
		}{
			{"a problem", func(d *diff.Diff) {
				d.Problems = append(d.Problems, finding.Problem{Kind: finding.Unread, Message: marker})
			}, marker},
			{"an incomplete comparison", func(d *diff.Diff) { d.Summary.Complete = false }, ""},
			{"a removed server", func(d *diff.Diff) { d.Servers = append(d.Servers, diff.Server{Name: marker, State: diff.Removed}) }, marker},
			{"an added tool", func(d *diff.Diff) {
				d.Servers = append(d.Servers, diff.Server{Name: "s", State: diff.Changed, Items: []diff.Item{{Kind: finding.Tool, Name: marker, State: diff.Added}}})
			}, marker},
		} {
			d := plain()
			s.put(d)
			if got := text(d); got == before || !strings.Contains(got, s.says) {
				t.Errorf("diff format %s does not say: %s", f.Name, s.name)
			}
		}
	}
}
