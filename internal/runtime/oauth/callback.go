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
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// answered is the authorization server's response, passed on by the browser.
type answered struct {
	code            string
	issuer          string
	hasIssuer       bool
	failure, reason string
}

// callback listens on this machine for the redirect with the code. It accepts one request with the expected state, and answers all
// others with not found.
type callback struct {
	address string // redirect address
	path    string
	server  *http.Server
	serving sync.WaitGroup
	got     chan answered

	mu    sync.Mutex
	state string // "" unless expected
}

// listenForCode listens at the first free address. All must be loopback addresses.
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
		return nil, errors.New("the redirect address must be http:// with 127.0.0.1, [::1] or localhost, without a query")
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, cmp.Or(u.Port(), "80")))
	if err != nil {
		return nil, fmt.Errorf("cannot listen at the redirect address: %w", err)
	}
	u.Host = net.JoinHostPort(u.Hostname(), fmt.Sprint(ln.Addr().(*net.TCPAddr).Port))
	c := &callback{address: u.String(), path: cmp.Or(u.Path, "/"), got: make(chan answered, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10}
	c.server.ErrorLog = newLike(c.server.ErrorLog)
	c.server.ErrorLog.SetOutput(io.Discard) // it would hold a stranger's text
	// Ends by close, which waits for it.
	c.serving.Go(func() { _ = c.server.Serve(ln) })
	return c, nil
}

func newLike[T any](*T) *T { return new(T) }

// expect sets the state that the redirect must carry.
func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// ServeHTTP receives the redirect. The page repeats nothing from the request.
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
	c.got <- a // buffered: a state is accepted once
	_, _ = io.WriteString(w, "gauntlet has the answer. You can close this page.\n")
}

// takeState reports whether the state is the expected one, and then accepts no other.
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
			return answered{}, errors.New("the browser did not return from the authorization page in time")
		}
		return answered{}, context.Cause(ctx)
	}
}

// close stops listening after the page in progress is sent.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	c.serving.Wait()
}

// OpenBrowser opens an address, already checked by a [Guard], in the user's browser. The address is a single argument of one
// program: no shell reads it, and as it begins with http it is no option. program is the user's choice, "" for the system's.
func OpenBrowser(program, address string) error {
	if _, err := parseAddress("the page", address); err != nil {
		return err
	}
	args := []string{program, address}
	if program == "" {
		args = browserCommand(runtime.GOOS, address)
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return errors.New("no program to open a browser was found")
	}
	browser := exec.Command(path, args[1:]...)
	if err := browser.Start(); err != nil {
		return errors.New("the browser could not be started")
	}
	return browser.Process.Release() // it outlives us
}

func browserCommand(system, address string) []string {
	switch system {
	case "darwin":
		return []string{"open", address}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return []string{"xdg-open", address}
}
