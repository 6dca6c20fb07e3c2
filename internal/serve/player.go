package serve

import (
	"context"
	"net/http"

	"gauntlet/internal/wire"
)

// A Player decides message by message what a server answers. Its methods may be called
// from several goroutines at once, for one [Talk] from one at a time.
type Player interface {
	// Hear is told every request and notification of a conversation once, in order of
	// arrival, before it is answered; not what is refused because it is no message, names
	// no conversation, or comes in a batch that is not allowed. It must not wait: nothing
	// else of the conversation is heard meanwhile. ctx does not end with the message, and may
	// be used in Said.
	Hear(ctx context.Context, t *Talk, m wire.Message) Turn
}

// A Turn is what becomes of one message.
type Turn struct {
	// State answers the message; nil for the state that the server was given.
	State *Prepared
	// Said, unless nil, runs once: when the answer is handed to the transport or, where
	// there will be none, when that is certain. What it sends comes behind the answer, and no
	// message that the client sends upon the answer is heard before it has returned.
	Said func()
}

// A heard message is one with its turn.
type heard struct {
	wire.Message
	req     *request // of a request that has one meaning
	turn    Turn
	parts   []heard // of a batch
	refused *reply  // unless nil: why a batch is not looked at
}

// open reads a message as far as it is read before its turn. header is nil but over
// Streamable HTTP.
func open(m wire.Message, header http.Header) heard {
	h := heard{Message: m}
	if m.Kind == wire.Request && m.Note == "" {
		h.req = newRequest(m, header)
	}
	return h
}

// arrive taps a message and lets the player hear it. Both are done in order of arrival. x is
// nil over stdio.
func (s *Server) arrive(ctx context.Context, t *Talk, h heard, x *exchange) heard {
	if t != nil {
		t.order.Lock()
		defer t.order.Unlock()
	}
	s.tapIn(t, h.Message, x)
	return s.hear(ctx, t, h)
}

// hear gives a message its turn. Without a conversation, which is so for what is refused
// anyhow, it has none.
func (s *Server) hear(ctx context.Context, t *Talk, h heard) heard {
	if t != nil {
		s.take(ctx, t, &h)
	}
	if h.turn.State == nil {
		h.turn.State = s.state.Load()
	}
	return h
}

func (s *Server) take(ctx context.Context, t *Talk, h *heard) {
	switch {
	case h.Kind == wire.Response || h.Kind == wire.Error:
		t.answered(h.Message)
	case h.Kind == wire.Batch:
		if h.refused = checkBatch(t, h.Message); h.refused != nil {
			return
		}
		for part := range h.Parts() {
			h.parts = append(h.parts, s.hear(ctx, t, open(part, nil)))
		}
	case h.req != nil:
		t.note(h.req)
		h.turn = s.turn(ctx, t, h.Message)
	case h.Kind == wire.Notification:
		h.turn = s.turn(ctx, t, h.Message)
		if h.Method == "notifications/cancelled" {
			for _, id := range values(h.Params, "requestId") {
				t.cancelled(id)
			}
		}
	}
}

func (s *Server) turn(ctx context.Context, t *Talk, m wire.Message) Turn {
	if s.opt.Player == nil {
		return Turn{}
	}
	return s.opt.Player.Hear(ctx, t, m)
}

// note keeps what a request says of its client.
func (t *Talk) note(r *request) {
	if version, ok := text(r.meta[metaVersion]); ok {
		t.claims(clip(version), r.meta[metaCapabilities])
	} else if r.Method == "initialize" {
		t.claims("", r.param("capabilities"))
	}
}

// said runs what is to run once the message has its answer.
func (h *heard) said() {
	if h.turn.Said != nil {
		h.turn.Said()
	}
	for i := range h.parts {
		h.parts[i].said()
	}
}

// takesTime reports whether the answer may need somebody else's.
func (h *heard) takesTime() bool {
	if h.req != nil {
		if p := h.turn.State; p != nil && p.Relay != nil && h.Method != "initialize" && h.Method != "ping" {
			return true
		}
		if isCallable(h.Method) {
			return true
		}
	}
	for i := range h.parts {
		if h.parts[i].takesTime() {
			return true
		}
	}
	return false
}
