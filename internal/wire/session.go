package wire

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"
)

const (
	// maxResumes is how often the answer to one request is fetched on another stream.
	maxResumes = 10
	// firstRetry is the wait before it where the server names none; longestRetry bounds
	// what it names.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// takeSession keeps the session that the answer to initialize names. The note says what
// is wrong with the session of an answer, "" for nothing.
func (h *HTTP) takeSession(x *exchange, meta *HTTPAnswer) (note string) {
	id := meta.Header.Get("Mcp-Session-Id")
	if id == "" || x.version != "" {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case x.method == "initialize" && !visible(id):
		return "the Mcp-Session-Id is not visible ASCII or too long; it was not taken"
	case x.method == "initialize":
		h.session = id
	case id != h.session:
		return "the answer names another Mcp-Session-Id than that of initialize; clients differ in what they do then"
	}
	return ""
}

// agree keeps the version that initialize agreed on.
func (h *HTTP) agree(version string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(version) == len("2025-06-18") && visible(version) {
		h.version = version
	}
}

// mark sets the headers of a session.
func (h *HTTP) mark(header http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		header.Set("Mcp-Session-Id", h.session)
	}
	if h.version >= "2025-06-18" && !h.sse { // the first revision with this header
		header.Set("Mcp-Protocol-Version", h.version)
	}
}

// events takes the messages of the event stream that answers a POST. A stream that its
// server ends before the answer is taken up again, if the server gave its events ids.
func (x *exchange) events(ctx context.Context, r *reply, meta *HTTPAnswer, note string) error {
	body := r.Body
	for resumes := 0; ; resumes++ {
		ev := newEvents(x.h.metered(body), x.h.limits.Message)
		err := x.drain(ctx, ev, meta, note)
		body.Close()
		var flood *FloodError
		var tooLong *LineTooLongError
		switch {
		case errors.As(err, &flood):
			return flood
		case x.isAnswered():
			return nil
		case ctx.Err() != nil:
			return x.fail(meta, context.Cause(ctx))
		case errors.As(err, &tooLong):
			return x.fail(meta, err)
		case !printable(ev.lastID) || ev.lastID == "" || x.version != "" || resumes == maxResumes:
			if err != nil {
				return x.fail(meta, fmt.Errorf("the event stream broke off: %s", x.h.reason(err)))
			}
			return x.failf(meta, "the event stream (%s) ended without it", meta)
		}
		next, err := x.h.resume(ctx, ev.lastID, ev.retry)
		if err != nil {
			return x.fail(meta, fmt.Errorf("the event stream ended without it and could not be taken up again: %w", err))
		}
		body, meta = next.Body, answerOf(next)
	}
}

// drain hands on the messages of a stream to its end.
func (x *exchange) drain(ctx context.Context, ev *events, meta *HTTPAnswer, note string) error {
	for {
		e, err := ev.next()
		if err != nil {
			x.h.showTooLong(err, meta)
			return ended(err)
		}
		if err := x.deliver(ctx, e.message(meta), note); err != nil {
			return err
		}
	}
}

// message reads the event's data. Other names than that of messages are ignored by
// clients, and are noise here.
func (e *event) message(meta *HTTPAnswer) Message {
	m := Message{Raw: e.data, Note: fmt.Sprintf("an event of the type %q", clip(e.name, 40))}
	if e.name == "" || e.name == "message" {
		m = Decode(e.data)
	}
	m.HTTP = meta
	return m
}

// resume asks for the rest of a stream behind its latest event.
func (h *HTTP) resume(ctx context.Context, lastID string, wait time.Duration) (*reply, error) {
	if wait == 0 {
		wait = firstRetry
	}
	timer := time.NewTimer(min(wait, longestRetry))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	header := http.Header{"Last-Event-Id": {lastID}}
	return h.get(ctx, header)
}

// get opens an event stream.
func (h *HTTP) get(ctx context.Context, extra http.Header) (*reply, error) {
	header := h.header.Clone()
	h.mark(header)
	for name, values := range extra {
		header[name] = values
	}
	header.Set("Accept", "text/event-stream")
	h.mu.Lock()
	target := h.target
	h.mu.Unlock()
	r, final, err := h.ask(ctx, http.MethodGet, target, nil, header)
	if err != nil {
		return nil, err
	}
	meta := answerOf(r)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if meta.ok() && kind == "text/event-stream" {
		// What the stream names is relative to where it really is.
		if r.Request == nil {
			r.Request = &http.Request{URL: final}
		}
		return r, nil
	}
	r.Body.Close()
	if meta.ok() {
		return nil, fmt.Errorf("a GET was answered with the content type %q and not text/event-stream", clip(h.Redact(r.Header.Get("Content-Type")), 100))
	}
	return nil, fmt.Errorf("a GET was answered %s", meta)
}
