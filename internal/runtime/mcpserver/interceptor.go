package mcpserver

import (
	"context"
	"net/http"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

// An Interceptor decides for each message how a server answers. It must be safe for concurrent use; calls for one [Session] do not
// overlap.
type Interceptor interface {
	// Intercept is called once for every request and notification of a session, in order of arrival, before it is answered.
	// Messages are left out that are refused as invalid, as part of no session, or as part of a batch that is not allowed. It must
	// not block: the session's next messages wait. ctx outlives the message and may be used in AfterAnswer.
	Intercept(ctx context.Context, t *Session, m wire.Message) Decision
}

// A Decision is how one message is handled.
type Decision struct {
	// State answers the message; nil means the server's own state.
	State *Prepared
	// Ready, if not nil, is closed when the message may be answered; later messages are received meanwhile. The wait is at most two
	// seconds.
	Ready <-chan struct{}
	// Answered, if not nil, gets the answer as it is sent, before AfterAnswer runs.
	Answered func(answer string)
	// AfterAnswer, if not nil, runs once: when the answer is handed to the transport, or when it is certain that there will be
	// none. What it sends follows the answer, and the client's reaction to the answer is not processed before it returns.
	AfterAnswer func()
}

// An incoming is a message and the decision on it.
type incoming struct {
	wire.Message
	req      *request // of an unambiguous request
	decision Decision
	parts    []incoming // of a batch
	refused  *reply     // why a batch is refused as a whole; nil if it is not
	early    bool       // see Tapped.Early
}

// readIncoming parses a message as far as a decision needs. header is nil except over Streamable HTTP.
func readIncoming(m wire.Message, header http.Header) incoming {
	h := incoming{Message: m}
	if m.Kind == wire.Request && m.Note == "" {
		h.req = newRequest(m, header)
	}
	return h
}

// receive taps a message and passes it to the interceptor, both in order of arrival. x is nil over stdio.
func (s *Server) receive(ctx context.Context, t *Session, h incoming, x *exchange) incoming {
	if t != nil {
		t.order.Lock()
		defer t.order.Unlock()
	}
	s.tapIn(t, h, x)
	return s.decideIncoming(ctx, t, h)
}

// decideIncoming obtains the decision on a message. Without a session, where the message is refused anyway, there is none.
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

// noteClaims records what a request says about its client.
func (t *Session) noteClaims(r *request) {
	if version, ok := decodeString(r.meta[mcp.MetaProtocolVersion]); ok {
		t.rememberClaims(excerpt.Clip(version, mostQuoted), r.meta[mcp.MetaClientCapabilities])
	} else if r.Method == mcp.Initialize {
		t.rememberClaims("", r.rawParam("capabilities"))
	}
}

const readyGrace = 2 * time.Second

// awaitReady waits until the message may be answered.
func (h *incoming) awaitReady(ctx context.Context) {
	if h.isReady() {
		return
	}
	select {
	case <-h.decision.Ready:
	case <-time.After(readyGrace):
	case <-ctx.Done():
	}
}

func (h *incoming) isReady() bool {
	return h.decision.Ready == nil || wire.IsClosed(h.decision.Ready)
}

func (h *incoming) afterAnswer() {
	if h.decision.AfterAnswer != nil {
		h.decision.AfterAnswer()
	}
	for i := range h.parts {
		h.parts[i].afterAnswer()
	}
}

// mayTakeTime reports whether answering may involve another party.
func (h *incoming) mayTakeTime() bool {
	if !h.isReady() {
		return true
	}
	if h.req != nil {
		if p := h.decision.State; p != nil && p.Relay != nil && h.Method != mcp.Initialize && h.Method != mcp.Ping {
			return true
		}
		if mcp.CallIndex(h.Method) >= 0 {
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
