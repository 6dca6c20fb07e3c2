package fleet

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/broker"
)

// A collector keeps what is known of the jobs of a list.
type collector struct {
	fleet *broker.Fleet
	keys  *fleetplan.WorkerKeys

	mu      sync.Mutex
	listed  map[string]bool // every job that should end
	ended   map[string]bool // of those, the ones with a result or a failure
	forged  map[string]bool // entries that no worker of the plan wrote
	refused map[string]*Failure
	failed  map[string]*Failure
	entries map[string]*Entry // nil unless they are kept for a report
	each    func(*Entry, *Failure)
	changed chan struct{}
}

func newCollector(f *broker.Fleet, keys *fleetplan.WorkerKeys, l *List, keep bool, each func(*Entry, *Failure)) *collector {
	c := &collector{fleet: f, keys: keys, listed: map[string]bool{}, ended: map[string]bool{}, forged: map[string]bool{}, refused: map[string]*Failure{}, failed: map[string]*Failure{}, each: each, changed: make(chan struct{}, 1)}
	for i := range l.Jobs {
		c.listed[l.Jobs[i].ID] = true
	}
	if keep {
		c.entries = map[string]*Entry{}
	}
	return c
}

// follow keeps collecting until ctx ends. loaded is called once, when everything that was there has been seen.
func (c *collector) follow(ctx context.Context, loaded func()) {
	var both sync.WaitGroup
	var unread atomic.Int32
	unread.Store(2)
	through := func() func() {
		return sync.OnceFunc(func() {
			if unread.Add(-1) == 0 {
				loaded()
			}
		})
	}
	entries, failures := through(), through()
	both.Go(func() { // ends with ctx
		for ctx.Err() == nil {
			if c.fleet.WatchEntries(ctx, c.addEntry, entries) != nil {
				waitFor(ctx, orderWait)
			}
		}
	})
	both.Go(func() { // ends with ctx
		for ctx.Err() == nil {
			if c.fleet.WatchFailures(ctx, c.addFailure, failures) != nil {
				waitFor(ctx, orderWait)
			}
		}
	})
	both.Wait()
}

func (c *collector) addEntry(job string, message []byte) {
	e, err := openEntry(c.keys, job, message)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.listed[job] {
		return // of an earlier plan
	}
	if err != nil {
		c.forged[job] = true
		delete(c.ended, job)
		delete(c.entries, job)
		c.signal()
		return
	}
	if c.entries != nil {
		c.entries[job] = e
	}
	delete(c.forged, job)
	delete(c.failed, job) // a result came after all
	first := !c.ended[job]
	c.ended[job] = true
	c.signal()
	if first && c.each != nil {
		c.each(e, nil)
	}
}

func (c *collector) addFailure(job string, message []byte) {
	f, err := openFailure(c.keys, job, message)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Target == "" {
		c.refused[job] = f
	}
	if !c.listed[job] || c.ended[job] {
		return
	}
	c.failed[job], c.ended[job] = f, true
	c.signal()
	if c.each != nil {
		c.each(nil, f)
	}
}

func (c *collector) signal() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *collector) hasEnded(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended[id]
}

// forgetFailures makes failed jobs missing ones.
func (c *collector) forgetFailures(ctx context.Context) error {
	c.mu.Lock()
	failed := slices.Collect(maps.Keys(c.failed))
	c.mu.Unlock()
	for _, id := range failed {
		if err := c.fleet.ForgetFailure(ctx, id); err != nil {
			return err
		}
		c.mu.Lock()
		delete(c.failed, id)
		delete(c.ended, id)
		c.mu.Unlock()
	}
	return nil
}

// missing returns the jobs that have not ended.
func (c *collector) missing() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]bool{}
	for id := range c.listed {
		if !c.ended[id] {
			out[id] = true
		}
	}
	return out
}

// counts are of the jobs of the list.
func (c *collector) counts() (ended, failed, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ended), len(c.failed), len(c.listed)
}
