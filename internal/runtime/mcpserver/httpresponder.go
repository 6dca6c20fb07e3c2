package mcpserver

import (
	"context"
	"sync"
	"time"
)

// An httpResponder answers a request over Streamable HTTP. Its response becomes an event stream with the first message that
// precedes the answer.
//
// In the handshake era the call runs on the exchange's goroutine, and another one then writes. In the stateless era a call may
// outlive its exchange, so it has its own goroutine and the exchange's writes.
type httpResponder struct {
	x      *exchange
	h      incoming
	events chan string   // to be sent
	answer chan reply    // has room for one
	left   chan struct{} // closed when nothing more is written

	open sync.Once // creates the channels, or records that none are needed

	mu  sync.Mutex
	run *runningRequest
}

// runPosted answers a request whose answer takes time.
func (x *exchange) runPosted(h incoming) {
	p := &httpResponder{x: x, h: h}
	answer := func(ctx context.Context, run *runningRequest) reply {
		return x.server.answerMessage(ctx, x.sessionOrNil(), h, run)
	}
	if h.req != nil && x.server.isStatelessRequest(h.req) {
		p.open.Do(p.makeChannels)
		ctx := context.WithoutCancel(x.r.Context())
		x.calls.Go(func() { // ends with the call, which ends with the session or with p
			x.server.runRequest(ctx, x.sessionOrNil(), h.ID, p, answer)
		})
		p.writeMessages()
		return
	}
	x.server.runRequest(x.r.Context(), x.sessionOrNil(), h.ID, p, answer)
	if p.left != nil {
		<-p.left
	}
}

func (p *httpResponder) makeChannels() {
	p.events, p.answer, p.left = make(chan string), make(chan reply, 1), make(chan struct{})
}

// writeMessages writes messages until the answer is written or the client has left.
func (p *httpResponder) writeMessages() {
	x, said := p.x, false
	defer p.endWriting()
	defer func() {
		if !said {
			p.h.afterAnswer()
		}
	}()
	var tick <-chan time.Time // set once a stream has begun
	for {
		var err error
		var queue chan string // nil while there is another way
		if x.streaming && x.ownsQueue() {
			queue = x.http.queue
		}
		select {
		case line := <-queue:
			err = x.sendEvent(line)
		case out := <-p.answer:
			said = true
			x.writeReply(p.h, out)
			return
		case line := <-p.events:
			if !x.streaming {
				x.beginStream()
				ticker := time.NewTicker(heartbeat)
				defer ticker.Stop()
				tick = ticker.C
			}
			err = x.sendEvent(line)
		case <-tick:
			err = x.writeHeartbeat()
		case <-x.r.Context().Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *httpResponder) sendBefore(ctx context.Context, line string) error {
	if !p.x.accepts(typeStream) {
		return ErrNoChannel
	}
	p.open.Do(func() { // in the handshake era only: in the other the exchange writes
		p.makeChannels()
		go p.writeMessages() // sendAnswer waits for it
	})
	if p.left == nil {
		return ErrNoChannel // the answer was faster
	}
	select {
	case p.events <- line:
		return nil
	case <-p.left:
		return ErrNoChannel
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *httpResponder) sendAnswer(out reply) {
	p.open.Do(func() {})
	if p.left == nil {
		p.x.writeReply(p.h, out) // nothing was sent, and nothing will be
		return
	}
	p.answer <- out
}

func (p *httpResponder) letOthersPass() {}

func (p *httpResponder) setRunning(r *runningRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run = r
}

// endWriting tells whoever answers that nobody waits any more.
func (p *httpResponder) endWriting() {
	close(p.left)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil {
		p.run.cancelIfResponder(p)
	}
}
