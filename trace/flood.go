package trace

import "time"

// More messages that answer nothing than FloodMessages within FloodWindow are a flood: honest
// servers report progress a few times a second, and a client that has to read more than this
// does nothing else.
const (
	FloodMessages = 5_000
	FloodWindow   = time.Second
)

// A FloodMeter counts a peer's unsolicited messages. It is not safe for use from several
// goroutines.
type FloodMeter struct {
	since  time.Time // when the window began
	n      int       // in the window
	floods bool
}

// Count counts a message that came at a time, and reports whether it is the one that makes a flood;
// that happens once.
func (f *FloodMeter) Count(now time.Time) (first bool) {
	if now.Sub(f.since) > FloodWindow {
		f.since, f.n = now, 0
	}
	f.n++
	first = f.n > FloodMessages && !f.floods
	f.floods = f.floods || first
	return first
}

// Unasked reports whether a message is one of a server's that answers nothing and asks nothing:
// a notification, a stray answer, or what is no message.
func (m *Message) Unasked() bool {
	return m.Direction == ToClient && (m.Kind == Notification || m.Kind == Invalid || m.Kind.Answer() && m.Stray != "")
}
