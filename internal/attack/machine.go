package attack

import (
	"context"
	"time"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A machine runs through the phases of a script. It has no clock: who uses it says what
// time it is, never an earlier one than before. It is not safe for concurrent use.
type machine struct {
	*script
	at    int       // index of the phase
	begun time.Time // when it began
	seen  int       // events that its trigger counted
	over  bool      // the trigger of the last phase has fired; its state stays
}

func newMachine(s *script, now time.Time) *machine { return &machine{script: s, begun: now} }

// A change is the step from one phase to the next.
type change struct {
	to     int // index of the phase that begins; that of the last one when over
	reason match.Reason
	over   bool // there is no next one: the script is through
}

// phase returns the phase that holds.
func (m *machine) phase() *phase { return &m.phases[m.at] }

// tick ends phases whose time is up, each phase at the moment it was due: a machine that
// nobody asked for a while stands where it would stand had it been asked all the time.
func (m *machine) tick(now time.Time) (changes []change) {
	for {
		due, ok := m.due()
		if !ok || now.Before(due) {
			return changes
		}
		changes = append(changes, m.next(due, match.TimedOut))
	}
}

// hear takes an event and returns what it brought about, behind what time had brought
// about already. An event is judged by the trigger of the phase that it came in, and
// by no other. The error is that ctx was over before it was judged; it is not counted then.
func (m *machine) hear(ctx context.Context, now time.Time, event string, content rawjson.Value) (changes []change, err error) {
	changes = m.tick(now)
	t := m.phase().trigger
	if m.over || t == nil {
		return changes, nil
	}
	reason, err := t.Advance(ctx, event, content, now.Sub(m.begun), &m.seen)
	if reason != "" {
		changes = append(changes, m.next(now, reason))
	}
	return changes, err
}

// due returns when the phase ends by itself.
func (m *machine) due() (time.Time, bool) {
	if m.over || m.phase().trigger == nil {
		return time.Time{}, false
	}
	after, ok := m.phase().trigger.After()
	return m.begun.Add(after), ok
}

func (m *machine) next(now time.Time, why match.Reason) change {
	if m.at+1 == len(m.phases) {
		m.over = true
		return change{m.at, why, true}
	}
	m.at++
	m.begun, m.seen = now, 0
	return change{m.at, why, false}
}
