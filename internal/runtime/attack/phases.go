package attack

import (
	"context"
	"errors"
	"sync"
	"time"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// ErrMoved is the cause that cancels work whose phase has ended.
var ErrMoved = errors.New("the phase is over")

// A PhaseStop cancels what an actor has in progress when the next phase begins.
type PhaseStop struct {
	mu   sync.Mutex
	stop context.CancelCauseFunc
}

// Interruptible returns a context that Moved cancels, until done is called.
func (p *PhaseStop) Interruptible(ctx context.Context) (interruptible context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p.setStop(cancel)
	return ctx, func() {
		p.setStop(nil)
		cancel(nil)
	}
}

func (p *PhaseStop) setStop(stop context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = stop
}

// Moved cancels the work in progress with ErrMoved.
func (p *PhaseStop) Moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop(ErrMoved)
	}
}

// PlayPhases plays each phase of the script after it is entered, until the script or ctx ends.
func (a *Actor) PlayPhases(ctx context.Context, play func(ctx context.Context, phase int, left <-chan struct{}) error) error {
	for ctx.Err() == nil {
		at, left := a.Position(ctx)
		select {
		case <-a.Settled(at):
		case <-left:
			continue
		case <-ctx.Done():
			return nil
		}
		if err := play(ctx, at, left); err != nil {
			return err
		}
		if a.ThroughAt(at) {
			return nil
		}
		select {
		case <-left:
		case <-ctx.Done():
		}
	}
	return nil
}

// A phaseMachine runs a script's phases. It has no clock: callers pass the time, which must not go back. It is not safe for
// concurrent use.
type phaseMachine struct {
	*script
	index   int       // index of the phase
	begun   time.Time // when it began
	counted int       // events counted by its trigger
	over    bool      // the last phase's trigger has fired; its state stays
}

func newPhaseMachine(s *script, now time.Time) *phaseMachine {
	return &phaseMachine{script: s, begun: now}
}

// A change is the step from one phase to the next.
type change struct {
	to     int // index of the new phase; of the last one if over
	reason match.Reason
	over   bool // there is no next phase: the script has ended
}

func (m *phaseMachine) heldPhase() *Phase { return &m.Phases[m.index] }

// endDuePhases ends phases whose time is up, each at its own due time, so that the result does not depend on how often the machine
// is called.
func (m *phaseMachine) endDuePhases(now time.Time) (changes []change) {
	for {
		due, ok := m.dueTime()
		if !ok || now.Before(due) {
			return changes
		}
		changes = append(changes, m.advancePhase(due, match.TimedOut))
	}
}

// observe handles an event and returns the resulting changes, preceded by those due to time. Only the trigger of the phase it
// arrived in judges an event. The error is ctx's; the event is then not counted.
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
