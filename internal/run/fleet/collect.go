package fleet

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/engine/fleetplan"
	"gauntlet/internal/runtime/broker"
)

// A collector keeps what is known of the jobs of a list.
type collector struct {
	fleet *broker.Fleet
	keys  *fleetplan.Keys
	keep  bool // whole entries, for a report; else no more than whether a job failed

	mu      sync.Mutex
	listed  map[string]bool   // every job that should end
	entries map[string]*Entry // of those, the ones that ended
	forged  map[string]bool   // of those, the ones whose entry no worker of the plan wrote
	failed  int
	refused map[string]string // why messages were refused, by their names
	each    func(*Entry)
	changed chan struct{}
}

func newCollector(f *broker.Fleet, keys *fleetplan.Keys, l *List, keep bool, each func(*Entry)) *collector {
	c := &collector{fleet: f, keys: keys, keep: keep, listed: map[string]bool{}, entries: map[string]*Entry{}, forged: map[string]bool{}, refused: map[string]string{}, each: each, changed: make(chan struct{}, 1)}
	for i := range l.Jobs {
		c.listed[l.Jobs[i].ID] = true
	}
	return c
}

// follow keeps collecting until ctx ends. loaded is called once, when everything that was there has been seen.
func (c *collector) follow(ctx context.Context, loaded func()) {
	loaded = sync.OnceFunc(loaded)
	for ctx.Err() == nil {
		if c.fleet.Watch(ctx, c.add, loaded) != nil {
			waitFor(ctx, lookInterval)
		}
	}
}

// add takes an entry of the index.
func (c *collector) add(job string, message []byte) {
	e, err := openEntry(c.keys, job, message)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil && strings.HasPrefix(job, refusal):
		c.refused[job] = e.Failed
		return
	case !c.listed[job]: // of an earlier plan
		return
	}
	last := c.entries[job]
	if last != nil && last.Failed != "" {
		c.failed--
	}
	delete(c.entries, job)
	if c.forged[job] = err != nil; err == nil {
		if e.Failed != "" {
			c.failed++
		}
		c.entries[job] = e
		if !c.keep {
			c.entries[job] = &Entry{Failed: e.Failed}
		}
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
	if err == nil && last == nil && c.each != nil {
		c.each(e)
	}
}

func (c *collector) hasEnded(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[id] != nil
}

// forgetFailures makes failed jobs missing ones.
func (c *collector) forgetFailures(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, e := range maps.Clone(c.entries) {
		if e.Failed == "" {
			continue
		}
		if err := c.fleet.Forget(ctx, id); err != nil {
			return err
		}
		delete(c.entries, id)
		c.failed--
	}
	return nil
}

// missing returns the jobs that have not ended.
func (c *collector) missing() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := maps.Clone(c.listed)
	for id := range c.entries {
		delete(out, id)
	}
	return out
}

// counts are of the jobs of the list.
func (c *collector) counts() (ended, failed, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.failed, len(c.listed)
}

// refusals says why messages were refused, in order.
func (c *collector) refusals() []string { return slices.Sorted(maps.Values(c.refused)) }

// forgeries counts the entries that no worker of the plan wrote.
func (c *collector) forgeries() (n int) {
	for _, forged := range c.forged {
		if forged {
			n++
		}
	}
	return n
}
