package attack

import (
	"context"
	"errors"
	"net/http"
	"strings"
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
