package trace

import "time"

// More than FloodMessages unsolicited messages within FloodWindow are a flood: honest servers report progress a few
// times a second, and a client that must read more than this does nothing else.
const (
	FloodMessages = 5_000
	FloodWindow   = time.Second
)

// A FloodMeter counts a peer's unsolicited messages. It is not safe for concurrent use.
type FloodMeter struct {
	since  time.Time // start of the window
	n      int       // in the window
	floods bool
}

// Count counts a message received at now and reports whether it starts a flood; that happens once.
func (f *FloodMeter) Count(now time.Time) (first bool) {
	if now.Sub(f.since) > FloodWindow {
		f.since, f.n = now, 0
	}
	f.n++
	first = f.n > FloodMessages && !f.floods
	f.floods = f.floods || first
	return first
}

// Unasked reports whether a server's message neither answers nor asks: a notification, a stray answer, or an invalid message.
func (m *Message) Unasked() bool {
	return m.Direction == ToClient && (m.Kind == Notification || m.Kind == Invalid || m.Kind.Answer() && m.Stray != "")
}
