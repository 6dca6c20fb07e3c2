package serve

import (
	"context"
	"sync"

	"gauntlet/internal/wire"
)

// A carrier brings one request what it gets.
type carrier interface {
	// send takes a message that belongs to the request and comes before its answer. It
	// waits until there is room, and fails with ErrUnheard once the request is answered.
	send(ctx context.Context, line string) error
	// say takes the answer, which is none where the request was cancelled. Only the first
	// counts.
	say(reply)
	// free lets requests behind this one be answered before it.
	free()
	// owner says who answers the request, and is to be cancelled when its client has gone.
	owner(*running)
}

// A running request is one whose answer takes time. Its carrier changes where the request
// has to be sent again before it is answered.
type running struct {
	server *Server
	talk   *Talk
	cancel context.CancelCauseFunc
	asking sync.Mutex // one question at a time
	rounds int        // how often it was suspended; guarded by asking

	mu      sync.Mutex
	carrier carrier // nil while it is suspended, and when it has handed over to another
	id      string  // of the request that the carrier brings the answer for
	silent  bool    // cancelled by its client: there is no answer
}

// start answers a request beside others. Its goroutine, which calls counts, ends with the
// call, whose context ends with ctx, with the conversation, and when the client cancels.
func (s *Server) start(ctx context.Context, t *Talk, id string, c carrier, calls *sync.WaitGroup, answer func(context.Context, *running) reply) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &running{server: s, talk: t, cancel: cancel, carrier: c, id: id}
	if !t.run(r) {
		cancel(nil)
		c.say(fail(id, 0, &Error{Code: internalError, Message: "Internal error: too many requests at a time"}))
		return
	}
	c.owner(r)
	calls.Add(1)
	go func() {
		defer calls.Done()
		defer cancel(nil)
		out := answer(ctx, r)
		t.stop(r)
		r.say(out)
	}()
}

// run notes that a request is under way, unless there are too many.
func (t *Talk) run(r *running) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) >= max(t.most, 1) {
		return false
	}
	if t.calls == nil {
		t.calls = map[*running]struct{}{}
	}
	t.calls[r] = struct{}{}
	return true
}

func (t *Talk) stop(r *running) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, r)
}

// say brings the answer, and none if the request was cancelled.
func (r *running) say(out reply) {
	c, silent := r.leave()
	if c == nil {
		return
	}
	if silent {
		out = reply{}
	}
	c.say(out)
}

// leave takes the carrier away.
func (r *running) leave() (c carrier, silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, r.carrier = r.carrier, nil
	return c, r.silent
}

// silence marks the request as cancelled if it has this id.
func (r *running) silence(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id != id || r.carrier == nil {
		return false
	}
	r.silent = true
	return true
}

// gone cancels the request if this is still its carrier: its client has left.
func (r *running) gone(c carrier) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.carrier == c {
		r.cancel(ErrOver)
	}
}

// answers returns the id of the request that is to be answered.
func (r *running) answers() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// send sends what belongs to the request.
func (r *running) send(ctx context.Context, line string) error {
	r.mu.Lock()
	c := r.carrier
	r.mu.Unlock()
	if c == nil {
		return ErrUnheard
	}
	return c.send(ctx, line)
}

func (r *running) notify(ctx context.Context, method, params string) error {
	params, err := compactParams(params)
	if err != nil {
		return err
	}
	return r.send(ctx, note(method, params))
}

// ask asks the client, in the way of the legacy era.
func (r *running) ask(ctx context.Context, method, params string) (wire.Message, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	r.mu.Lock()
	c := r.carrier
	r.mu.Unlock()
	if c != nil {
		c.free()
	}
	return r.talk.ask(ctx, method, params, r.send)
}
