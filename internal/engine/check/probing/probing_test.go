package probing

import (
	"encoding/json"
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

func findings(t *testing.T, e *probe.Evidence) map[finding.Rule]finding.Finding {
	t.Helper()
	c, err := catalog.Parse("", `{"server":{"name":"s"},"tools":[{"name":"read","inputSchema":{"properties":{"path":{"type":"string"}}}}]}`, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[finding.Rule]finding.Finding{}
	for _, f := range check.Run(c, Checks(), check.Options{Probes: e}).Findings {
		out[f.Rule] = f
	}
	return out
}

// Only what was proved is reported, at the parameter; the fingerprint does not depend on random values.
func TestProvedTrials(t *testing.T) {
	trial := func(class probe.Class, o probe.Outcome) probe.Trial {
		return probe.Trial{Tool: "read", Parameter: "path", Class: class, Outcome: o}
	}
	e := &probe.Evidence{Server: "s", Trials: []probe.Trial{
		trial(probe.PathTraversal, probe.Prove(&probe.Proof{Kind: probe.Content, Variant: "../", Observed: "seen", Method: "tools/call", Arguments: `{"path":"a1b2"}`})),
		trial(probe.CommandInjection, probe.Resist(3, 2, "")),
		trial(probe.SSRF, probe.Resist(0, 0, "refused")),
		trial(probe.CodeEvaluation, probe.ByDesign.Because("it is for that")),
	}}
	got := findings(t, e)
	f, ok := got["MCP-D-002"]
	if !ok || len(got) != 1 || f.Location.Pointer != "/tools/0/inputSchema/properties/path" || !strings.Contains(f.Message, "seen") {
		t.Fatalf("findings %+v", got)
	}
	if f.Fingerprint != Fingerprint("s", &e.Trials[0]) {
		t.Errorf("fingerprint %s, want %s", f.Fingerprint, Fingerprint("s", &e.Trials[0]))
	}
}

// Each class has a rule that is registered.
func TestEveryClassHasARule(t *testing.T) {
	known := map[finding.Rule]bool{}
	for _, c := range Checks() {
		known[c.ID] = true
	}
	for _, c := range probe.Classes() {
		if !known[ruleOf[c]] {
			t.Errorf("%s has the rule %q", c, ruleOf[c])
		}
	}
}

func exchange(id, step string, status int, body string, header ...string) probe.Exchange {
	x := probe.Exchange{ID: id, Step: step, Effect: probe.Reads, Status: status, Body: body, Answered: true, Alive: true, Header: map[string]string{}, Answer: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		x.Header[header[i]] = header[i+1]
	}
	return x
}

const fine = `{"jsonrpc":"2.0","id":1,"result":{}}`

func TestProtocolFindings(t *testing.T) {
	good := exchange("P03", "no origin", 200, fine)
	for _, tt := range []struct {
		name string
		e    probe.Protocol
		want string // rules, apart by spaces
	}{
		{"nothing was sent", probe.Protocol{}, ""},
		{"a foreign origin is answered", probe.Protocol{Loopback: true, Exchanges: []probe.Exchange{good, exchange("P01", "", 200, fine, "Origin", "https://evil.example")}}, "SEC-018"},
		{"a foreign origin is refused", probe.Protocol{Loopback: true, Exchanges: []probe.Exchange{good, exchange("P01", "", 403, "")}}, ""},
		{"everything is refused", probe.Protocol{Exchanges: []probe.Exchange{exchange("P03", "no origin", 403, ""), exchange("P01", "", 403, "")}}, ""},
		{"a foreign host, far away", probe.Protocol{Exchanges: []probe.Exchange{good, exchange("P02", "", 200, fine)}}, ""},
		{"a foreign host, here", probe.Protocol{Loopback: true, Exchanges: []probe.Exchange{good, exchange("P02", "", 200, fine)}}, "GNT-410"},
		{"plain HTTP", probe.Protocol{Scheme: "http", Exchanges: []probe.Exchange{good}}, "SEC-017"},
		{"a made-up token", probe.Protocol{Exchanges: []probe.Exchange{exchange("P11", "no token", 401, ""), exchange("P11", "made-up token", 200, fine)}}, "SEC-021 SEC-022"},
		{"sessions that count", probe.Protocol{Sessions: []string{"1", "2"}}, "GNT-411"},
		{"lines on stdout", probe.Protocol{Transport: "stdio", Noise: 2}, "GNT-413"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			all := findings(t, &probe.Evidence{Server: "s", Protocol: &tt.e})
			for _, c := range Checks() {
				if _, ok := all[c.ID]; ok {
					got = append(got, string(c.ID))
				}
			}
			want := strings.Fields(tt.want)
			if len(got) != len(want) || !containsAll(got, want) {
				t.Errorf("rules %q, want %q", got, want)
			}
		})
	}
}

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !strings.Contains(" "+strings.Join(have, " ")+" ", " "+w+" ") {
			return false
		}
	}
	return true
}

// What was not probed keeps its state, with the reason.
func TestFillPosture(t *testing.T) {
	signals := []result.Signal{{ID: "origin-check", State: result.NeedsProbe}, {ID: "rate-limit", State: result.NeedsProbe}, {ID: "annotations", State: result.Seen, Detail: "1 of 1"}}
	FillPosture(signals, &probe.Protocol{Unsent: map[string]string{"P23": "nobody asked"}, Exchanges: []probe.Exchange{exchange("P01", "", 403, "")}})
	if signals[0].State != result.Seen || signals[1].State != result.NeedsProbe || signals[1].Detail != "not probed: nobody asked" || signals[2].Detail != "1 of 1" {
		t.Errorf("%+v", signals)
	}
}

// FuzzProtocol: whatever evidence says, each rule speaks once at most, and nothing is claimed seen
// and missing at once.
func FuzzProtocol(f *testing.F) {
	f.Add([]byte(`{"transport":"http","exchanges":[{"id":"P01","status":200,"body":"\"result\""}],"sessions":["a","a"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var e probe.Protocol
		if json.Unmarshal(text, &e) != nil {
			return
		}
		signals := []result.Signal{{ID: "origin-check", State: result.NeedsProbe}, {ID: "session", State: result.NeedsProbe}, {ID: "authentication", State: result.NeedsProbe}}
		FillPosture(signals, &e)
		all := findings(t, &probe.Evidence{Server: "s", Protocol: &e})
		if _, found := all["SEC-018"]; found && signals[0].State == result.Seen {
			t.Fatal("the origin is checked and is not")
		}
	})
}
