package serve

import (
	"context"
	"sync"
	"time"
)

// A posted is the carrier of a request over Streamable HTTP. Its exchange becomes a stream
// of events with the first message that it is to bring before the answer.
//
// In the legacy era the call runs on the exchange's own goroutine, and another one writes
// from then on. In the stateless era a call may outlive its exchange, so it has a goroutine
// of its own and the exchange's writes.
type posted struct {
	x      *exchange
	h      heard
	events chan string   // to be sent
	answer chan reply    // has room for one
	left   chan struct{} // closed when nothing is written any more

	open sync.Once // makes the channels, or settles that none are needed

	mu  sync.Mutex
	run *running
}

// take answers a request whose answer takes time.
func (x *exchange) take(h heard) {
	p := &posted{x: x, h: h}
	answer := func(ctx context.Context, run *running) reply { return x.server.reply(ctx, x.talk(), h, run) }
	if h.req != nil && x.server.modernEra(h.req) {
		p.open.Do(p.make)
		ctx := context.WithoutCancel(x.r.Context())
		x.calls.Go(func() { // ends with the call, which ends with the conversation or with p
			x.server.answerWith(ctx, x.talk(), h.ID, p, answer)
		})
		p.write()
		return
	}
	x.server.answerWith(x.r.Context(), x.talk(), h.ID, p, answer)
	if p.left != nil {
		<-p.left
	}
}

func (p *posted) make() {
	p.events, p.answer, p.left = make(chan string), make(chan reply, 1), make(chan struct{})
}

// write brings what there is to bring, until the answer was brought or the client has gone.
func (p *posted) write() {
	x, said := p.x, false
	defer p.leave()
	defer func() {
		if !said {
			p.h.said()
		}
	}()
	var tick <-chan time.Time // of a stream that has begun
	for {
		var err error
		var queue chan string // nil while there is another way
		if x.began && x.waits() {
			queue = x.session.queue
		}
		select {
		case line := <-queue:
			err = x.event(line)
		case out := <-p.answer:
			said = true
			x.write(p.h, out)
			return
		case line := <-p.events:
			if !x.began {
				x.begin()
				ticker := time.NewTicker(heartbeat)
				defer ticker.Stop()
				tick = ticker.C
			}
			err = x.event(line)
		case <-tick:
			err = x.beat()
		case <-x.r.Context().Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *posted) send(ctx context.Context, line string) error {
	if !p.x.accepts(typeStream) {
		return ErrUnheard
	}
	p.open.Do(func() { // in the legacy era only: in the other the exchange writes
		p.make()
		go p.write() // take waits for it
	})
	if p.left == nil {
		return ErrUnheard // the answer was faster
	}
	select {
	case p.events <- line:
		return nil
	case <-p.left:
		return ErrUnheard
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *posted) say(out reply) {
	p.open.Do(func() {})
	if p.left == nil {
		p.x.write(p.h, out) // nothing was sent, and nothing will be
		return
	}
	p.answer <- out
}

func (p *posted) free() {}

func (p *posted) owner(r *running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run = r
}

// leave tells whoever answers that nobody waits for it any more.
func (p *posted) leave() {
	close(p.left)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil {
		p.run.gone(p)
	}
}
