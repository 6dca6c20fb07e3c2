package wire

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// An HTTP is a Conn to a server behind a URL: Streamable HTTP of every revision, and HTTP+SSE of 2024-11-05. It derives the headers
// that a revision requires from the messages it carries: protocol version (from initialize's result or a request's _meta), method,
// name of the target, session id.
type HTTP struct {
	transport http.RoundTripper
	owned     bool // transport is ours to close
	header    http.Header
	hidden    hidden
	login     Login // nil for none
	limits    Limits
	grace     time.Duration
	left      atomic.Int64 // bytes that may still arrive
	tap       Tap
	exchanges atomic.Int64 // HTTP requests so far
	begun     atomic.Int64 // incomplete bodies and events

	in   chan received
	jobs chan func()

	mu      sync.Mutex
	target  *url.URL            // where to POST
	session string              // Mcp-Session-Id
	opening opening             // of the session
	version string              // that initialize agreed on, "" before
	mirrors map[string][]Mirror // by tool name
	sse     bool                // HTTP+SSE: answers come on the stream, not in those of POST
	stream  bool                // the stream of HTTP+SSE is open
	live    map[*exchange]context.CancelCauseFunc
	gone    error // why the connection ended; set before over is closed

	renewing sync.Mutex // held while a session is replaced

	closeOnce sync.Once
	closing   chan struct{}
	over      chan struct{} // closed when the HTTP+SSE stream or the session has ended
	running   sync.WaitGroup
}

// Dial returns a connection to e without making a request. Its errors quote no value of e. The caller must Close it.
func Dial(e Endpoint) (*HTTP, error) {
	u, user, err := e.target()
	if err != nil {
		return nil, err
	}
	header, secrets, err := e.header(u, user)
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		transport: e.Transport, owned: e.Transport == nil,
		header: header, login: e.Login, limits: e.Limits.withDefaults(), grace: e.Grace,
		in: make(chan received), jobs: make(chan func(), sendQueue),
		target: u, sse: e.SSE, live: map[*exchange]context.CancelCauseFunc{},
		closing: make(chan struct{}), over: make(chan struct{}),
	}
	if h.owned {
		h.transport = NewTransport()
	}
	h.grace = cmp.Or(h.grace, DefaultHTTPGrace)
	h.hidden.add(secrets)
	if e.Login != nil {
		h.hidden.add(e.Login.Secrets())
	}
	h.left.Store(h.limits.Total)
	// Ends by Close, which waits for it.
	h.running.Go(h.runJobs)
	return h, nil
}

// Tap has every message shown to tap. Call it before the first Send.
func (h *HTTP) Tap(tap Tap) { h.tap = tap }

// runJobs sends what is queued, in order.
func (h *HTTP) runJobs() {
	for {
		select {
		case job := <-h.jobs:
			job()
		case <-h.closing:
			return
		}
	}
}

// Send queues one message; see [Conn]. A request's ctx bounds its whole exchange: if it ends before the answer arrives, the request
// is abandoned and its connection closed, which is how the stateless revisions of MCP cancel. Anything else may take Grace, and
// later messages wait for it, so that the server receives POSTs in order.
func (h *HTTP) Send(ctx context.Context, msg []byte) error {
	x := h.newExchange(msg)
	switch {
	case IsClosed(h.closing):
		return ErrClosed
	case x.kind == Request && ctx.Err() != nil:
		return context.Cause(ctx)
	}
	select {
	case <-h.closing:
		return ErrClosed
	case h.jobs <- h.job(ctx, x):
		return nil
	default:
	}
	select {
	case h.jobs <- h.job(ctx, x):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-h.closing:
		return ErrClosed
	}
}

