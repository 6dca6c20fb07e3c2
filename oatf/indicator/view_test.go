package indicator

import (
	"fmt"
	"testing"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/trace"
)

// A skill goes without saying where the card of the agent has one alone, and only cards tell.
func TestTheOnlySkillOfACard(t *testing.T) {
	const one, two = `{"skills":[{"id":"book"}]}`, `{"skills":[{"id":"book"},{"id":"pay"}]}`
	for _, tt := range []struct {
		name string
		m    trace.Message
		want string
	}{
		{"one skill", trace.Message{Protocol: a2a.Protocol, Method: a2a.CardGet, Direction: trace.ToClient, Raw: one}, "book"},
		{"two skills", trace.Message{Protocol: a2a.Protocol, Method: a2a.CardGet, Direction: trace.ToClient, Raw: two}, ""},
		{"another protocol", trace.Message{Protocol: "mcp", Method: a2a.CardGet, Direction: trace.ToClient, Raw: one}, ""},
		{"another method", trace.Message{Protocol: a2a.Protocol, Method: a2a.MessageSend, Direction: trace.ToClient, Raw: one}, ""},
		{"the request", trace.Message{Protocol: a2a.Protocol, Method: a2a.CardGet, Direction: trace.ToServer, Raw: one}, ""},
	} {
		v := &agentView{skills: map[string]string{}}
		tt.m.Actor, tt.m.Kind = "agent", trace.Event
		v.see(&tt.m)
		if got := v.skills["agent"]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What is kept of agents is bounded, however many a trace names.
func TestSkillsAreBounded(t *testing.T) {
	v := &agentView{skills: map[string]string{}}
	for i := range mostConversations + 1 {
		v.see(&trace.Message{Protocol: a2a.Protocol, Method: a2a.CardGet, Direction: trace.ToClient, Kind: trace.Event, Actor: fmt.Sprint(i), Raw: `{"skills":[{"id":"s"}]}`})
	}
	if len(v.skills) != mostConversations || v.skills["0"] != "s" {
		t.Errorf("%d skills are kept, want %d", len(v.skills), mostConversations)
	}
}

func TestDescribeFilter(t *testing.T) {
	for _, tt := range []struct {
		f    filter
		want string
	}{
		{filter{protocol: "mcp"}, "of the protocol mcp"},
		{filter{actor: "a"}, "of the actor a"},
		{filter{actor: "a", protocol: "mcp"}, "of the actor a in the protocol mcp"},
	} {
		if got := tt.f.describeFilter(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
	}
}
