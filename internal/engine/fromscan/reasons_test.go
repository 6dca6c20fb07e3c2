package fromscan

import (
	"slices"
	"testing"

	"gauntlet/finding"
)

// A rule that never gives a document is told once, and every finding that might have given one by itself.
func TestReasons(t *testing.T) {
	of := func(rule, print, item string) *finding.Finding {
		return &finding.Finding{Rule: finding.Rule(rule), Fingerprint: print, Location: finding.Location{Item: item}}
	}
	got := Reasons([]Left{
		{Finding: of("SEC-001", "f1", "add"), Why: "the definition is not here"},
		{Finding: of("SEC-020", "f2", "add"), Why: "no text", Never: true},
		{Finding: of("SEC-001", "f3", "sub"), Why: "the definition is not here"},
		{Finding: of("SEC-020", "f4", "sub"), Why: "no text", Never: true},
		{Finding: of("SEC-021", "f5", "sub"), Why: "no text", Never: true},
	})
	want := []string{
		"SEC-001 f1 (add): no document: the definition is not here",
		"SEC-020: no document: no text",
		"SEC-001 f3 (sub): no document: the definition is not here",
		"SEC-021: no document: no text",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
