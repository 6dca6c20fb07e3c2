package indicator

import (
	"gauntlet/internal/leaf/agui"
	"gauntlet/oatf"
	"gauntlet/trace"
)

// A filter selects the messages of a trace that an indicator examines (§6). Empty fields accept everything.
type filter struct {
	protocol, surface, actor string
	direction                oatf.Direction
	answer                   bool // only the agent's final answer
}

// passes reports whether the indicator examines the message. A Batch is examined by its parts; an Invalid message has no content.
func (f *filter) passes(m *trace.Message) bool {
	if f.answer || isAnswer(m) {
		return (f.answer || f.surface == m.Method) && f.connection(m) && f.direction != oatf.DirectionRequest
	}
	return m.Kind != trace.Batch && m.Kind != trace.Invalid && f.connection(m) &&
		(f.surface == "" || f.surface == m.Method) && f.side(m)
}

func (f *filter) connection(m *trace.Message) bool {
	if f.answer {
		return isAnswer(m) && (f.surface == "" || f.surface == m.Method) && (f.actor == "" || f.actor == m.Actor)
	}
	return (f.protocol == "" || m.IsProtocol(f.protocol)) && (f.actor == "" || f.actor == m.Actor)
}

// side reports whether the indicator examines the message's side of the exchange.
//
// request and response are protocol roles: an answer is a response whoever gives it. §6.1 means requests of the client and
// responses of the server, and without a surface only those pass, since a request of an adversarial server is the attack's
// own text. With a surface the author has chosen: direction: response of elicitation/create means the agent's answer.
func (f *filter) side(m *trace.Message) bool {
	if f.direction == "" {
		return true
	}
	if side(m) != f.direction {
		return false
	}
	return f.surface != "" || (f.direction == oatf.DirectionRequest) == (m.Direction == trace.ToServer)
}

func side(m *trace.Message) oatf.Direction {
	asks := m.Kind == trace.Request || m.Kind == trace.Notification ||
		m.Kind == trace.Event && m.Direction == trace.ToServer
	if asks {
		return oatf.DirectionRequest
	}
	return oatf.DirectionResponse
}

// isAnswer reports whether a message is the agent's final answer to its user. It belongs to no protocol: the trace
// records it beside the wire messages.
func isAnswer(m *trace.Message) bool { return m.Kind == trace.Event && m.Method == agui.Answer }
