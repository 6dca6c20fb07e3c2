package policy

import (
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

const (
	fingerprint = "fbd0a2832fc864304010af023a070769"
	judged      = "0000000000000000000000000000000000000000000000000000000000000001"
	changed     = "0000000000000000000000000000000000000000000000000000000000000002"
)

// A decision is bound to what was judged, whichever list of the report has the finding.
func TestAccept(t *testing.T) {
	f := finding.Finding{Rule: "SEC-001", Fingerprint: fingerprint, Content: judged, Location: finding.Location{Kind: finding.Tool, Item: "add", Server: "calc"}}
	unbound := f
	unbound.Content = ""
	for _, tt := range []struct {
		name string
		r    result.Report
		want string // in the text or the error
		ok   bool
	}{
		{"a finding", result.Report{Findings: []finding.Finding{f}}, judged, true},
		{"one that is suppressed already", result.Report{Suppressed: []result.Suppressed{{Finding: f}}}, judged, true},
		{"none of this fingerprint", result.Report{}, "no finding with this fingerprint", false},
		{"one that does not say what was judged", result.Report{Findings: []finding.Finding{unbound}}, "does not say what was judged", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, what, err := Accept("p.yaml", "", Entry{Fingerprint: fingerprint, Reason: "own"}, &tt.r)
			if (err == nil) != tt.ok {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				text = err.Error()
			} else if len(what) != 1 || what[0] != "SEC-001 in tool add, server calc" {
				t.Errorf("accepted %q", what)
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("got %q, want %q in it", text, tt.want)
			}
		})
	}
}

// What was decided about a definition that has changed since gives way.
func TestAcceptReplacesStaleDecisions(t *testing.T) {
	r := &result.Report{Findings: []finding.Finding{{Rule: "SEC-001", Fingerprint: fingerprint, Content: judged}}}
	text, _, err := Accept("p.yaml", "", Entry{Fingerprint: fingerprint, Reason: "own"}, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Findings[0].Content = changed
	text, _, err = Accept("p.yaml", text, Entry{Fingerprint: fingerprint, Reason: "again"}, r)
	if err != nil || strings.Contains(text, judged) || !strings.Contains(text, changed) {
		t.Errorf("%v, the file is\n%s", err, text)
	}
}

func TestAcceptTakesABeginning(t *testing.T) {
	one := "0123456789abcdef0123456789abcdef"
	other := "0123456789abcdefffffffffffffffff"
	r := &result.Report{}
	for _, print := range []string{one, one, other} { // one stands on two definitions
		r.Findings = append(r.Findings, finding.Finding{Rule: "SEC-001", Fingerprint: print, Content: judged})
	}
	for _, tt := range []struct{ print, whole string }{
		{one, one}, {one[:20], one}, {other[:17], other}, {one[:16], ""}, {one[:7], ""}, {"ffffffff", ""},
	} {
		text, _, err := Accept("p.yaml", "", Entry{Fingerprint: tt.print, Reason: "own"}, r)
		if (err == nil) != (tt.whole != "") || err == nil && !strings.Contains(text, tt.whole) {
			t.Errorf("%s: error %v, want %q in\n%s", tt.print, err, tt.whole, text)
		}
	}
}

// One fingerprint may stand on two definitions: both are accepted, and a decision about one stays beside the other's.
func TestAcceptEveryContent(t *testing.T) {
	f := finding.Finding{Rule: "SEC-001", Fingerprint: fingerprint, Content: judged}
	other := f
	other.Content = changed
	r := &result.Report{Findings: []finding.Finding{f}, Suppressed: []result.Suppressed{{Finding: other}}}
	text, what, err := Accept("p.yaml", "", Entry{Fingerprint: fingerprint, Reason: "own"}, r)
	if err != nil || len(what) != 2 || strings.Count(text, judged) != 1 || strings.Count(text, changed) != 1 {
		t.Errorf("%v, accepted %q, the file is\n%s", err, what, text)
	}
}
