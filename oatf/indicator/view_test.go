package indicator

import (
	"fmt"
	"strings"
	"testing"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/leaf/agui"
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

// A stream is put together by actor, and each run begins anew: what the run before said is no part of it.
func TestEachRunIsAStream(t *testing.T) {
	event := func(actor, kind, raw string, d trace.Direction) *trace.Message {
		return &trace.Message{Protocol: agui.Protocol, Actor: actor, Kind: trace.Event, Method: kind, Direction: d, Raw: raw}
	}
	start := func(actor string) *trace.Message { return event(actor, agui.RunAgentInput, "{}", trace.ToServer) }
	says := func(actor, text string) *trace.Message {
		return event(actor, "text_message_content", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`+text+`"}`, trace.ToClient)
	}
	end := func(actor string) *trace.Message {
		return event(actor, "text_message_end", `{"type":"TEXT_MESSAGE_END","messageId":"m"}`, trace.ToClient)
	}
	for _, tt := range []struct {
		name string
		ms   []*trace.Message
		want string
	}{
		{"one run", []*trace.Message{start("a"), says("a", "x"), says("a", "y"), end("a")}, `"content":"xy"`},
		{"the next run", []*trace.Message{start("a"), says("a", "x"), start("a"), says("a", "y"), end("a")}, `"content":"y"`},
		{"another actor", []*trace.Message{start("a"), start("b"), says("a", "x"), says("b", "y"), end("a")}, `"content":"x"`},
		{"a recording that begins in a run", []*trace.Message{says("a", "x"), says("a", "y"), end("a")}, `"content":"xy"`},
		{"a run of another actor", []*trace.Message{start("a"), says("a", "x"), start("b"), says("a", "y"), end("a")}, `"content":"xy"`},
	} {
		v := &runView{streams: map[string]*agui.Stream{}}
		for _, m := range tt.ms {
			v.see(m)
		}
		if !strings.Contains(v.latest, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, v.latest, tt.want)
		}
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
