package attack

import (
	"sync"
	"time"

	"gauntlet/trace"
)

// A ReplayProgress knows what is still to go over the wire before the next message of a replay
// does, so that every replay has the same order. A nil one sees nothing. It is safe for concurrent
// use.
type ReplayProgress struct {
	mu       sync.Mutex
	incoming int            // messages of the agent that are in the trace
	said     map[string]int // messages of clients that are in the trace, by actor
	expected map[string]int // messages of servers that are not yet, by method
	entries  int            // phases that begin once an answer is out, which may send messages
	changed  chan struct{}  // closed when any of it changes
}

func newReplayProgress() *ReplayProgress {
	return &ReplayProgress{expected: map[string]int{}, said: map[string]int{}, changed: make(chan struct{})}
}

// noteRecorded notes what came into the trace.
func (w *ReplayProgress) noteRecorded(m *trace.Message) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch fromPeer := (m.Direction == trace.ToServer) != (m.Role == trace.AsClient); {
	case fromPeer:
		w.incoming++
	case m.Role == trace.AsClient:
		w.said[m.Actor]++
	case w.expected[m.Method] > 0:
		w.expected[m.Method]--
	}
	w.wakeWaiters()
}

// ExpectMessages notes that a server is about to send so many of its own.
func (w *ReplayProgress) ExpectMessages(method string, n int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected[method] = max(0, w.expected[method]+n)
	w.wakeWaiters()
}

// ExpectEntry notes that a phase begins as soon as the answer to a message is out. What that phase
// sends is expected only from then on, so the next message of a replay has to wait for both.
func (w *ReplayProgress) ExpectEntry() { w.countEntries(1) }

// FinishEntry notes that such a phase has begun.
func (w *ReplayProgress) FinishEntry() { w.countEntries(-1) }

func (w *ReplayProgress) countEntries(by int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries += by
	w.wakeWaiters()
}

// wakeWaiters wakes who waits. w.mu is held.
func (w *ReplayProgress) wakeWaiters() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// awaitMessages waits until so many messages of the agent are in the trace, and all that is expected.
func (w *ReplayProgress) awaitMessages(in int) {
	w.await(func() bool { return w.hasAll(in) })
}

// hasAll reports whether that holds. w.mu is held.
func (w *ReplayProgress) hasAll(in int) bool {
	left := w.entries
	for _, n := range w.expected {
		left += n
	}
	return w.incoming >= in && left == 0
}

// awaitSaid waits until a client has so many messages in the trace, and reports whether it has.
func (w *ReplayProgress) awaitSaid(actor string, n int) bool {
	return w.await(func() bool { return w.said[actor] >= n })
}

// await waits until something holds, which is asked while w.mu is held, or patience is over. It reports whether it holds.
func (w *ReplayProgress) await(holds func() bool) bool {
	if w == nil {
		return true
	}
	timer := time.NewTimer(replayPatience)
	defer timer.Stop()
	for {
		w.mu.Lock()
		news, there := w.changed, holds()
		w.mu.Unlock()
		if there {
			return true
		}
		select {
		case <-news:
		case <-timer.C:
			return false
		}
	}
}

// countIncoming returns how many messages of the agent are in the trace.
func (w *ReplayProgress) countIncoming() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.incoming
}
