package attack

import (
	"context"
	"errors"
	"sync"
)

// ErrMoved is why something ended that was under way when its phase was over.
var ErrMoved = errors.New("the phase is over")

// A PhaseStop ends what an actor has under way in a phase when another one begins.
type PhaseStop struct {
	mu   sync.Mutex
	stop context.CancelCauseFunc
}

// SetStop says what is under way; nil for nothing.
func (p *PhaseStop) SetStop(stop context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = stop
}

// Moved ends what is under way, with ErrMoved as the cause.
func (p *PhaseStop) Moved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop(ErrMoved)
	}
}

// PlayPhases plays each phase of the script once it has been entered, until the script or ctx ends.
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
