package attack

import (
	"maps"
	"strings"
	"sync"

	"gauntlet/internal/leaf/excerpt"
)

const (
	// maxCapture bounds one captured value, in bytes: a peer chooses its length, and it may be repeated many times.
	maxCapture  = 64 << 10
	maxCaptured = 16 << 20
)

// captureStore holds the values captured by all actors' extractors, by actor.extractor. The last value of a name counts (§5.5). Its
// lock is never held while waiting, so no actor can block another.
type captureStore struct {
	mu      sync.Mutex
	values  map[string]string
	size    int           // sum of all values, in bytes
	changed chan struct{} // closed and replaced when a value arrives
}

func newCaptureStore() *captureStore {
	return &captureStore{values: map[string]string{}, changed: make(chan struct{})}
}

// setCapture stores a value and reports whether it was cut, to nothing if there is no room.
func (c *captureStore) setCapture(actor, name, value string) (cut bool) {
	if cut = len(value) > maxCapture; cut {
		value = excerpt.Head(value, maxCapture)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := actor + "." + name
	c.size -= len(c.values[key])
	if c.size+len(value) > maxCaptured {
		value, cut = "", true
	}
	c.size += len(value)
	c.values[key] = strings.Clone(value) // otherwise it would keep the whole message alive
	close(c.changed)
	c.changed = make(chan struct{})
	return cut
}

// visibleTo returns the values that an actor's templates can refer to: its own by name, everybody's by actor.name.
func (c *captureStore) visibleTo(actor string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := maps.Clone(c.values)
	for key, value := range c.values {
		if name, ok := strings.CutPrefix(key, actor+"."); ok {
			out[name] = value
		}
	}
	return out
}

// missingKeys returns the keys that have no value yet, and a channel that is closed when the next value arrives.
func (c *captureStore) missingKeys(keys []string) ([]string, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var none []string
	for _, key := range keys {
		if _, ok := c.values[key]; !ok {
			none = append(none, key)
		}
	}
	return none, c.changed
}
