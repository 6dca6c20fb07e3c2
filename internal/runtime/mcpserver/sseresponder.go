package mcpserver

import (
	"context"
	"time"
)

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
