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

// Evidence without the messages that a rule rests on is judged by nobody.
func TestUnjudged(t *testing.T) {
	answered := func(id, step string, status int) probe.Exchange {
		return probe.Exchange{ID: id, Step: step, Status: status, Answered: status != 0}
	}
	two := []string{"session-a1b2c3d4e5f6", "session-b2c3d4e5f6a1"}
	for _, tt := range []struct {
		name    string
		rule    finding.Rule
		e       probe.Protocol
		unclear bool
	}{
		{"no request", "SEC-022", probe.Protocol{}, true},
		{"a made-up token was not answered", "SEC-022", probe.Protocol{Exchanges: []probe.Exchange{answered("P11", "no token", 401), answered("P11", "made-up token", 0)}}, true},
		{"no token is wanted", "SEC-022", probe.Protocol{Exchanges: []probe.Exchange{answered("P11", "no token", 200), answered("P11", "made-up token", 200)}}, true},
		{"both are refused", "SEC-022", probe.Protocol{Exchanges: []probe.Exchange{answered("P11", "no token", 401), answered("P11", "made-up token", 401)}}, false},
		{"no sessions", "GNT-411", probe.Protocol{}, true},
		{"no session was ended", "GNT-411", probe.Protocol{Sessions: two}, true},
		{"no answer after the end", "GNT-411", probe.Protocol{Sessions: two, Exchanges: []probe.Exchange{answered("P09", "end", 204), answered("P09", "after the end", 0)}}, true},
		{"ids that are short, and no end", "GNT-411", probe.Protocol{Sessions: []string{"a1", "b2"}}, false},
		{"refused after the end", "GNT-411", probe.Protocol{Sessions: two, Exchanges: []probe.Exchange{answered("P09", "end", 204), answered("P09", "after the end", 404)}}, false},
		{"sessions cannot be ended", "GNT-411", probe.Protocol{Sessions: two, Exchanges: []probe.Exchange{answered("P09", "end", 405)}}, false},
	} {
		if got := Unjudged(tt.rule, &tt.e); (got != "") != tt.unclear {
			t.Errorf("%s: %s: %q", tt.rule, tt.name, got)
		}
	}
}
