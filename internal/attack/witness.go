package attack

import (
	"sync"
	"time"

	"gauntlet/trace"
)

// A witness knows what is still to go over the wire before the next message of a replay
// does, so that every replay has the same order. A nil one sees nothing. It is safe for concurrent
// use.
type witness struct {
	mu   sync.Mutex
	in   int            // messages of the agent that are in the trace
	out  map[string]int // messages of servers that are not yet, by method
	news chan struct{}  // closed when any of it changes
}

func newWitness() *witness { return &witness{out: map[string]int{}, news: make(chan struct{})} }

// saw notes what came into the trace.
func (w *witness) saw(way trace.Direction, method string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if way == trace.ToServer {
		w.in++
	} else if w.out[method] > 0 {
		w.out[method]--
	}
	w.tell()
}

// expects notes that a server is about to send so many of its own.
func (w *witness) expects(method string, n int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out[method] = max(0, w.out[method]+n)
	w.tell()
}

// tell wakes who waits. w.mu is held.
func (w *witness) tell() {
	close(w.news)
	w.news = make(chan struct{})
}

// await waits until so many messages of the agent are in the trace, and all that is expected.
func (w *witness) await(in int) {
	if w == nil {
		return
	}
	timer := time.NewTimer(replayPatience)
	defer timer.Stop()
	for {
		w.mu.Lock()
		left := 0
		for _, n := range w.out {
			left += n
		}
		news, there := w.news, w.in >= in && left == 0
		w.mu.Unlock()
		if there {
			return
		}
		select {
		case <-news:
		case <-timer.C:
			return
		}
	}
}

// count returns how many messages of the agent are in the trace.
func (w *witness) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.in
}
