package attack

import (
	"context"
	"slices"
	"sync"
	"time"
)

// PendingGrace is the longest time for which the end of a run, where neither the document nor Options.Grace says how long to wait, waits
// for what its servers have announced and the agent has not yet met: definitions that changed, or an answer that it owes.
const PendingGrace = 5 * time.Second

// pendingWork counts what the servers of a run have begun and the agent has not yet met: a phase that begins behind
// an answer, a change of a list that is not yet read, a request of a server without an answer. It is safe for
// concurrent use.
type pendingWork struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while there is none; nil until there was any
}

// begin notes that something is pending until end is called, which may be more than once.
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

// settled is closed once nothing is pending.
func (p *pendingWork) settled() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.none == nil {
		p.none = make(chan struct{})
		close(p.none)
	}
	return p.none
}

// Pending returns a channel that is closed once the servers of the run have nothing under way that the agent is still
// to be told, and the agent has asked for whatever they announced.
func (r *Run) Pending() <-chan struct{} { return r.pending.settled() }

// Due reports whether a phase of an actor ends by itself within a time.
func (r *Run) Due(within time.Duration) bool {
	select {
	case <-r.begun:
	default:
		return true // nobody knows yet
	}
	by := time.Now().Add(within)
	return slices.ContainsFunc(r.actors, func(a *Actor) bool { return a.isDueBy(by) })
}

// BeginPending notes that the agent is about to meet something of this server, until end is called, which may be more than
// once: the run does not end before, within PendingGrace.
func (a *Actor) BeginPending() (end func()) { return a.run.pending.begin() }

// await waits until nothing is pending, within PendingGrace.
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
