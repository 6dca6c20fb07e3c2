package mcpserver

import (
	"context"
	"sync"
	"sync/atomic"

	"gauntlet/internal/leaf/mcp"
)

// A stdioResponder answers a request over stdio.
type stdioResponder struct {
	*stdioConn
	id    string
	heard incoming
	next  func()      // starts another reader; nil if not needed
	freed atomic.Bool // another goroutine reads
}

// letOthersPass starts reading the next messages.
func (t *stdioResponder) letOthersPass() {
	if t.next != nil && t.freed.CompareAndSwap(false, true) {
		t.next()
	}
}

// sendBefore queues a message that belongs to the request: lines are sent in queueing order.
func (t *stdioResponder) sendBefore(ctx context.Context, line string) error {
	return t.queueLine(ctx, line)
}

func (t *stdioResponder) setRunning(*runningRequest) {}

// sendAnswer queues the answer. Meanwhile no other message of the session is processed.
func (t *stdioResponder) sendAnswer(r reply) {
	t.session.order.Lock()
	defer t.session.order.Unlock()
	t.queueReply(r)
	t.heard.afterAnswer()
}

func (t *stdioResponder) queueReply(r reply) {
	if r.sub != nil && (t.session.findSubscription(t.id) != nil || len(t.session.subscriptions()) >= mostListening) {
		r = failReply(t.id, 0, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: the id is in use, or there are too many subscriptions"})
	}
	if r.sub != nil && !r.over {
		t.beginSubscription(r)
		return
	}
	if r.sub != nil {
		t.stdioConn.queueOrDrop(r.listen)
	}
	if r.body != "" {
		t.stdioConn.queueOrDrop(r.body)
	}
}

// beginSubscription acknowledges a subscription. The subscription is registered first, since a client may rely on it once
// acknowledged; notifications posted meanwhile follow the acknowledgement.
func (t *stdioResponder) beginSubscription(r reply) {
	var acknowledging sync.Mutex
	acknowledging.Lock()
	defer acknowledging.Unlock()
	r.sub.post = func(line string) error {
		acknowledging.Lock()
		defer acknowledging.Unlock()
		return t.tryQueueLine(line)
	}
	t.session.addSubscription(r.sub)
	t.stdioConn.queueOrDrop(r.listen)
}
