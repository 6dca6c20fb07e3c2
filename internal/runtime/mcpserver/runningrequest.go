package mcpserver

import (
	"context"
	"gauntlet/internal/leaf/mcp"
	"sync"

	"gauntlet/internal/runtime/wire"
)

// A responder delivers what precedes a request's answer, then the answer.
type responder interface {
	// send takes a message that belongs to the request and comes before its answer. It
	// waits until there is room, and fails with ErrUnheard once the request is answered.
	sendBefore(ctx context.Context, line string) error
	// say takes the answer, which is none where the request was cancelled. Only the first
	// counts.
	sendAnswer(reply)
	// free lets requests behind this one be answered before it.
	letOthersPass()
	// owner says who answers the request, and is to be cancelled when its client has gone.
	setRunning(*runningRequest)
}

// A runningRequest is one whose answer takes time. Its responder changes where the request
// has to be sent again before it is answered.
type runningRequest struct {
	server  *Server
	session *Session
	cancel  context.CancelCauseFunc
	asking  sync.Mutex // one question at a time
	rounds  int        // how often it was suspended; guarded by asking

	mu        sync.Mutex
	responder responder // nil while it is suspended, and when it has handed over to another
	id        string    // of the request that the responder brings the answer for
	silent    bool      // cancelled by its client: there is no answer
}

// runRequest answers a request whose answer takes time, and returns when it is answered. The
// context of the call ends with ctx, with the conversation, and when the client cancels.
func (s *Server) runRequest(ctx context.Context, t *Session, id string, c responder, answer func(context.Context, *runningRequest) reply) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &runningRequest{server: s, session: t, cancel: cancel, responder: c, id: id}
	if !t.addRunning(r) {
		c.sendAnswer(failReply(id, 0, &Error{Code: mcp.CodeInternalError, Message: "Internal error: too many requests at a time"}))
		return
	}
	c.setRunning(r)
	out := answer(ctx, r)
	t.removeRunning(r)
	r.sendAnswer(out)
}

// addRunning notes that a request is under way, unless there are too many.
func (t *Session) addRunning(r *runningRequest) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.running) >= max(t.most, 1) {
		return false
	}
	if t.running == nil {
		t.running = map[*runningRequest]struct{}{}
	}
	t.running[r] = struct{}{}
	return true
}

func (t *Session) removeRunning(r *runningRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, r)
}

// sendAnswer brings the answer, and none if the request was cancelled.
func (r *runningRequest) sendAnswer(out reply) {
	c, silent := r.detachResponder()
	if c == nil {
		return
	}
	if silent {
		out = reply{}
	}
	c.sendAnswer(out)
}

// detachResponder takes the responder away.
func (r *runningRequest) detachResponder() (c responder, silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, r.responder = r.responder, nil
	return c, r.silent
}

// cancelIfID marks the request as cancelled if it has this id.
func (r *runningRequest) cancelIfID(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id != id || r.responder == nil {
		return false
	}
	r.silent = true
	return true
}

// cancelIfResponder cancels the request if this is still its responder: its client has left.
func (r *runningRequest) cancelIfResponder(c responder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.responder == c {
		r.cancel(ErrSessionEnded)
	}
}

// answeredID returns the id of the request that is to be answered.
func (r *runningRequest) answeredID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// sendBefore sends what belongs to the request.
func (r *runningRequest) sendBefore(ctx context.Context, line string) error {
	r.mu.Lock()
	c := r.responder
	r.mu.Unlock()
	if c == nil {
		return ErrNoChannel
	}
	return c.sendBefore(ctx, line)
}

func (r *runningRequest) notifyClient(ctx context.Context, method, params string) error {
	params, err := compactParams(params)
	if err != nil {
		return err
	}
	return r.sendBefore(ctx, encodeNotification(method, params))
}

// askClient asks the client, in the way of the legacy era.
func (r *runningRequest) askClient(ctx context.Context, method, params string, heard func(wire.Message)) (wire.Message, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	r.mu.Lock()
	c := r.responder
	r.mu.Unlock()
	if c != nil {
		c.letOthersPass()
	}
	return r.session.askAndWait(ctx, method, params, heard, r.sendBefore)
}
