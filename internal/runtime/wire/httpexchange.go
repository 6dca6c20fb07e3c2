package wire

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

const (
	// linger is how long an event stream may continue after its answer, so that the connection can be reused and later messages are
	// seen.
	linger = 200 * time.Millisecond
	// refusal and refusalBytes bound how long and how much of an error response's body is read.
	refusal      = time.Second
	refusalBytes = 64 << 10
)

var errGrace = errors.New("the server did not take it in time")

// exchange is one of our messages and its response.
type exchange struct {
	h       *HTTP
	body    []byte
	kind    Kind
	id      string
	method  string
	name    string // for Mcp-Name
	args    string // of tools/call, raw
	version string // of the request's _meta, "" in revisions with a handshake
	session string // session it was sent in, or began (initialize); "" for none
	epoch   int    // number of sessions before that one
	renewal bool   // it is our own renewal request, whose answer is not delivered
	refusal error  // the error answer to such a request

	cancel context.CancelCauseFunc
	done   <-chan struct{} // closed when the request's time is over; nil if it has no limit
	gaveUp chan struct{}   // closed when nobody waits any more

	mu       sync.Mutex
	answered bool
	ended    bool // gaveUp is closed
}

// newExchange reads from msg what its headers need.
func (h *HTTP) newExchange(msg []byte) *exchange {
	m := Decode(string(msg))
	x := &exchange{h: h, body: []byte(m.Raw), kind: m.Kind, id: m.ID, method: m.Method, gaveUp: make(chan struct{})}
	if m.Params == "" || m.Params[0] != '{' {
		return x
	}
	if meta := rawjson.LastMember(m.Params, "_meta"); meta != "" && meta[0] == '{' {
		x.version = rawjson.LastText(meta, mcp.MetaProtocolVersion)
	}
	if param := mcp.SubjectParam(m.Method); param != "" {
		x.name = rawjson.LastText(m.Params, param)
		x.args = rawjson.LastMember(m.Params, "arguments")
	}
	return x
}

// giveUp cancels x unless its answer has arrived.
func (x *exchange) giveUp(cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || x.ended {
		return
	}
	x.ended = true
	close(x.gaveUp)
	if x.h.SSE() && !errors.Is(cause, context.DeadlineExceeded) {
		// The answer arrived on the stream while its POST was still in flight. Cancelling the POST would close its connection, and
		// fail the next request sent on it.
		time.AfterFunc(linger, func() { x.cancel(cause) })
		return
	}
	x.cancel(cause)
}

// runExchange sends the message and delivers the response. An error is the request's outcome.
func (x *exchange) runExchange(ctx context.Context) error {
	h := x.h
	h.mu.Lock()
	open := h.sse && !h.stream
	h.mu.Unlock()
	if open {
		if err := h.openStream(ctx); err != nil {
			return x.failWith(nil, err)
		}
	}
	err := x.postInSession(ctx)
	if refused, ok := errors.AsType[*RequestError](err); !ok || x.method != mcp.Initialize || !refused.maySpeakSSE() {
		return err
	}
	// The specification's fallback rule for servers of 2024-11-05. If it fails too, the original refusal says more than the GET's.
	if streamErr := h.openStream(ctx); streamErr != nil {
		if _, foreign := errors.AsType[*foreignEndpointError](streamErr); foreign {
			return x.failWith(nil, streamErr) // it does speak HTTP+SSE, and this is what is wrong
		}
		return err
	}
	return x.postMessage(ctx)
}

// maySpeakSSE reports whether an HTTP+SSE server could have refused in this way. JSON-RPC errors with codes of the stateless
// revisions rule it out.
func (e *RequestError) maySpeakSSE() bool {
	if e.HTTP == nil || e.HTTP.Status != 400 && e.HTTP.Status != 404 && e.HTTP.Status != 405 {
		return false
	}
	if e.answer.Kind != Error {
		return true
	}
	code := AnswerErrorOf("", e.answer).Code
	return code > -32020 || code < -32099
}

