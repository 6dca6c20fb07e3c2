package attack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// An HTTPPeer is an agent behind a URL, as clients of a document reach it. Redirects are not followed.
type HTTPPeer struct {
	http      http.Client
	header    http.Header
	readiness time.Duration
}

// NewHTTPPeer returns the peer to which header is sent with every request. readiness bounds the wait until it is reachable;
// transport may be nil.
func NewHTTPPeer(header http.Header, readiness time.Duration, transport http.RoundTripper) HTTPPeer {
	if transport == nil {
		transport = &http.Transport{DisableCompression: true}
	}
	return HTTPPeer{http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, header, readiness}
}

// Do sends a request, once more while nobody listens yet. header is given by name and value.
func (p *HTTPPeer) Do(ctx context.Context, method, to, body string, header ...string) (*http.Response, error) {
	deadline := time.Now().Add(p.readiness)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		req, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		for name, values := range p.header {
			req.Header[name] = values
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		r, err := p.http.Do(req)
		if err == nil || ctx.Err() != nil || !errors.Is(err, syscall.ECONNREFUSED) || time.Now().After(deadline) {
			return r, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close closes idle connections.
func (p *HTTPPeer) Close() { p.http.CloseIdleConnections() }

// ReplayPeer takes the peer from a recording.
func (p *HTTPPeer) ReplayPeer(t *ReplayTransport) { p.http.Transport = t }

// A ReplayTransport answers a client's requests with its peer's recorded answers, piece by piece as the replay reaches them. It is
// safe for concurrent use.
type ReplayTransport struct {
	ctx     context.Context // its end wakes all waiters
	answers chan *replayBody

	mu   sync.Mutex
	open *replayBody // the answer that pieces are added to, or nil
}

// NewReplayTransport returns a transport that ends with ctx.
func NewReplayTransport(ctx context.Context) *ReplayTransport {
	return &ReplayTransport{ctx: ctx, answers: make(chan *replayBody, mostWaitingAnswers)}
}

// mostWaitingAnswers bounds answers that no request has fetched, as in a recording whose document has changed.
const mostWaitingAnswers = 1000

// Feed adds a piece to the current answer, or starts one. Pieces beyond the limit are dropped.
func (t *ReplayTransport) Feed(status int, contentType, piece string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		status = cmp.Or(status, http.StatusOK)
		body := &replayBody{status: status, contentType: contentType, changed: make(chan struct{}), ctx: t.ctx}
		select {
		case t.answers <- body:
			t.open = body
		default:
			return
		}
	}
	t.open.write(piece)
}

// FeedEvent adds an event to an answer that is a stream.
func (t *ReplayTransport) FeedEvent(status int, data string) {
	t.Feed(status, "text/event-stream", "data: "+oneLine(data)+"\n\n")
}

// EndAnswer ends the current answer.
func (t *ReplayTransport) EndAnswer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open != nil {
		t.open.end()
		t.open = nil
	}
}

// RoundTrip waits for the next recorded answer.
func (t *ReplayTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close() // the request is in the trace already
	}
	select {
	case b := <-t.answers:
		return &http.Response{
			StatusCode: b.status, Header: http.Header{"Content-Type": {b.contentType}}, Body: b, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	case <-t.ctx.Done():
		return nil, context.Cause(t.ctx)
	}
}

// A replayBody is an answer's body, read while it is written.
type replayBody struct {
	status      int
	contentType string
	ctx         context.Context

	mu      sync.Mutex
	held    bytes.Buffer
	ended   bool
	changed chan struct{} // closed when something was written or it has ended
}

func (b *replayBody) write(piece string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held.WriteString(piece)
	b.wake()
}

func (b *replayBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.wake()
}

// wake wakes the reader. b.mu is held.
func (b *replayBody) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *replayBody) Read(p []byte) (int, error) {
	for {
		b.mu.Lock()
		if b.held.Len() > 0 {
			defer b.mu.Unlock()
			return b.held.Read(p)
		}
		ended, changed := b.ended, b.changed
		b.mu.Unlock()
		if ended {
			return 0, io.EOF
		}
		select {
		case <-changed:
		case <-b.ctx.Done():
			return 0, context.Cause(b.ctx)
		}
	}
}

// Close does nothing.
func (*replayBody) Close() error { return nil }
