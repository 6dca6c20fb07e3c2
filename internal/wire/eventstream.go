package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Listen opens the stream on which a server of 2025-03-26 to 2025-11-25 may send at any
// time; what comes on it is received like everything else. Nothing needs it to read
// lists. A server without one answers HTTP 405. ctx and Grace bound the opening only.
func (h *HTTP) Listen(ctx context.Context) error {
	return h.start(ctx, "no event stream was opened", func(*reply, *events) error { return nil })
}

// openStream opens the stream of HTTP+SSE and takes from its first event where to POST.
func (h *HTTP) openStream(ctx context.Context) error {
	return h.start(ctx, "no event with the endpoint came", h.takeEndpoint)
}

// start opens a stream that lives as long as h, once first has taken its beginning. What
// is missing if that takes longer than Grace stands in missing.
func (h *HTTP) start(ctx context.Context, missing string, first func(*reply, *events) error) error {
	x := h.exchange(nil)
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if !h.enter(x, cancel) {
		cancel(ErrClosed)
		return ErrClosed
	}
	stop := context.AfterFunc(ctx, func() { x.giveUp(context.Cause(ctx)) })
	defer stop()
	timer := time.AfterFunc(h.grace, func() { x.giveUp(fmt.Errorf("%s within %v", missing, h.grace)) })
	defer timer.Stop()
	r, err := h.get(own, nil)
	if err != nil {
		h.leave(x, nil)
		return err
	}
	ev := newEvents(h.metered(r.Body), h.limits.Message)
	if err := first(r, ev); err != nil {
		r.Body.Close()
		if own.Err() != nil {
			err = context.Cause(own)
		}
		h.leave(x, nil)
		return err
	}
	x.mu.Lock()
	x.answered = true // from here on ctx does not matter
	x.mu.Unlock()
	// Ends with the stream or by Close.
	go h.follow(own, x, r, ev)
	return nil
}

// follow hands on what comes on a stream. The end of that of HTTP+SSE is the end of the
// connection.
func (h *HTTP) follow(ctx context.Context, x *exchange, r *reply, ev *events) {
	err := x.drain(ctx, ev, answerOf(r), "")
	r.Body.Close()
	var flood *FloodError
	switch {
	case errors.As(err, &flood):
		h.end(flood)
	case h.SSE() && err != nil:
		h.end(&EndError{How: "ended its event stream (" + h.reason(err) + ")"})
	case h.SSE():
		h.end(&EndError{How: "ended its event stream"})
	}
	h.leave(x, nil)
}

// SSE reports whether the server speaks HTTP+SSE of 2024-11-05, as far as is known yet.
func (h *HTTP) SSE() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sse
}

// takeEndpoint reads the first event of HTTP+SSE.
func (h *HTTP) takeEndpoint(r *reply, ev *events) error {
	e, err := ev.next()
	switch {
	case err != nil:
		return fmt.Errorf("the event stream ended without naming an endpoint: %s", h.reason(err))
	case e.name != "endpoint":
		return fmt.Errorf("the first event of the stream is of the type %q and not an endpoint", clip(e.name, 40))
	}
	target, err := r.Request.URL.Parse(e.data)
	switch {
	case err != nil:
		return errors.New("the endpoint that the stream names is no URL")
	case !sameOrigin(r.Request.URL, target):
		return fmt.Errorf("the stream names an endpoint on another origin, %s, which was not used", place(target))
	}
	target.User, target.Fragment = nil, ""
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target, h.sse, h.stream = target, true, true
	return nil
}

// ended is nil for the orderly end of a stream.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