func (h *HTTP) job(ctx context.Context, x *exchange) func() {
	return func() {
		own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		if !h.enter(x, cancel) {
			cancel(ErrClosed)
			return
		}
		if x.kind != Request {
			timer := time.AfterFunc(h.grace, func() { cancel(errGrace) })
			defer timer.Stop()
			h.removeExchange(x, x.runExchange(own))
			return
		}
		x.done = ctx.Done()
		stop := context.AfterFunc(ctx, func() { x.giveUp(context.Cause(ctx)) })
		// Ends with the answer, with ctx or by Close.
		go func() {
			defer stop()
			h.removeExchange(x, x.runExchange(own))
		}()
	}
}

// enter registers x for Close to end, unless Close has begun.
func (h *HTTP) enter(x *exchange, cancel context.CancelCauseFunc) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if IsClosed(h.closing) {
		return false
	}
	x.cancel = cancel
	h.live[x] = cancel
	h.running.Add(1)
	return true
}

func (h *HTTP) removeExchange(x *exchange, err error) {
	defer h.running.Done()
	if err != nil {
		h.sendOutcome(x, err)
	}
	h.mu.Lock()
	delete(h.live, x)
	h.mu.Unlock()
	x.cancel(ErrClosed)
}

// sendOutcome reports the outcome of x if its request is still waiting.
func (h *HTTP) sendOutcome(x *exchange, err error) {
	select {
	case <-x.gaveUp: // even if a Receive is waiting: it waits for another request
		return
	default:
	}
	select {
	case h.in <- received{err: err}:
	case <-x.gaveUp:
	case <-h.closing:
	case <-h.over:
	}
}

// Receive returns the next message; see [Conn]. The end of the HTTP+SSE stream or of a session is an [EndError].
func (h *HTTP) Receive(ctx context.Context) (Message, error) {
	select {
	case it := <-h.in:
		return it.msg, it.err
	case <-h.closing:
		return Message{}, ErrClosed
	case <-h.over:
		return Message{}, h.gone
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
}

// Unfinished returns the number of answers that have begun and are not complete.
func (h *HTTP) Unfinished() int64 { return h.begun.Load() }

// endConn makes every later Receive fail with err.
func (h *HTTP) endConn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone == nil {
		h.gone = err
		close(h.over)
	}
}

// Secrets returns what Redact removes, as NAME=VALUE: configured header values and tokens, Endpoint.Secret, the URL's password,
// long query values and path segments that look like keys. It grows when a login is renewed.
func (h *HTTP) Secrets() []string { return h.hidden.list() }

// Redact replaces values of Endpoint.Header and the token, if they have at least four bytes, and the other Secrets by their names;
// see [Process.Redact].
func (h *HTTP) Redact(s string) string { return h.hidden.replace(s) }

// Place returns the URL for messages, without user, password and query.
func (h *HTTP) Place() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Redact(redactURL(h.target))
}

// farewell bounds how long ending the session may take.
const farewell = 2 * time.Second

// Close abandons pending requests, ends the session at the server (at most two seconds, ignoring the result) and waits until no
// goroutine of h runs.
func (h *HTTP) Close() error {
	h.closeOnce.Do(func() { h.closeConn(false) })
	return nil
}

// Kill is Close without ending the session at the server, for a caller that is out of time.
func (h *HTTP) Kill() error {
	h.closeOnce.Do(func() { h.closeConn(true) })
	return nil
}

func (h *HTTP) closeConn(now bool) {
	h.mu.Lock()
	close(h.closing)
	for _, cancel := range h.live {
		cancel(ErrClosed)
	}
	h.mu.Unlock()
	h.running.Wait()
	if h.session != "" && !now {
		h.endSession()
	}
	if h.owned {
		h.transport.(*http.Transport).CloseIdleConnections()
	}
}

func (h *HTTP) endSession() {
	ctx, cancel := context.WithTimeout(context.Background(), min(h.grace, farewell))
	defer cancel()
	header := h.header.Clone()
	h.setSessionHeaders(header)
	if r, _, err := h.roundTrip(ctx, http.MethodDelete, h.target, nil, header); err == nil {
		r.Body.Close()
	}
}
