package attack

import (
	"context"
	"slices"
	"sync"
	"time"
)

// PendingGrace bounds the wait, at the end of a run whose grace neither the document nor Options.Grace sets, for what its servers
// announced and the agent has not yet seen: changed definitions, or an answer it owes.
const PendingGrace = 5 * time.Second

// pendingWork counts what a run's servers have begun and the agent has not yet seen: a phase that starts after an answer, a list
// change not yet read, an unanswered server request. It is safe for concurrent use.
type pendingWork struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while nothing is pending; nil until something was
}

// begin marks something as pending until end is called, possibly more than once.
func (p *pendingWork) begin() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count++; p.count == 1 {
		p.none = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.count--; p.count == 0 {
			close(p.none)
		}
	})
}

// settled returns a channel that is closed once nothing is pending.
func (p *pendingWork) settled() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.none == nil {
		p.none = make(chan struct{})
		close(p.none)
	}
	return p.none
}

// Pending returns a channel that is closed once the run's servers have nothing more to tell the agent and the agent has requested
// everything they announced.
func (r *Run) Pending() <-chan struct{} { return r.pending.settled() }

// Due reports whether a phase of an actor ends by itself within a time.
func (r *Run) Due(within time.Duration) bool {
	select {
	case <-r.begun:
	default:
		return true // not known yet
	}
	by := time.Now().Add(within)
	return slices.ContainsFunc(r.actors, func(a *Actor) bool { return a.isDueBy(by) })
}

// BeginPending marks something of this server as pending for the agent until end is called, possibly more than once: the run does
// not end before, within PendingGrace.
func (r *services) BeginPending() (end func()) { return r.pending.begin() }

// await waits until nothing is pending, at most PendingGrace.
func (p *pendingWork) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, PendingGrace)
	defer cancel()
	for {
		settled := p.settled()
		select {
		case <-settled:
		case <-ctx.Done():
			return
		}
		if settled == p.settled() {
			return
		}
	}
}