// postMessage makes the POST and reads its response.
func (x *exchange) postMessage(ctx context.Context) error {
	h := x.h
	h.mu.Lock()
	target, sse := h.target, h.sse
	h.mu.Unlock()
	header := x.headers()
	r, final, err := h.roundTrip(ctx, http.MethodPost, target, x.body, header)
	if err != nil {
		return x.failWith(nil, err)
	}
	defer r.Body.Close()
	if final != target && !sse {
		h.mu.Lock()
		h.target = final
		h.mu.Unlock()
	}
	meta := answerOf(r)
	switch {
	case !meta.ok():
		return x.readRefusal(ctx, r, meta)
	case x.kind != Request || sse:
		x.showUnasked(r, meta)
		return nil // nobody asked for whatever is in the body
	}
	note := h.takeSession(x, meta)
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/json":
		return x.readJSONBody(ctx, r, meta, note)
	case "text/event-stream":
		return x.readEventStream(ctx, r, meta, note)
	}
	return x.refuseContentType(ctx, r, meta)
}

func (x *exchange) headers() http.Header {
	header := x.h.header.Clone()
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	if x.version == "" {
		if x.method != mcp.Initialize {
			x.session, x.epoch = x.h.setSessionHeaders(header)
		}
		return header
	}
	header.Set(mcp.HeaderProtocolVersion, x.version)
	header.Set(mcp.HeaderMethod, x.method)
	if x.name != "" {
		header.Set(mcp.HeaderName, headerText(x.name))
	}
	if x.method == mcp.ToolsCall {
		for _, m := range x.h.mirrorsOf(x.name) {
			m.setHeader(header, x.args)
		}
	}
	return header
}

// headerText encodes a value for a header of the stateless revisions: unchanged, or in Base64 form if it would be ambiguous or
// break the header.
func headerText(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
	if plain && strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func (x *exchange) readJSONBody(ctx context.Context, r *reply, meta *HTTPAnswer, note string) error {
	x.h.begun.Add(1)
	body, err := x.h.readBody(r.Body, x.h.limits.Message, r.ContentLength)
	if err == nil {
		x.h.begun.Add(-1)
	}
	switch {
	case err != nil:
		if ctx.Err() == nil {
			x.h.tap.showLost(x.h.describeError(err), meta)
		}
		return x.failWith(meta, err)
	case strings.Trim(body, " \t\r\n") == "":
		x.h.tap.showReceived(Message{Raw: body, Note: "an answer without a body", HTTP: meta})
		return x.failEmpty(meta, "the body of the answer (%s) is empty")
	}
	m := Decode(body)
	m.HTTP = meta
	if m.Kind == Invalid && m.ID == "" {
		x.h.tap.showReceived(m)
		return x.failf(meta, "the body of the answer (%s) is no JSON-RPC message: %s: %s", meta, m.Note, x.h.quoteBody(body))
	}
	if err := x.deliver(ctx, m, note); err != nil {
		return err
	}
	if x.isAnswered() {
		return nil
	}
	return x.failf(meta, "the answer (%s) ended without it", meta)
}

// refuseContentType rejects an answer that is neither JSON nor an event stream, as other clients do.
func (x *exchange) refuseContentType(ctx context.Context, r *reply, meta *HTTPAnswer) error {
	body := x.readBeginning(r)
	kind := r.Header.Get("Content-Type")
	x.h.tap.showReceived(Message{Raw: body, Note: "neither application/json nor an event stream, so no client reads it" + cutNote(body), HTTP: meta})
	switch {
	case kind == "" && body == "":
		return x.failEmpty(meta, "the answer (%s) has neither a content type nor a body")
	case kind == "":
		return x.failf(meta, "the answer (%s) has no content type: %s", meta, x.h.quoteBody(body))
	}
	return x.failf(meta, "the answer (%s) has the content type %q and not application/json or text/event-stream: %s",
		meta, excerpt.Clip(x.h.Redact(kind), 100), x.h.quoteBody(body))
}

// readRefusal handles a response with an error status.
func (x *exchange) readRefusal(ctx context.Context, r *reply, meta *HTTPAnswer) error {
	body := x.readBeginning(r)
	m := Decode(body)
	m.HTTP = meta
	if x.session != "" && saysSessionEnded(meta, m) {
		x.showRefusal(m)
		return &sessionEndedError{meta}
	}
	if m.Kind == Error && x.id != "" && m.answers(x.id) {
		return x.deliver(ctx, m, "")
	}
	x.showRefusal(m)
	e := x.failf(meta, "the server answered %s", meta)
	if m.Kind == Error && (m.ID == "" || m.ID == "null") {
		e.answer = m
	}
	if hint := meta.hint(); hint != "" {
		e.Msg += " (" + Printable(excerpt.Clip(x.h.Redact(hint), 200)) + ")"
	}
	if strings.TrimSpace(body) != "" {
		e.Msg += ": " + x.h.quoteBody(body)
	}
	return e
}

// readBeginning returns the first part of a body, for display. It waits only briefly: a status must not be lost because the body
// never arrives.
func (x *exchange) readBeginning(r *reply) string {
	timer := time.AfterFunc(refusal, func() { x.cancel(errGrace) })
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(x.h.metered(r.Body), refusalBytes))
	return string(body)
}

