package indicator

import (
	"gauntlet/internal/leaf/agui"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A view knows what belongs to a message of a protocol and stands in other messages.
type view interface {
	// see is shown every message of the trace.
	see(m *trace.Message)
	// content returns what the message that was seen last says with all that belongs to it, as JSON; ""
	// where that is what it says itself.
	content(m *trace.Message, own rawjson.Value) string
}

func newViews() map[string]view {
	return map[string]view{agui.Protocol: &runView{streams: map[string]*agui.Stream{}}}
}

// mostConversations bounds the conversations of which something is kept.
const mostConversations = 1000

// A runView puts the streams of AG-UI together, by actor.
type runView struct {
	streams map[string]*agui.Stream
	tree    rawjson.Tree
	latest  string // the event that was seen last, as it is judged
}

func (v *runView) see(m *trace.Message) {
	v.latest = ""
	if m.Protocol != agui.Protocol || m.Kind != trace.Event {
		return
	}
	if m.Method == agui.RunAgentInput || v.streams[m.Actor] == nil {
		if len(v.streams) >= mostConversations {
			clear(v.streams)
		}
		v.streams[m.Actor] = &agui.Stream{}
	}
	if m.Direction != trace.ToClient || m.Method == agui.Answer {
		return
	}
	if own, err := m.Content(&v.tree); err == nil && own.Kind() == rawjson.Object {
		v.latest = v.streams[m.Actor].Add(own)
	}
}

func (v *runView) content(*trace.Message, rawjson.Value) string { return v.latest }
