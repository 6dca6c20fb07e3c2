package attack

import (
	"context"
	"time"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// A phaseMachine runs through the phases of a script. It has no clock: who uses it says what
// time it is, never an earlier one than before. It is not safe for concurrent use.
type phaseMachine struct {
	*script
	index   int       // index of the phase
	begun   time.Time // when it began
	counted int       // events that its trigger counted
	over    bool      // the trigger of the last phase has fired; its state stays
}

func newPhaseMachine(s *script, now time.Time) *phaseMachine {
	return &phaseMachine{script: s, begun: now}
}

// A change is the step from one phase to the next.
type change struct {
	to     int // index of the phase that begins; that of the last one when over
	reason match.Reason
	over   bool // there is no next one: the script is through
}

// heldPhase returns the phase that holds.
func (m *phaseMachine) heldPhase() *Phase { return &m.Phases[m.index] }

// endDuePhases ends phases whose time is up, each phase at the moment it was due: a machine that
// nobody asked for a while stands where it would stand had it been asked all the time.
func (m *phaseMachine) endDuePhases(now time.Time) (changes []change) {
	for {
		due, ok := m.dueTime()
		if !ok || now.Before(due) {
			return changes
		}
		changes = append(changes, m.advancePhase(due, match.TimedOut))
	}
}

// observe takes an event and returns what it brought about, behind what time had brought
// about already. An event is judged by the trigger of the phase that it came in, and
// by no other. The error is that ctx was over before it was judged; it is not counted then.
func (m *phaseMachine) observe(ctx context.Context, now time.Time, event string, content rawjson.Value) (changes []change, err error) {
	changes = m.endDuePhases(now)
	t := m.heldPhase().Trigger
	if m.over || t == nil {
		return changes, nil
	}
	reason, err := t.Advance(ctx, event, content, now.Sub(m.begun), &m.counted)
	if reason != "" {
		changes = append(changes, m.advancePhase(now, reason))
	}
	return changes, err
}

// dueTime returns when the phase ends by itself.
func (m *phaseMachine) dueTime() (time.Time, bool) {
	if m.over || m.heldPhase().Trigger == nil {
		return time.Time{}, false
	}
	after, ok := m.heldPhase().Trigger.After()
	return m.begun.Add(after), ok
}

func (m *phaseMachine) advancePhase(now time.Time, why match.Reason) change {
	if m.index+1 == len(m.Phases) {
		m.over = true
		return change{m.index, why, true}
	}
	m.index++
	m.begun, m.counted = now, 0
	return change{m.index, why, false}
}
