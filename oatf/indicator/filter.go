package indicator

import (
	"gauntlet/internal/leaf/agui"
	"gauntlet/oatf"
	"gauntlet/trace"
)

// A filter says which messages of a trace an indicator looks at (§6). An empty field lets
// everything pass.
type filter struct {
	protocol, surface, actor string
	direction                oatf.Direction
	answer                   bool // it looks at what the agent said in the end, and at nothing else
}

// passes reports whether the indicator looks at the message. A Batch is looked at by its
// parts; what is Invalid has no content to look at.
func (f *filter) passes(m *trace.Message) bool {
	if f.answer || isAnswer(m) {
		return (f.answer || f.surface == m.Method) && f.connection(m) && f.direction != oatf.DirectionRequest
	}
	return m.Kind != trace.Batch && m.Kind != trace.Invalid && f.connection(m) &&
		(f.surface == "" || f.surface == m.Method) && f.side(m)
}

// connection reports whether the message went over a connection that the indicator looks
// at.
func (f *filter) connection(m *trace.Message) bool {
	if f.answer {
		return isAnswer(m) && (f.surface == "" || f.surface == m.Method) && (f.actor == "" || f.actor == m.Actor)
	}
	return (f.protocol == "" || m.IsProtocol(f.protocol)) && (f.actor == "" || f.actor == m.Actor)
}

// side reports whether the message is on the side of the exchange that the indicator
// looks at.
//
// request and response are roles in the protocol, so an answer is a response whoever gives
// it. §6.1 speaks of what the client asks and the server answers. Without a surface that is
// all that passes: what an adversarial server asks of the agent is the attack's own text.
// With one its author has chosen, and direction: response of elicitation/create means the
// agent's answer.
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

// isAnswer reports whether a message is what an agent said to its user in the end. It is of no protocol:
// it stands in a trace beside what went over the wire.
func isAnswer(m *trace.Message) bool { return m.Kind == trace.Event && m.Method == agui.Answer }
