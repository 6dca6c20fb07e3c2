package mcpserver

import (
	"context"
	"net/http"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

// An Interceptor decides message by message what a server answers. Its methods may be called
// from several goroutines at once, for one [Session] from one at a time.
type Interceptor interface {
	// Hear is told every request and notification of a conversation once, in order of
	// arrival, before it is answered; not what is refused because it is no message, names
	// no conversation, or comes in a batch that is not allowed. It must not wait: nothing
	// else of the conversation is heard meanwhile. ctx does not end with the message, and may
	// be used in Said.
	Intercept(ctx context.Context, t *Session, m wire.Message) Decision
}

// A Decision is what becomes of one message.
type Decision struct {
	// State answers the message; nil for the state that the server was given.
	State *Prepared
	// Ready, unless nil, is closed when the message may be answered; what comes behind it is heard
	// meanwhile. It is not waited for longer than two seconds.
	Ready <-chan struct{}
	// Answered, unless nil, is given the answer as it goes out, before AfterAnswer runs.
	Answered func(answer string)
	// Said, unless nil, runs once: when the answer is handed to the transport or, where
	// there will be none, when that is certain. What it sends comes behind the answer, and no
	// message that the client sends upon the answer is heard before it has returned.
	AfterAnswer func()
}

// An incoming is a message with the decision on it.
type incoming struct {
	wire.Message
	req      *request // of a request that has one meaning
	decision Decision
	parts    []incoming // of a batch
	refused  *reply     // unless nil: why a batch is not looked at
}

// readIncoming reads a message as far as it is read before it is decided on. header is nil but over
// Streamable HTTP.
func readIncoming(m wire.Message, header http.Header) incoming {
	h := incoming{Message: m}
	if m.Kind == wire.Request && m.Note == "" {
		h.req = newRequest(m, header)
	}
	return h
}

// receive taps a message and shows it to the interceptor. Both are done in order of arrival. x is
// nil over stdio.
func (s *Server) receive(ctx context.Context, t *Session, h incoming, x *exchange) incoming {
	if t != nil {
		t.order.Lock()
		defer t.order.Unlock()
	}
	s.tapIn(t, h.Message, x)
	return s.decideIncoming(ctx, t, h)
}

// decideIncoming decides on a message. Without a conversation, which is so for what is refused
// anyhow, it has none.
func (s *Server) decideIncoming(ctx context.Context, t *Session, h incoming) incoming {
	if t != nil {
		s.dispatchIncoming(ctx, t, &h)
	}
	if h.decision.State == nil {
		h.decision.State = s.state.Load()
	}
	return h
}

func (s *Server) dispatchIncoming(ctx context.Context, t *Session, h *incoming) {
	switch {
	case h.Kind == wire.Response || h.Kind == wire.Error:
		t.deliverAnswer(h.Message)
	case h.Kind == wire.Batch:
		if h.refused = checkBatch(t, h.Message); h.refused != nil {
			return
		}
		for part := range h.Parts() {
			h.parts = append(h.parts, s.decideIncoming(ctx, t, readIncoming(part, nil)))
		}
	case h.req != nil:
		t.noteClaims(h.req)
		h.decision = s.intercept(ctx, t, h.Message)
	case h.Kind == wire.Notification:
		h.decision = s.intercept(ctx, t, h.Message)
		if h.Method == mcp.NotifyCancelled {
			for _, id := range memberValues(h.Params, "requestId") {
				t.cancelRequest(id)
			}
		}
	}
}

func (s *Server) intercept(ctx context.Context, t *Session, m wire.Message) Decision {
	if s.opt.Interceptor == nil {
		return Decision{}
	}
	return s.opt.Interceptor.Intercept(ctx, t, m)
}

// noteClaims keeps what a request says of its client.
func (t *Session) noteClaims(r *request) {
	if version, ok := decodeString(r.meta[mcp.MetaProtocolVersion]); ok {
		t.rememberClaims(excerpt.Clip(version, mostQuoted), r.meta[mcp.MetaClientCapabilities])
	} else if r.Method == mcp.Initialize {
		t.rememberClaims("", r.rawParam("capabilities"))
	}
}

// readyGrace is how long an answer waits for [Decision.Ready].
const readyGrace = 2 * time.Second

// awaitReady waits until the message may be answered.
func (h *incoming) awaitReady(ctx context.Context) {
	if h.isReady() {
		return
	}
	timer := time.NewTimer(readyGrace)
	defer timer.Stop()
	select {
	case <-h.decision.Ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (h *incoming) isReady() bool {
	if h.decision.Ready == nil {
		return true
	}
	select {
	case <-h.decision.Ready:
		return true
	default:
		return false
	}
}

// answeredWith tells who wants to know what the message is answered with.
func (h *incoming) answeredWith(body string) {
	if h.decision.Answered != nil && body != "" {
		h.decision.Answered(body)
	}
}

// afterAnswer runs what is to run once the message has its answer.
func (h *incoming) afterAnswer() {
	if h.decision.AfterAnswer != nil {
		h.decision.AfterAnswer()
	}
	for i := range h.parts {
		h.parts[i].afterAnswer()
	}
}

// mayTakeTime reports whether the answer may need somebody else's.
func (h *incoming) mayTakeTime() bool {
	if !h.isReady() {
		return true
	}
	if h.req != nil {
		if p := h.decision.State; p != nil && p.Relay != nil && h.Method != mcp.Initialize && h.Method != mcp.Ping {
			return true
		}
		if isCallable(h.Method) {
			return true
		}
	}
	for i := range h.parts {
		if h.parts[i].mayTakeTime() {
			return true
		}
	}
	return false
}
