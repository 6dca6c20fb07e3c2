package mcpclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// A Pending tells whether servers are about to send something. The zero Pending knows nothing.
type Pending struct {
	// Settled returns a channel that is closed once the servers have finished what their clients will be notified of.
	Settled func() <-chan struct{}
	// Due reports whether a server will send something by itself within a time, for example because its definitions change after
	// two seconds.
	Due func(within time.Duration) bool
}

// Patience returns how long a client that would listen for idle must do so: zero if nothing is due in that time.
func (p Pending) Patience(idle time.Duration) time.Duration {
	if p.Due != nil && idle > 0 && !p.Due(idle) {
		return 0
	}
	return idle
}

// PendingWait is the longest time a client listens only because something is pending.
const PendingWait = 10 * time.Second

// Listening returns a context for listening to servers: it ends after wait but, while something is pending, only once that is
// settled, within PendingWait. pending says whether something is.
func (p Pending) Listening(ctx context.Context, wait time.Duration) (listening context.Context, cancel context.CancelFunc, pending bool) {
	settled := p.settled()
	if settled == nil {
		listening, cancel = context.WithTimeout(ctx, wait)
		return listening, cancel, false
	}
	listening, cancel = context.WithTimeout(ctx, max(wait, PendingWait))
	go func() { // ends with listening
		defer cancel()
		select {
		case <-time.After(wait):
		case <-listening.Done():
		}
		select {
		case <-settled:
		case <-listening.Done():
		}
	}()
	return listening, cancel, true
}

// settled returns a channel that is closed once nothing is pending, or nil.
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

// Await listens to all sessions at once, for wait and while something is pending, and returns which of them announced a change;
// the first announcement ends all waits. Without either it returns what was received. pending says that there may be more.
func (p *Pending) Await(ctx context.Context, wait time.Duration, sessions []*Session) (changed []bool, pending bool) {
	listening, cancel, pending := p.Listening(ctx, wait)
	defer cancel()
	if pending {
		wait = max(wait, PendingWait)
	}
	changed = make([]bool, len(sessions))
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Go(func() { // ends with listening, or when the time is over
			if s.Idle(listening, wait) != "" {
				changed[i] = true
				cancel()
			}
		})
	}
	all.Wait()
	if pending && !slices.Contains(changed, true) {
		<-listening.Done() // there may be no way to hear anything
		if errors.Is(listening.Err(), context.DeadlineExceeded) {
			p.Settled = nil // it is awaited once
		}
	}
	return changed, pending
}
