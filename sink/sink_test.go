package sink

import (
	"testing"

	"gauntlet/capability"
)

func TestCombine(t *testing.T) {
	gap := []Gap{{Reason: OutsidePackage, Detail: "sdk.run()"}}
	call := func(s Strength) []Call {
		return []Call{{Tag: capability.FSRead, Strength: s, Kind: "ast_sink", Name: "open()"}}
	}
	for _, tt := range []struct {
		name string
		said capability.Confidence
		h    Handler
		want capability.Confidence
		note string
	}{
		{"said and done", capability.Medium, Handler{Calls: call(Strong)}, capability.High, ""},
		{"said weakly and done", capability.Low, Handler{Calls: call(Strong), Gaps: gap}, capability.High, ""},
		{"done in silence", "", Handler{Calls: call(Strong)}, capability.Medium, ""},
		{"done one call away in silence", "", Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Near)}}}, capability.Medium, ""},
		{"done two calls away in silence", "", Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Near+1)}}}, capability.Low, ""},
		{"hinted at and done two calls away", capability.Low, Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Near+1)}}}, capability.High, ""},
		{"said, and a member that nobody read may do it", capability.High, Handler{Maybe: []capability.Tag{capability.FSRead}}, capability.High, SourceIncomplete},
		{"said, and such a member may do something else", capability.High, Handler{Maybe: []capability.Tag{capability.NetEgress}}, capability.Low, WeakSignal},
		{"done far away in silence", "", Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Far+1)}}}, capability.Low, ""},
		{"hinted at and done far away", capability.Low, Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Far+1)}}}, capability.Low, ""},
		{"said and done far away", capability.Medium, Handler{Calls: []Call{{Tag: capability.FSRead, Strength: Strong, Chain: make([]Step, Far+1)}}}, capability.High, ""},
		{"done weakly in silence", "", Handler{Calls: call(Weak)}, capability.Low, ""},
		{"said and done weakly", capability.Medium, Handler{Calls: call(Weak)}, capability.Medium, ""},
		{"said and not done", capability.High, Handler{}, capability.Low, WeakSignal},
		{"said, and not all could be read", capability.High, Handler{Gaps: gap}, capability.High, SourceIncomplete},
		{"another tag is done", capability.High, Handler{Calls: []Call{{Tag: capability.Exec, Strength: Strong}}}, capability.Low, WeakSignal},
		{"neither", "", Handler{}, "", ""},
		{"neither, and not all could be read", "", Handler{Gaps: gap}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, note := Combine(tt.said, capability.FSRead, &tt.h)
			if got != tt.want || note != tt.note {
				t.Errorf("Combine(%q, %+v) = %q, %q, want %q, %q", tt.said, tt.h, got, note, tt.want, tt.note)
			}
		})
	}
}

// TestSilenceOfAClient: code can run, and databases can be, at the service that a handler asks;
// files are of this machine.
func TestSilenceOfAClient(t *testing.T) {
	h := Handler{Calls: []Call{{Tag: capability.NetEgress, Strength: Strong}}}
	for tag, want := range map[capability.Tag]capability.Confidence{
		capability.Exec: capability.High, capability.DBQuery: capability.High, capability.DBWrite: capability.High,
		capability.FSRead: capability.Low, capability.FSWrite: capability.Low, capability.NetIngress: capability.Low,
	} {
		note := SourceIncomplete
		if want == capability.Low {
			note = WeakSignal
		}
		if got, why := Combine(capability.High, tag, &h); got != want || why != note {
			t.Errorf("%s: got %q, %q, want %q, %q", tag, got, why, want, note)
		}
	}
}

// TestSilenceTakesNoSecretBack: a credential that the source holds is answered without a call.
func TestSilenceTakesNoSecretBack(t *testing.T) {
	for _, said := range []capability.Confidence{capability.High, capability.Medium, capability.Low, ""} {
		if got, note := Combine(said, capability.SecretAccess, &Handler{}); got != said || note != "" {
			t.Errorf("%q became %q with the note %q", said, got, note)
		}
	}
}

func TestSupportPutsTheStrongestAndNearestFirst(t *testing.T) {
	h := Handler{Calls: []Call{
		{Tag: capability.Exec, Strength: Weak, Name: "git"},
		{Tag: capability.Exec, Strength: Strong, Name: "far", Chain: []Step{{Func: "f"}, {Func: "g"}}},
		{Tag: capability.Exec, Strength: Strong, Name: "near"},
	}}
	s, calls := h.Support(capability.Exec)
	if s != Strong || len(calls) != 3 || calls[0].Name != "near" || calls[2].Name != "git" {
		t.Errorf("got %v %+v", s, calls)
	}
}

func TestEvidence(t *testing.T) {
	c := Call{Kind: "ast_sink", Name: "open()", At: Place{File: "src/tools/files.py", Line: 23}}
	if got, want := c.Evidence(), "ast_sink:open()@src/tools/files.py:23"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.Chain = []Step{{Func: "load"}, {Func: "read"}}
	if got, want := c.Evidence(), "ast_sink:open()@src/tools/files.py:23 via read < load"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
