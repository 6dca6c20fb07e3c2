package mcpserver

import (
	"context"
	"net/http"
	"time"

	"gauntlet/internal/runtime/wire"
)

// queued bounds the messages that wait for a stream.
const queued = 64

// serveSSE opens a session of HTTP+SSE (2024-11-05): answers are sent on this stream, and the client posts to the endpoint named by
// the first event.
func (x *exchange) serveSSE() {
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	x.http = x.server.newHTTPSession(true)
	x.server.tapIn(x.sessionOrNil(), incoming{}, x)
	x.sessions.addWithNewID(x.http)
	defer x.sessions.endSession(x.http.id)
	x.clearReadDeadline()
	x.beginStream()
	if x.writeEvent("endpoint", pathMessages+"?sessionId="+x.http.id) == nil {
		x.streamQueue(x.http.queue)
	}
}

// serveSSEMessage receives a message of HTTP+SSE. Its answer goes to the stream; invalid input is refused only here.
func (x *exchange) serveSSEMessage() {
	if x.http == nil {
		x.refuse(http.StatusNotFound, "session not found")
		return
	}
	text, ok := x.readBody()
	if !ok {
		return
	}
	m := wire.Decode(text)
	h := x.server.receive(context.WithoutCancel(x.r.Context()), x.sessionOrNil(), readIncoming(m, nil), x)
	if m.Kind == wire.Invalid {
		x.writeReply(h, refuseInvalid(m))
		return
	}
	c := &sseResponder{session: x.http, endpoint: x.endpoint, heard: h}
	if h.mayTakeTime() {
		x.writeAccepted()
		ctx := context.WithoutCancel(x.r.Context())
		x.calls.Go(func() { // ends with the call, which ends with the session
			x.server.runRequest(ctx, x.sessionOrNil(), h.ID, c, func(ctx context.Context, run *runningRequest) reply {
				return x.server.answerLegacyOnly(ctx, x.sessionOrNil(), h, run)
			})
		})
		return
	}
	out := x.server.answerLegacyOnly(x.r.Context(), x.sessionOrNil(), h, nil)
	// 202 first, then the answer: a client that has its answer may not wait for the POST's response.
	x.writeAccepted()
	c.sendAnswer(out)
}

func (x *exchange) writeAccepted() {
	x.w.Header().Set("Content-Length", "0")
	x.w.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(x.w).Flush()
}

// An sseResponder answers a request on its session's HTTP+SSE stream.
type sseResponder struct {
	session  *httpSession
	endpoint *endpoint
	heard    incoming
}

func (l *sseResponder) sendBefore(ctx context.Context, line string) error {
	select {
	case l.session.queue <- line:
		return nil
	case <-l.session.ended:
		return ErrSessionEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *sseResponder) letOthersPass() {}

func (l *sseResponder) setRunning(*runningRequest) {}

// sendAnswer queues the answer for the stream. It ends the session of a client that has not read its stream for too long.
func (l *sseResponder) sendAnswer(out reply) {
	l.session.session.order.Lock()
	defer l.session.session.order.Unlock()
	defer l.heard.afterAnswer()
	if out.body == "" {
		return
	}
	select {
	case l.session.queue <- out.body:
	case <-l.session.ended:
	case <-time.After(l.endpoint.server.opt.HTTP.Write):
		l.endpoint.sessions.endSession(l.session.id) // nobody reads the stream
	}
}
