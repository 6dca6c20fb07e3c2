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
	// linger is how long an event stream may go on behind the answer that it was for, so
	// that its connection can be used again and what follows is seen.
	linger = 200 * time.Millisecond
	// refusal is how long, and refusalBytes how much, of the body of a refusal is read.
	refusal      = time.Second
	refusalBytes = 64 << 10
)

var errGrace = errors.New("the server did not take it in time")

// exchange is one message of ours and what comes back for it.
type exchange struct {
	h       *HTTP
	body    []byte
	kind    Kind
	id      string
	method  string
	name    string // for Mcp-Name
	args    string // of tools/call, raw
	version string // of the request's _meta, "" in the revisions with a handshake
	session string // that it was sent in or, being initialize, began; "" for none
	epoch   int    // how many sessions there were before that one
	renewal bool   // it is one of our own, whose answer nobody receives
	refusal error  // the answer to one of our own that is no result

	cancel context.CancelCauseFunc
	done   <-chan struct{} // closed when the time of the request is over; nil if it has none
	gaveUp chan struct{}   // closed when nobody waits any more

	mu       sync.Mutex
	answered bool
	ended    bool // gaveUp is closed
}

// newExchange reads off msg what its headers want.
func (h *HTTP) newExchange(msg []byte) *exchange {
	m := Decode(string(msg))
	x := &exchange{h: h, body: []byte(m.Raw), kind: m.Kind, id: m.ID, method: m.Method, gaveUp: make(chan struct{})}
	if m.Params == "" || m.Params[0] != '{' {
		return x
	}
	if meta := rawjson.LastMember(m.Params, "_meta"); meta != "" && meta[0] == '{' {
		x.version = rawjson.UnquoteString(rawjson.LastMember(meta, mcp.MetaProtocolVersion))
	}
	if param := mcp.SubjectParam(m.Method); param != "" {
		x.name = rawjson.UnquoteString(rawjson.LastMember(m.Params, param))
		x.args = rawjson.LastMember(m.Params, "arguments")
	}
	return x
}

// giveUp ends x unless its answer has come.
func (x *exchange) giveUp(cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.answered || x.ended {
		return
	}
	x.ended = true
	close(x.gaveUp)
	if x.h.speaksSSE() && !errors.Is(cause, context.DeadlineExceeded) {
		// The answer came on the stream while its POST was still under way. Cut off, the
		// POST would take its connection with it, and the next request that was put on it.
		time.AfterFunc(linger, func() { x.cancel(cause) })
		return
	}
	x.cancel(cause)
}

func (h *HTTP) speaksSSE() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sse
}

// runExchange sends the message and hands on what comes back. The error is the outcome if that
// was no answer.
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
	var refused *RequestError
	if x.method != mcp.Initialize || !errors.As(err, &refused) || !refused.maySpeakSSE() {
		return err
	}
	// The rule of the specification for servers of 2024-11-05. If it does not help, the
	// refusal says more than what the GET met.
	var foreign *foreignEndpointError
	if streamErr := h.openStream(ctx); errors.As(streamErr, &foreign) {
		return x.failWith(nil, streamErr) // it does speak HTTP+SSE, and this is what is wrong
	} else if streamErr != nil {
		return err
	}
	return x.postMessage(ctx)
}

// maySpeakSSE reports whether a server of HTTP+SSE would have refused like that. A
// JSON-RPC error with the codes of the stateless revisions is no such refusal.
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

// postMessage makes the POST.
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
		return nil // whatever stands in the body, nobody asked for it
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

// headers are those of the POST.
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

// headerText writes a value for a header of the stateless revisions: as it is, or in the
// Base64 form where it could not be told apart or would break the header.
func headerText(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
	if plain && strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?") {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// readJSONBody takes an answer in one JSON body.
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
	return x.requireAnswer(meta, "the answer (%s) ended without it", meta)
}

// refuseContentType refuses an answer that is neither JSON nor a stream, as other clients do.
func (x *exchange) refuseContentType(ctx context.Context, r *reply, meta *HTTPAnswer) error {
	body := x.readBeginning(r)
	kind := r.Header.Get("Content-Type")
	x.h.tap.showReceived(Message{Raw: body, Note: "neither application/json nor an event stream, so that nobody reads it" + cutNote(body), HTTP: meta})
	switch {
	case kind == "" && body == "":
		return x.failEmpty(meta, "the answer (%s) has neither a content type nor a body")
	case kind == "":
		return x.failf(meta, "the answer (%s) has no content type: %s", meta, x.h.quoteBody(body))
	}
	return x.failf(meta, "the answer (%s) has the content type %q and not application/json or text/event-stream: %s",
		meta, excerpt.Clip(x.h.Redact(kind), 100), x.h.quoteBody(body))
}

// readRefusal takes an answer whose status is none of success.
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

// readBeginning returns the first part of a body that is shown and not used. It waits for it
// for a moment only: a status that has come must not be lost to a body that does not.
func (x *exchange) readBeginning(r *reply) string {
	timer := time.AfterFunc(refusal, func() { x.cancel(errGrace) })
	defer timer.Stop()
	body, _ := io.ReadAll(io.LimitReader(x.h.metered(r.Body), refusalBytes))
	return string(body)
}

// deliver hands on one message. The error says that nobody takes it any more.
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
		done = nil // what comes behind the answer is seen as long as the stream lingers
	}
	select {
	case <-done: // first: a flood must not run on into the time of the next request
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

// matchAnswer reports whether m holds the answer to x, and takes from that of initialize the
// version agreed on. From then on the end of the request's ctx, which often comes with the
// answer, does not close the connection any more.
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
			x.h.setVersion(rawjson.UnquoteString(rawjson.LastMember(part.Result, "protocolVersion")))
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

// requireAnswer is an error unless the answer has come.
func (x *exchange) requireAnswer(meta *HTTPAnswer, format string, args ...any) error {
	if x.isAnswered() {
		return nil
	}
	return x.failf(meta, format, args...)
}

func (x *exchange) failf(meta *HTTPAnswer, format string, args ...any) *RequestError {
	return &RequestError{ID: x.requestID(), HTTP: meta, Msg: fmt.Sprintf(format, args...)}
}

// failEmpty is failf where nothing came; the format names the status.
func (x *exchange) failEmpty(meta *HTTPAnswer, format string) error {
	e := x.failf(meta, format, meta)
	e.Empty = meta.ok()
	return e
}

// failWith is err as the outcome of x. What ends the whole connection stays what it is.
func (x *exchange) failWith(meta *HTTPAnswer, err error) error {
	var flood *FloodError
	if errors.As(err, &flood) {
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

// describeError says in a user's words why a request came to nothing.
func (h *HTTP) describeError(err error) string {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	}
	return Printable(excerpt.Clip(h.Redact(err.Error()), 400))
}

// quoteBody is the beginning of a body without the secrets that the server repeats in it.
// They go first: half a secret would not be recognised.
func (h *HTTP) quoteBody(body string) string { return quoteBody(h.Redact(body)) }
