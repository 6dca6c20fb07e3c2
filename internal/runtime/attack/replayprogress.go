package attack

import (
	"sync"
	"time"

	"gauntlet/trace"
)

// A ReplayProgress tracks what must still be sent before the next message of a replay, so that every replay has the same order. A
// nil one does nothing. It is safe for concurrent use.
type ReplayProgress struct {
	mu       sync.Mutex
	incoming int            // messages of the agent in the trace
	said     map[string]int // messages of clients in the trace, by actor
	expected map[string]int // messages of servers not yet in it, by method
	entries  int            // phases that start after an answer is sent, and may send messages
	changed  chan struct{}  // closed when any of it changes
}

func newReplayProgress() *ReplayProgress {
	return &ReplayProgress{expected: map[string]int{}, said: map[string]int{}, changed: make(chan struct{})}
}

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

// ExpectMessages says that a server is about to send n messages of its own.
func (w *ReplayProgress) ExpectMessages(method string, n int) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected[method] = max(0, w.expected[method]+n)
	w.wakeWaiters()
}

// ExpectEntry says that a phase begins as soon as an answer is sent. That phase's messages are expected only from then on, so a
// replay's next message must wait for both.
func (w *ReplayProgress) ExpectEntry() { w.countEntries(1) }

// FinishEntry says that such a phase has begun.
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

// wakeWaiters wakes all waiters. w.mu is held.
func (w *ReplayProgress) wakeWaiters() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// awaitMessages waits until in messages of the agent and all expected ones are in the trace.
func (w *ReplayProgress) awaitMessages(in int) {
	w.await(func() bool { return w.hasAll(in) })
}

// hasAll reports whether they are. w.mu is held.
func (w *ReplayProgress) hasAll(in int) bool {
	left := w.entries
	for _, n := range w.expected {
		left += n
	}
	return w.incoming >= in && left == 0
}

// awaitSaid waits until n messages of a client are in the trace, and reports whether they are.
func (w *ReplayProgress) awaitSaid(actor string, n int) bool {
	return w.await(func() bool { return w.said[actor] >= n })
}

// await waits until holds, called with w.mu held, returns true or replayPatience is over, and reports which.
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

// countIncoming returns the number of agent messages in the trace.
func (w *ReplayProgress) countIncoming() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.incoming
}
