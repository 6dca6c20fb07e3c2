package probing

import (
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
)

// Every rule over the protocol probes is known by the fingerprint of its finding, and a burst that was not sent shows nothing.
func TestRuleOf(t *testing.T) {
	for rule := range judges {
		if got := RuleOf(finding.Fingerprint(string(rule), "s"), "s"); got != rule {
			t.Errorf("%s is found as %q", rule, got)
		}
	}
	if got := RuleOf(finding.Fingerprint("GNT-401", "s"), "s"); got != "" {
		t.Errorf("a rule over trials is found as %q", got)
	}
	for rule, e := range map[finding.Rule]probe.Protocol{"SEC-024": {}, "GNT-446": {}, "GNT-447": {}} {
		e.Transport = "http"
		if v := Judge(rule, &e); v.State != Unprobed || v.Text == "" {
			t.Errorf("%s: %+v", rule, v)
		}
	}
	if v := Judge("SEC-024", &probe.Protocol{Transport: "http", Burst: &probe.Burst{Sent: 9, Answered: 9, Limited: 3}}); v.State != Held {
		t.Errorf("%+v", v)
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
		if v := Judge(tt.rule, &tt.e); (v.State == Unprobed && v.Text != "") != tt.unclear {
			t.Errorf("%s: %s: %+v", tt.rule, tt.name, v)
		}
	}
}

// A result is one by what the answer says, and never under a status that refuses.
func TestIsResult(t *testing.T) {
	const result, refusal = `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"data":{"result":1}}}`
	for _, tt := range []struct {
		name string
		e    *probe.Exchange
		want bool
	}{
		{"not sent", nil, false},
		{"over stdio", &probe.Exchange{Body: result}, true},
		{"HTTP 200", &probe.Exchange{Status: 200, Body: result}, true},
		{"HTTP 202", &probe.Exchange{Status: 202, Body: result}, true},
		{"HTTP 199", &probe.Exchange{Status: 199, Body: result}, false},
		{"HTTP 300", &probe.Exchange{Status: 300, Body: result}, false},
		{"HTTP 404", &probe.Exchange{Status: 404, Body: result, Result: true}, false},
		{"an error", &probe.Exchange{Status: 200, Body: refusal}, false},
		{"an error that was seen to be a result as a whole", &probe.Exchange{Status: 200, Body: refusal, Result: true}, true},
		{"an event", &probe.Exchange{Status: 200, Body: "data: " + result}, true},
		{"cut before the result", &probe.Exchange{Status: 200, Body: `{"jsonrpc":"2.0"`, Result: true}, true},
		{"nothing", &probe.Exchange{Status: 200}, false},
	} {
		if got := IsResult(tt.e); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
