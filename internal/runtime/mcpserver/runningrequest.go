package mcpserver

import (
	"context"
	"sync"

	"gauntlet/internal/leaf/mcp"

	"gauntlet/internal/runtime/wire"
)

// A responder delivers what precedes a request's answer, then the answer.
type responder interface {
	// sendBefore sends a message that belongs to the request and precedes its answer. It waits for room, and fails with
	// ErrNoChannel once the request is answered.
	sendBefore(ctx context.Context, line string) error
	// sendAnswer sends the answer, which is empty if the request was cancelled. Only the first call counts.
	sendAnswer(reply)
	// letOthersPass allows later requests to be answered before this one.
	letOthersPass()
	// setRunning names the running request, which is cancelled if its client leaves.
	setRunning(*runningRequest)
}

// A runningRequest is a request whose answer takes time. Its responder changes if the client must send the request again.
type runningRequest struct {
	server  *Server
	session *Session
	cancel  context.CancelCauseFunc
	asking  sync.Mutex // one question at a time
	rounds  int        // number of suspensions; guarded by asking

	mu        sync.Mutex
	responder responder // nil while suspended, or after passing it to another request
	id        string    // of the request that the responder answers
	silent    bool      // cancelled by its client: no answer is sent
}

// runRequest answers a request whose answer takes time, and returns once it is answered. The call's context ends with ctx, with the
// session, or when the client cancels.
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
	t.mu.Lock()
	delete(t.running, r)
	t.mu.Unlock()
	r.sendAnswer(out)
}

// addRunning registers a request in progress, unless there are too many.
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

// sendAnswer sends the answer, or none if the request was cancelled.
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

// cancelIfResponder cancels the request if c is still its responder: its client has left.
func (r *runningRequest) cancelIfResponder(c responder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.responder == c {
		r.cancel(ErrSessionEnded)
	}
}

func (r *runningRequest) answeredID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

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
	return r.sendBefore(ctx, wire.EncodeRequest("", method, params))
}

// askClient sends the client a request, as in the handshake era.
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
