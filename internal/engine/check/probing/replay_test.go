package probing

import (
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
)

// What a replay cannot send, or what shows nothing, is told.
func TestWanting(t *testing.T) {
	for rule, want := range map[finding.Rule]bool{"GNT-447": true, "GNT-446": true, "SEC-024": true, "GNT-412": false} {
		if got := Wanting(rule, false, false); (got != "") != want {
			t.Errorf("%s: %q", rule, got)
		}
	}
	if got := Wanting("GNT-446", true, false) + Wanting("SEC-024", false, true); got != "" {
		t.Error(got)
	}
	if Unjudged("SEC-024", &probe.Protocol{Transport: "http"}) == "" {
		t.Error("no burst is read as judged")
	}
	if got := Unjudged("SEC-024", &probe.Protocol{Transport: "http", Burst: &probe.Burst{Sent: 9, Answered: 9, Limited: 3}}); got != "" {
		t.Error(got)
	}
}
