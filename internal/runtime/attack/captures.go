package attack

import (
	"maps"
	"strings"
	"sync"

	"gauntlet/internal/leaf/excerpt"
)

const (
	// maxCapture bounds one captured value, in bytes: what is captured is said again, perhaps
	// many times, and a peer chooses how long it is.
	maxCapture = 64 << 10
	// maxCaptured bounds all of them together.
	maxCaptured = 16 << 20
)

// captureStore are the values that extractors took out of messages, of all actors, by
// actor.extractor. The last value of a name counts (§5.5). Nobody ever waits while the
// store is held, so no actor can keep another one from it.
type captureStore struct {
	mu      sync.Mutex
	values  map[string]string
	size    int           // of all values, in bytes
	changed chan struct{} // closed and replaced when a value has come
}

func newCaptureStore() *captureStore {
	return &captureStore{values: map[string]string{}, changed: make(chan struct{})}
}

// setCapture keeps a value and reports whether it had to be cut, to nothing if there is no room.
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
	c.values[key] = strings.Clone(value) // or it would hold the whole message
	close(c.changed)
	c.changed = make(chan struct{})
	return cut
}

// visibleTo returns what templates of an actor can refer to: its own values under their names,
// those of all actors under actor.name.
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

// missingKeys returns those of the keys that have no value yet, and a channel that is closed
// when the next value has come.
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
