package mcpclient

import (
	"context"
	"time"
)

// A Pending tells what servers are about to say. The zero Pending is one of servers of which nobody knows.
type Pending struct {
	// Settled returns what is closed once they have nothing under way that their client is about to hear of.
	Settled func() <-chan struct{}
	// Due reports whether they will say something by themselves within a time, as one does whose definitions change after two
	// seconds.
	Due func(within time.Duration) bool
}

// Patience returns how long a client that would listen for idle has to: not at all where nothing is due in that time.
func (p Pending) Patience(idle time.Duration) time.Duration {
	if p.Due != nil && idle > 0 && !p.Due(idle) {
		return 0
	}
	return idle
}

// PendingWait is the longest time for which a client listens only because something is pending.
const PendingWait = 10 * time.Second

// Listening returns a context in which to listen to servers: it ends after wait and, where something is pending, not before
// that is settled, within PendingWait. pending says whether something is.
func (p Pending) Listening(ctx context.Context, wait time.Duration) (listening context.Context, cancel context.CancelFunc, pending bool) {
	settled := p.settled()
	if settled == nil {
		listening, cancel = context.WithTimeout(ctx, wait)
		return listening, cancel, false
	}
	listening, cancel = context.WithTimeout(ctx, max(wait, PendingWait))
	go func() { // ends with listening
		defer cancel()
		least := time.NewTimer(wait)
		defer least.Stop()
		select {
		case <-least.C:
		case <-listening.Done():
		}
		select {
		case <-settled:
		case <-listening.Done():
		}
	}()
	return listening, cancel, true
}

// settled returns what is closed once nothing is pending, nil where nothing is.
func (p Pending) settled() <-chan struct{} {
	if p.Settled == nil {
		return nil
	}
	settled := p.Settled()
	select {
	case <-settled:
		return nil
	default:
		return settled
	}
}
