package attack

import (
	"sync"
	"time"
)

// A Clock shows a fixed time until it is set. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows the time at.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// setTime moves the clock forward, never back.
func (c *Clock) setTime(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.now) {
		c.now = to
	}
}

// Now returns the run's time.
func (r *services) Now() time.Time {
	if r.opt.Clock == nil {
		return time.Now()
	}
	return r.opt.Clock.Now()
}

// advanceClock advances the run's time. Every phase that is due by then ends at its own due time, in order across actors, with its
// entry actions.
func (r *Run) advanceClock(to time.Time) {
	for {
		var first *Actor
		var due time.Time
		for _, a := range r.actors {
			a.mu.Lock()
			at, ok := a.m.dueTime()
			a.mu.Unlock()
			if ok && !at.After(to) && (first == nil || at.Before(due)) {
				first, due = a, at
			}
		}
		if first == nil {
			break
		}
		r.opt.Clock.setTime(due)
		first.wake(r.alive)
		r.progress.awaitMessages(0)
	}
	r.opt.Clock.setTime(to)
}
