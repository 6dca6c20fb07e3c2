package attack

import (
	"sync"
	"time"
)

// A Clock is a time that stands until it is set. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at a time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// setTime moves the clock, never back.
func (c *Clock) setTime(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.now) {
		c.now = to
	}
}

// clockNow is the time of the run.
func (r *Run) clockNow() time.Time {
	if r.opt.Clock == nil {
		return time.Now()
	}
	return r.opt.Clock.Now()
}

// advanceClock lets the time of the run go on, and every phase that ends by then end at the
// moment it is due, whichever actor's comes first, and say what it has to say then.
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
