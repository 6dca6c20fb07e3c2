package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// An opening is how a session was begun, so that another can be begun in the same way.
type opening struct {
	params      string // of initialize
	initialized []byte // the notification as it was sent; nil if none was
	result      string // of the latest initialize
	renewals    int
	listening   bool // the stream for what comes unasked was opened
	onRenewal   func()
}

// A sessionEndedError says that a message was refused since its session has ended.
type sessionEndedError struct{ meta *HTTPAnswer }

func (e *sessionEndedError) Error() string { return "the server " + e.how() }

func (e *sessionEndedError) how() string { return "ended the session (" + e.meta.String() + ")" }

// saysSessionEnded reports whether a refusal says that the session is not known: HTTP 404, as
// the specification has it (2025-11-25/basic/transports, session management) unless the body
// says that it is the method which is not found, or what the examples of the official
// TypeScript SDK answer instead: HTTP 400 with the code -32000 and words about the session.
func saysSessionEnded(meta *HTTPAnswer, m Message) bool {
	if m.Kind != Error {
		return meta.Status == 404
	}
	e := AnswerErrorOf("", m)
	if meta.Status == 404 {
		return e.Code != mcp.CodeMethodNotFound
	}
	return meta.Status == 400 && e.Code == mcp.CodeBadSession && strings.Contains(strings.ToLower(excerpt.Clip(e.Message, 200)), "session")
}

// OnRenewal has f called whenever a session was begun in place of one that the server ended.
// It is called before the first Send, if at all; f must not wait.
func (h *HTTP) OnRenewal(f func()) { h.opening.onRenewal = f }

// Renewals returns how many sessions were begun in place of one that the server ended, and
// the result of the latest initialize.
func (h *HTTP) Renewals() (n int, result string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opening.renewals, h.opening.result
}

// noteOpening keeps how the session began.
func (h *HTTP) noteOpening(x *exchange, result string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening.params, h.opening.result = Decode(string(x.body)).Params, result
}

// postInSession posts the message, for a second time in a new session if the server has
// ended the one that it was sent in: it cannot have acted upon it.
func (x *exchange) postInSession(ctx context.Context) error {
	if x.method == mcp.NotifyInitialized {
		x.h.mu.Lock()
		x.h.opening.initialized = x.body
		x.h.mu.Unlock()
	}
	err := x.postMessage(ctx)
	var ended *sessionEndedError
	if !errors.As(err, &ended) {
		return err
	}
	if err := x.h.renewSession(ctx, x.epoch); err != nil {
		if ctx.Err() != nil {
			return x.failWith(ended.meta, context.Cause(ctx))
		}
		x.h.endConn(&EndError{How: fmt.Sprintf("%s, and no other could be begun: %s", ended.how(), x.h.describeError(err)), Refused: x.requestID()})
		return nil
	}
	err = x.postMessage(ctx)
	if errors.As(err, &ended) {
		// The session is there: it is this message that is refused. Servers answer HTTP 404 to
		// methods that they do not have.
		return x.failf(ended.meta, "the server answered %s, also in a session that it had just begun", ended.meta)
	}
	return err
}

// renewSession begins a session in place of the one that epoch others came before, as the
// client did: initialize, initialized, and the stream for what comes unasked. Who else finds
// that the session has ended waits for that and goes on in the new one.
func (h *HTTP) renewSession(ctx context.Context, epoch int) error {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	h.mu.Lock()
	was, version := h.opening, h.version
	h.mu.Unlock()
	if was.renewals != epoch {
		return nil
	}
	id := fmt.Sprintf(`"gauntlet-session-%d"`, was.renewals+2)
	begun, err := h.postOwn(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, mcp.Initialize, was.params))
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.session = begun.session // which may be none this time
	agreed := h.version
	h.opening.renewals++
	h.mu.Unlock()
	if agreed != version {
		return fmt.Errorf("the server agreed on protocol version %q before and on %q now", version, excerpt.Clip(agreed, 40))
	}
	if was.initialized != nil {
		if _, err := h.postOwn(ctx, string(was.initialized)); err != nil {
			return err
		}
	}
	if was.listening {
		_ = h.Listen(ctx) // without it nothing comes unasked; it may not have before either
	}
	if was.onRenewal != nil {
		was.onRenewal()
	}
	return nil
}

// postOwn sends a message of our own, whose answer nobody receives. The error is its outcome if
// that was no result.
func (h *HTTP) postOwn(ctx context.Context, text string) (x *exchange, err error) {
	x = h.newExchange([]byte(text))
	x.renewal = true
	own, cancel := context.WithCancelCause(ctx)
	x.cancel = cancel
	defer cancel(nil)
	if err := x.postMessage(own); err != nil {
		return x, err
	}
	return x, x.refusal
}

// takeOwnAnswer keeps what came of an initialize of our own if it was not a result.
func (x *exchange) takeOwnAnswer(part Message) {
	switch {
	case part.Kind == Error:
		x.refusal = AnswerErrorOf(mcp.Initialize, part)
	case part.Kind == Invalid || part.Result[0] != '{':
		x.refusal = &InvalidError{mcp.Initialize, "it is no result of initialize"}
	case rawjson.LastMember(part.Result, "protocolVersion") == "":
		x.refusal = &InvalidError{mcp.Initialize, "it names no protocolVersion"}
	}
}
