package serve

import (
	"context"
	"net/http"
	"time"

	"gauntlet/internal/wire"
)

// queued is how many messages wait for a stream of a session.
const queued = 64

// sse opens a conversation of HTTP+SSE (2024-11-05): answers come on this stream, and
// what the client has to say goes where the first event tells.
func (x *exchange) sse() {
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	x.session = x.server.newSession(true)
	x.server.tapIn(x.talk(), wire.Message{}, x)
	x.sessions.add(x.session)
	defer x.sessions.end(x.session.id)
	x.unlimited()
	x.begin()
	if x.raw("endpoint", pathMessages+"?sessionId="+x.session.id) == nil {
		x.hold(x.session.queue)
	}
}

// message takes a message of HTTP+SSE. Its answer goes to the stream; what is no message
// at all is refused here, and not there too.
func (x *exchange) message() {
	if x.session == nil {
		x.refuse(http.StatusNotFound, "session not found")
		return
	}
	text, ok := x.body()
	if !ok {
		return
	}
	m := wire.Decode(text)
	h := x.server.arrive(context.WithoutCancel(x.r.Context()), x.talk(), open(m, nil), x)
	if m.Kind == wire.Invalid {
		x.write(h, refuse(m))
		return
	}
	c := &letter{session: x.session, endpoint: x.endpoint, heard: h}
	if h.takesTime() {
		x.accepted()
		ctx := context.WithoutCancel(x.r.Context())
		x.calls.Go(func() { // ends with the call, which ends with the conversation
			x.server.answerWith(ctx, x.talk(), h.ID, c, func(ctx context.Context, run *running) reply {
				return x.server.eraless(ctx, x.talk(), h, run)
			})
		})
		return
	}
	out := x.server.eraless(x.r.Context(), x.talk(), h, nil)
	// First this, then the answer: a client that has its answer may not wait for the rest
	// of what it asked.
	x.accepted()
	c.say(out)
}

func (x *exchange) accepted() {
	x.w.Header().Set("Content-Length", "0")
	x.w.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(x.w).Flush()
}

// A letter is the carrier of a request over HTTP+SSE.
type letter struct {
	session  *session
	endpoint *endpoint
	heard    heard
}

func (l *letter) send(ctx context.Context, line string) error {
	select {
	case l.session.queue <- line:
		return nil
	case <-l.session.ended:
		return ErrOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *letter) free() {}

func (l *letter) owner(*running) {}

// say puts the answer on the stream. A client that does not read its stream for too long
// has no conversation any more.
func (l *letter) say(out reply) {
	l.session.talk.order.Lock()
	defer l.session.talk.order.Unlock()
	defer l.heard.said()
	if out.body == "" {
		return
	}
	timer := time.NewTimer(l.endpoint.server.opt.HTTP.Write)
	defer timer.Stop()
	select {
	case l.session.queue <- out.body:
	case <-l.session.ended:
	case <-timer.C:
		l.endpoint.sessions.end(l.session.id) // nobody reads the stream
	}
}
