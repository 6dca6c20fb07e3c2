package mcpclient

import (
	"context"
	"time"
)

// A Pending tells of servers whether they have something under way that their client is about to hear of: what it returns
// is closed once they have not. nil is one of servers of which nobody knows.
type Pending func() <-chan struct{}

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
	if p == nil {
		return nil
	}
	settled := p()
	select {
	case <-settled:
		return nil
	default:
		return settled
	}
}
