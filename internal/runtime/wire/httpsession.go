package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

const (
	// maxResumes is how often the stream of one answer is resumed.
	maxResumes = 10
	// firstRetry is the wait before that if the server names none; longestRetry bounds what it names.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// takeSession records the session id in the response to initialize. The note says what is wrong with a response's session id, or is
// "".
func (h *HTTP) takeSession(x *exchange, meta *HTTPAnswer) (note string) {
	id := meta.Header.Get(mcp.HeaderSessionID)
	if id == "" || x.version != "" {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case x.method == mcp.Initialize && !visible(id):
		return "the Mcp-Session-Id is not visible ASCII or too long; it was not taken"
	case x.method == mcp.Initialize:
		h.session, x.session = id, id
	case id != h.session:
		return "the answer's Mcp-Session-Id differs from initialize's; clients differ in how they react"
	}
	return ""
}

func (h *HTTP) setSessionHeaders(header http.Header) (session string, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		header.Set(mcp.HeaderSessionID, h.session)
	}
	if mcp.VersionHeader.In(h.version) && !h.sse {
		header.Set(mcp.HeaderProtocolVersion, h.version)
	}
	return h.session, h.opening.renewals
}

// readEventStream reads the event stream that answers a POST. If the server ends it before the answer, it is resumed, provided that
// its events have ids.
func (x *exchange) readEventStream(ctx context.Context, r *reply, meta *HTTPAnswer, note string) error {
	body := r.Body
	lastID, retry := "", time.Duration(0)
	for resumes := 0; ; resumes++ {
		ev := newEvents(x.h.metered(body), x.h.limits.Message)
		ev.unfinished = &x.h.begun
		ev.lastID, ev.retry = lastID, retry // a stream that breaks off before its first event resumes after the same one
		err := x.readEvents(ctx, ev, meta, note)
		body.Close()
		var flood *FloodError
		var tooLong *LineTooLongError
		switch {
		case errors.As(err, &flood):
			return flood
		case x.isAnswered():
			return nil
		case ctx.Err() != nil:
			return x.failWith(meta, context.Cause(ctx))
		case errors.As(err, &tooLong):
			return x.failWith(meta, err)
		case !printable(ev.lastID) || ev.lastID == "" || x.version != "" || resumes == maxResumes:
			if err != nil {
				return x.failWith(meta, fmt.Errorf("the event stream broke off: %s", x.h.describeError(err)))
			}
			return x.failEmpty(meta, "the event stream (%s) ended without it")
		}
		lastID, retry = ev.lastID, ev.retry
		next, err := x.h.resume(ctx, lastID, retry)
		if err != nil {
			return x.failWith(meta, fmt.Errorf("the event stream ended without it and could not be resumed: %w", err))
		}
		body, meta = next.Body, answerOf(next)
	}
}

// readEvents delivers the messages of a stream to its end.
func (x *exchange) readEvents(ctx context.Context, ev *eventReader, meta *HTTPAnswer, note string) error {
	for {
		e, err := ev.nextEvent()
		if err != nil {
			x.h.showTooLong(err, meta)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := x.deliver(ctx, e.toMessage(meta), note); err != nil {
			return err
		}
	}
}

// toMessage reads the event's data. Clients ignore events with other names; they count as noise here.
func (e *event) toMessage(meta *HTTPAnswer) Message {
	m := Message{Raw: e.data, Note: fmt.Sprintf("an event of the type %q", excerpt.Clip(e.name, 40))}
	if e.name == "" || e.name == "message" {
		m = Decode(e.data)
	}
	m.HTTP = meta
	return m
}

// resume requests the rest of a stream after its latest event.
func (h *HTTP) resume(ctx context.Context, lastID string, wait time.Duration) (*reply, error) {
	wait = cmp.Or(wait, firstRetry)
	select {
	case <-time.After(min(wait, longestRetry)):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	header := http.Header{mcp.HeaderLastEventID: {lastID}}
	return h.openGetStream(ctx, header)
}

func (h *HTTP) openGetStream(ctx context.Context, extra http.Header) (*reply, error) {
	header := h.header.Clone()
	h.setSessionHeaders(header)
	for name, values := range extra {
		header[name] = values
	}
	header.Set("Accept", "text/event-stream")
	h.mu.Lock()
	target := h.target
	h.mu.Unlock()
	r, final, err := h.roundTrip(ctx, http.MethodGet, target, nil, header)
	if err != nil {
		return nil, err
	}
	meta := answerOf(r)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if meta.ok() && kind == "text/event-stream" {
		// URLs in the stream are relative to its final location.
		if r.Request == nil {
			r.Request = &http.Request{URL: final}
		}
		return r, nil
	}
	r.Body.Close()
	if meta.ok() {
		return nil, fmt.Errorf("a GET was answered with the content type %q and not text/event-stream", excerpt.Clip(h.Redact(r.Header.Get("Content-Type")), 100))
	}
	return nil, fmt.Errorf("a GET was answered %s", meta)
}
