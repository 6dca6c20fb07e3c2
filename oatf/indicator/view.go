package indicator

import (
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/leaf/agui"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A view adds to a message what related messages of its protocol say.
type view interface {
	// see receives every message of the trace.
	see(m *trace.Message)
	// content returns the last message seen with everything that belongs to it, as JSON; "" if that is its own content.
	content(m *trace.Message, own rawjson.Value) string
}

func newViews() map[string]view {
	return map[string]view{
		agui.Protocol: &runView{streams: map[string]*agui.Stream{}},
		a2a.Protocol:  &agentView{skills: map[string]string{}},
	}
}

// mostConversations limits the conversations that are remembered.
const mostConversations = 1000

// A runView assembles AG-UI streams by actor.
type runView struct {
	streams map[string]*agui.Stream
	tree    rawjson.Tree
	latest  string // the last event seen, as it is judged
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

// An agentView determines the skill that a message to an agent refers to: named by the message, or the only one on the agent's card.
type agentView struct {
	skills map[string]string // actor to the id of its card's only skill
	tree   rawjson.Tree
}

func (v *agentView) see(m *trace.Message) {
	if m.Protocol != a2a.Protocol || m.Method != a2a.CardGet || m.Direction != trace.ToClient || len(v.skills) >= mostConversations {
		return
	}
	card, err := m.Content(&v.tree)
	if err != nil {
		return
	}
	n, id := 0, ""
	for _, s := range card.Get("skills").Elements() {
		n++
		id = strings.Clone(s.Get("id").Text())
	}
	if n != 1 {
		id = ""
	}
	v.skills[m.Actor] = id
}

// content adds what the public scenarios examine to a message to an agent: its text as a2a.task.message, the skill as
// name, what it passes as arguments, and the whole as body.
func (v *agentView) content(m *trace.Message, own rawjson.Value) string {
	if m.Direction != trace.ToServer || own.Kind() != rawjson.Object || m.Method != a2a.MessageSend && m.Method != a2a.MessageStream {
		return ""
	}
	message := own.Get("message")
	text := rawjson.Quote(a2a.MessageText(message))
	more := []string{`"a2a":{"task":{"message":` + text + `}}`, `"body":` + rawjson.Quote(m.Raw), `"arguments":` + argumentsOf(message, text)}
	name := v.skills[m.Actor]
	for _, holder := range []rawjson.Value{own, message} {
		if id := holder.Get("metadata").Get("skillId").Text(); id != "" {
			name = id
		}
	}
	if name != "" {
		more = append(more, `"name":`+rawjson.Quote(name))
	}
	raw, comma := own.Raw(), ","
	if own.Len() == 0 {
		comma = ""
	}
	return raw[:len(raw)-1] + comma + strings.Join(more, ",") + "}"
}

// argumentsOf returns what a message passes: its text and the members of its data.
func argumentsOf(message rawjson.Value, text string) string {
	out := `{"message":` + text
	for _, p := range message.Get("parts").Elements() {
		for d := range p.Get("data").Members() {
			out += "," + d.Key.Raw() + ":" + d.Value.Raw()
		}
	}
	return out + "}"
}
