package trace

import (
	"errors"
	"fmt"
	"time"
)

// checkMessage rejects a message that is useless to any reader. last is the preceding Seq.
func (m *Message) checkMessage(last int) error {
	switch {
	case m.Seq <= last:
		return fmt.Errorf("seq %d does not come behind %d", m.Seq, last)
	case m.Direction != ToServer && m.Direction != ToClient:
		return fmt.Errorf("direction %q is neither %s nor %s", m.Direction, ToServer, ToClient)
	case !m.Kind.isKnown():
		return fmt.Errorf("unknown kind %q", m.Kind)
	case m.Role != "" && m.Role != AsServer && m.Role != AsClient && m.Role != Between:
		return fmt.Errorf("unknown role %q", m.Role)
	case m.Stray != "" && m.Stray != Duplicate && m.Stray != UnknownID:
		return fmt.Errorf("unknown stray %q", m.Stray)
	case m.ReplyTo < 0 || m.ReplyTo >= m.Seq:
		return fmt.Errorf("reply_to %d is no earlier message", m.ReplyTo)
	case m.PartOf < 0 || m.PartOf >= m.Seq:
		return fmt.Errorf("part_of %d is no earlier message", m.PartOf)
	case (m.ReplyTo != 0 || m.Stray != "") && !m.Kind.Answer():
		return fmt.Errorf("a %s replies to nothing", m.Kind)
	}
	if y := m.Time.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d cannot be written (%s)", y, time.RFC3339)
	}
	return m.HTTP.checkHTTP()
}

func (h *HTTP) checkHTTP() error {
	if h != nil && (h.Exchange < 0 || h.Status < 0) {
		return errors.New("http: exchange and status must not be negative")
	}
	return nil
}

func (k Kind) isKnown() bool {
	switch k {
	case Request, Notification, Response, Error, Batch, Event, Invalid:
		return true
	}
	return false
}
