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
	next  func()      // lets another goroutine read; nil if nobody has to
	freed atomic.Bool // somebody else reads
}

// letOthersPass lets the messages behind this one be read.
func (t *stdioResponder) letOthersPass() {
	if t.next != nil && t.freed.CompareAndSwap(false, true) {
		t.next()
	}
}

// sendBefore queues what belongs to the request: lines go out in the order of queueing.
func (t *stdioResponder) sendBefore(ctx context.Context, line string) error {
	return t.queueLine(ctx, line)
}

func (t *stdioResponder) setRunning(*runningRequest) {}

// sendAnswer hands the answer over. While it does, nothing else of the conversation is heard.
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

// beginSubscription acknowledges a subscription. A client that has the acknowledgement may rely on
// the subscription, so it is there first; what is posted meanwhile goes out behind the
// acknowledgement.
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
