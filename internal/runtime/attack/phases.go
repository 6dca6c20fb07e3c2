package attack

import (
	"context"
	"errors"
	"sync"
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
