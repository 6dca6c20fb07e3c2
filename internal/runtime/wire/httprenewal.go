package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// An opening is how a session was started, so that another can be started in the same way.
type opening struct {
	params      string // of initialize
	initialized []byte // the notification as it was sent; nil if none was
	result      string // of the latest initialize
	renewals    int
	listening   bool // the stream for unsolicited messages was opened
	onRenewal   func()
}

// A sessionEndedError says that a message was refused because its session has ended.
type sessionEndedError struct{ meta *HTTPAnswer }

func (e *sessionEndedError) Error() string { return "the server " + e.how() }

func (e *sessionEndedError) how() string { return "ended the session (" + e.meta.String() + ")" }

// saysSessionEnded reports whether a refusal says that the session is unknown: HTTP 404, as specified (2025-11-25/basic/transports,
// session management), unless the body says that the method was not found; or HTTP 400 with code -32000 and words about the
// session, as the official TypeScript SDK's examples answer.
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

// OnRenewal registers f, called whenever a session replaces one that the server ended. Call it before the first Send; f must not
// block.
func (h *HTTP) OnRenewal(f func()) { h.opening.onRenewal = f }

// Renewals returns how many ended sessions were replaced, and the result of the latest initialize.
func (h *HTTP) Renewals() (n int, result string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opening.renewals, h.opening.result
}

// noteOpening records how a session was opened, and the version agreed on.
func (h *HTTP) noteOpening(x *exchange, result string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if version := rawjson.LastText(result, "protocolVersion"); slices.Contains(mcp.Revisions(), version) {
		h.version = version
	}
	h.opening.params, h.opening.result = Decode(string(x.body)).Params, result
}

// postInSession posts the message, and once more in a new session if the server has ended the first one: it cannot have acted on
// the message.
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
		x.h.endConn(&EndError{How: fmt.Sprintf("%s, and no new one could be started: %s", ended.how(), x.h.describeError(err)), Refused: x.requestID()})
		return nil
	}
	err = x.postMessage(ctx)
	if errors.As(err, &ended) {
		// The session exists: the message itself is refused. Servers answer HTTP 404 to unknown methods.
		return x.failf(ended.meta, "the server answered %s, also in a session that it had just begun", ended.meta)
	}
	return err
}

// renewSession replaces the session numbered epoch in the way the client started it: initialize, initialized and the stream for
// unsolicited messages. Concurrent callers wait and continue in the new session.
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
	begun, err := h.postOwn(ctx, EncodeRequest(id, mcp.Initialize, was.params))
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.session = begun.session // the new server session may have no id
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
		_ = h.Listen(ctx) // without it only unsolicited messages are lost; there may have been none before
	}
	if was.onRenewal != nil {
		was.onRenewal()
	}
	return nil
}

// postOwn sends a message of our own, whose answer is not delivered. It fails unless the answer is a result.
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

// takeOwnAnswer records an error answer to our own initialize.
func (x *exchange) takeOwnAnswer(part Message) {
	switch {
	case part.Kind == Error:
		x.refusal = AnswerErrorOf(mcp.Initialize, part)
	case part.Kind == Invalid || part.Result[0] != '{':
		x.refusal = &InvalidError{mcp.Initialize, "it is not a result of initialize"}
	case rawjson.LastMember(part.Result, "protocolVersion") == "":
		x.refusal = &InvalidError{mcp.Initialize, "it names no protocolVersion"}
	}
}
