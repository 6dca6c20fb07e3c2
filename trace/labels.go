package trace

import (
	"strconv"
	"sync"
)

// maxLabels limits the memory of Labels: a peer may send a new credential with every request.
const maxLabels = 100_000

// Labels name secrets, such as session ids and credentials, without revealing them. The first secret is the prefix and 1,
// the next one 2, and so on; the same secret keeps its name. A trace contains only the names. It is safe for concurrent use.
type Labels struct {
	prefix string
	mu     sync.Mutex
	names  map[string]string
}

// NewLabels returns Labels with a prefix such as "s" or "c".
func NewLabels(prefix string) *Labels { return &Labels{prefix: prefix, names: map[string]string{}} }

// Of returns the label of a secret, "" for the empty one. Beyond 100,000 secrets all new
// ones share a label, the prefix and a question mark.
func (l *Labels) Of(secret string) string {
	if secret == "" {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name, ok := l.names[secret]
	switch {
	case ok:
		return name
	case len(l.names) == maxLabels:
		return l.prefix + "?"
	}
	name = l.prefix + strconv.Itoa(len(l.names)+1)
	l.names[secret] = name
	return name
}
