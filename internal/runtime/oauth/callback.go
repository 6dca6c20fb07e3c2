package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// answered is what the authorization server sent the browser back with.
type answered struct {
	code            string
	issuer          string
	hasIssuer       bool
	failure, reason string
}

// callback waits on this machine for the redirect with the code. It answers a request with the
// state that it expects once, and tells every other that there is nothing.
type callback struct {
	address string // that the browser is sent to
	path    string
	server  *http.Server
	serving sync.WaitGroup
	got     chan answered

	mu    sync.Mutex
	state string // "" before and after it is expected
}

// listenForCode listens at the first of the addresses that is free. All have to be on the loopback
// address.
func listenForCode(ctx context.Context, addresses []string) (*callback, error) {
	var failed error
	for _, a := range addresses {
		c, err := listenAt(ctx, a)
		if err == nil {
			return c, nil
		}
		failed = err
	}
	return nil, failed
}

func listenAt(ctx context.Context, address string) (*callback, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || literalScope(u.Hostname()) != loopback || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the redirect address has to be http:// with 127.0.0.1, [::1] or localhost, and without a query")
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, cmp.Or(u.Port(), "80")))
	if err != nil {
		return nil, fmt.Errorf("the redirect address cannot be listened at: %w", err)
	}
	u.Host = net.JoinHostPort(u.Hostname(), fmt.Sprint(ln.Addr().(*net.TCPAddr).Port))
	c := &callback{address: u.String(), path: cmp.Or(u.Path, "/"), got: make(chan answered, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	c.server.ErrorLog = newLike(c.server.ErrorLog)
	c.server.ErrorLog.SetOutput(io.Discard) // a stranger's bytes
	// Ends by close, which waits for it.
	c.serving.Go(func() { _ = c.server.Serve(ln) })
	return c, nil
}

func newLike[T any](*T) *T { return new(T) }

// expect says which state the redirect has to carry.
func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// ServeHTTP takes the redirect. Whatever the request says, the page has no word of it.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	q := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != c.path || !c.takeState(q["state"]) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "There is nothing here.\n")
		return
	}
	a := answered{code: q.Get("code"), issuer: q.Get("iss"), hasIssuer: q.Has("iss"), failure: q.Get("error"), reason: q.Get("error_description")}
	if a.code == "" && a.failure == "" {
		a.failure = "no code"
	}
	c.got <- a // has room: a state is taken once
	_, _ = io.WriteString(w, "gauntlet has the answer. You can close this page.\n")
}

// takeState reports whether the state is the expected one, and expects none from then on.
func (c *callback) takeState(values []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == "" || len(values) != 1 || subtle.ConstantTimeCompare([]byte(values[0]), []byte(c.state)) != 1 {
		return false
	}
	c.state = ""
	return true
}

func (c *callback) wait(ctx context.Context) (answered, error) {
	select {
	case a := <-c.got:
		return a, nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return answered{}, errors.New("nobody came back from the authorization page in time")
		}
		return answered{}, context.Cause(ctx)
	}
}

// close stops listening, once the page that is being sent is out.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	c.serving.Wait()
}
