package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gauntlet/internal/leaf/excerpt"
)

// Listen opens the stream on which a server of 2025-03-26 to 2025-11-25 may send unsolicited messages; they are received like all
// others. It is not needed for listings. A server without such a stream answers HTTP 405. ctx and Grace bound the opening only.
func (h *HTTP) Listen(ctx context.Context) error {
	err := h.startExchange(ctx, "no event stream was opened", func(*reply, *eventReader) error { return nil })
	h.mu.Lock()
	h.opening.listening = err == nil
	h.mu.Unlock()
	return err
}

// openStream opens the stream of HTTP+SSE and reads the POST endpoint from its first event.
func (h *HTTP) openStream(ctx context.Context) error {
	return h.startExchange(ctx, "no event with the endpoint came", h.takeEndpoint)
}

// startExchange opens a stream that lives as long as h, once first has read its beginning. missing names what did not arrive if
// that takes longer than Grace.
func (h *HTTP) startExchange(ctx context.Context, missing string, first func(*reply, *eventReader) error) error {
	x := h.newExchange(nil)
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if !h.enter(x, cancel) {
		cancel(ErrClosed)
		return ErrClosed
	}
	stop := context.AfterFunc(ctx, func() { x.giveUp(context.Cause(ctx)) })
	defer stop()
	timer := time.AfterFunc(h.grace, func() { x.giveUp(fmt.Errorf("%s within %v", missing, h.grace)) })
	defer timer.Stop()
	r, err := h.openGetStream(own, nil)
	if err != nil {
		h.removeExchange(x, nil)
		return err
	}
	ev := newEvents(h.metered(r.Body), h.limits.Message)
	if err := first(r, ev); err != nil {
		r.Body.Close()
		if own.Err() != nil {
			err = context.Cause(own)
		}
		h.removeExchange(x, nil)
		return err
	}
	x.mu.Lock()
	x.answered = true // from here on ctx no longer applies
	x.mu.Unlock()
	// Ends with the stream or by Close.
	go h.follow(own, x, r, ev)
	return nil
}

// follow delivers the messages of a stream. When an HTTP+SSE stream ends, so does the connection.
func (h *HTTP) follow(ctx context.Context, x *exchange, r *reply, ev *eventReader) {
	err := x.readEvents(ctx, ev, answerOf(r), "")
	r.Body.Close()
	var flood *FloodError
	switch {
	case errors.As(err, &flood):
		h.endConn(flood)
	case h.SSE() && err != nil:
		h.endConn(&EndError{How: "ended its event stream (" + h.describeError(err) + ")"})
	case h.SSE():
		h.endConn(&EndError{How: "ended its event stream"})
	}
	h.removeExchange(x, nil)
}

// SSE reports whether the server is known to speak HTTP+SSE of 2024-11-05.
func (h *HTTP) SSE() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sse
}

// takeEndpoint reads the endpoint event of HTTP+SSE.
func (h *HTTP) takeEndpoint(r *reply, ev *eventReader) error {
	e, err := ev.nextEvent()
	switch {
	case err != nil:
		return fmt.Errorf("the event stream ended without naming an endpoint: %s", h.describeError(err))
	case e.name != "endpoint":
		return fmt.Errorf("the first event of the stream is of the type %q and not an endpoint", excerpt.Clip(e.name, 40))
	}
	target, err := r.Request.URL.Parse(e.data)
	switch {
	case err != nil:
		return errors.New("the endpoint that the stream names is no URL")
	case !sameOrigin(r.Request.URL, target):
		return &foreignEndpointError{redactURL(target)}
	}
	target.User, target.Fragment = nil, ""
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target, h.sse, h.stream = target, true, true
	return nil
}

// A foreignEndpointError says that an HTTP+SSE server names an endpoint of another origin, to which the user's credentials must not
// go.
type foreignEndpointError struct{ place string }

func (e *foreignEndpointError) Error() string {
	return "the stream names an endpoint on another origin, " + e.place + ", which was not used"
}

// ended returns nil for the orderly end of a stream.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