// deliver hands on one message. The error says that nobody receives it any more.
func (x *exchange) deliver(ctx context.Context, m Message, note string) error {
	if note != "" && m.Kind != Invalid && m.Note == "" {
		m.Note = note
	}
	x.h.tap.showReceived(m)
	answer := x.matchAnswer(m)
	if answer && x.renewal {
		time.AfterFunc(linger, func() { x.cancel(ErrClosed) })
		return nil
	}
	done := x.done
	if x.isAnswered() {
		done = nil // messages after the answer are delivered while the stream lingers
	}
	select {
	case <-done: // checked first: a flood must not run into the next request's time
		return x.failf(m.HTTP, "given up")
	default:
	}
	select {
	case <-done:
		return x.failf(m.HTTP, "given up")
	case x.h.in <- received{msg: m}:
		if answer {
			time.AfterFunc(linger, func() { x.cancel(ErrClosed) })
		}
		return nil
	case <-ctx.Done():
		return x.failWith(m.HTTP, context.Cause(ctx))
	case <-x.h.over:
		return x.h.gone
	}
}

// matchAnswer reports whether m holds the answer to x. From initialize's answer it takes the negotiated version. From then on the
// end of the request's ctx, which often coincides with the answer, no longer closes the connection.
func (x *exchange) matchAnswer(m Message) bool {
	if x.kind != Request || x.isAnswered() {
		return false
	}
	for part := range m.Parts() {
		if !part.answers(x.id) {
			continue
		}
		x.mu.Lock()
		x.answered = !x.ended
		x.mu.Unlock()
		if x.renewal {
			x.takeOwnAnswer(part)
		}
		if x.method == mcp.Initialize && part.Kind == Response && part.Result[0] == '{' {
			x.h.noteOpening(x, part.Result)
		}
		return true
	}
	return false
}

func (x *exchange) isAnswered() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.answered
}

func (x *exchange) failf(meta *HTTPAnswer, format string, args ...any) *RequestError {
	return &RequestError{ID: x.requestID(), HTTP: meta, Msg: fmt.Sprintf(format, args...)}
}

// failEmpty is failf for an empty response; the format names the status.
func (x *exchange) failEmpty(meta *HTTPAnswer, format string) error {
	e := x.failf(meta, format, meta)
	e.Empty = meta.ok()
	return e
}

// failWith makes err the outcome of x. Errors that end the whole connection are returned unchanged.
func (x *exchange) failWith(meta *HTTPAnswer, err error) error {
	if flood, ok := errors.AsType[*FloodError](err); ok {
		return flood
	}
	return &RequestError{ID: x.requestID(), HTTP: meta, Msg: x.h.describeError(err), Err: err, Empty: meta == nil && errors.Is(err, io.EOF)}
}

func (x *exchange) requestID() string {
	if x.kind != Request {
		return ""
	}
	return x.id
}

// describeError explains to a user why a request failed.
func (h *HTTP) describeError(err error) string {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	}
	return Printable(excerpt.Clip(h.Redact(err.Error()), 400))
}

// quoteBody returns the beginning of a body. Secrets that the server repeats are removed first, since half a secret would not be
// recognised.
func (h *HTTP) quoteBody(body string) string { return quoteBody(h.Redact(body)) }
