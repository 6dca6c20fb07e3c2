package mcpserver

import (
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
)

// Endpoint paths: Streamable HTTP in both eras, and the two of HTTP+SSE.
const (
	Path         = "/mcp"
	PathSSE      = "/sse"
	pathMessages = "/messages"
)

const (
	mostAtOnce   = 4096        // requests and streams in progress
	mostRequests = 2048        // of those, requests without a session
	mostStreams  = 1024        // and streams without one
	smallBody    = 64 << 10    // bytes; longer bodies
	mostLarge    = 64          // are limited to this many in memory
	keepAlive    = time.Minute // for idle connections
	heartbeat    = 15 * time.Second
	shutdown     = 2 * time.Second
	headerBytes  = 64 << 10
)

// HTTP serves clients on ln, which it closes, until ctx ends; that is no error. Calls in progress are then cancelled, answers have
// two seconds to be read, and no goroutine is left.
func (s *Server) HTTP(ctx context.Context, ln net.Listener) error {
	e := s.endpoint(ln.Addr())
	hs := &http.Server{Handler: e, ReadHeaderTimeout: s.opt.HTTP.Read, IdleTimeout: keepAlive, MaxHeaderBytes: headerBytes}
	// Without its own logger the server would write to the process's stderr.
	hs.ErrorLog = newLike(hs.ErrorLog)
	hs.ErrorLog.SetOutput(io.Discard)
	unused := &unusedConns{conns: map[net.Conn]bool{}}
	hs.ConnState = unused.trackConn
	if s.opt.HTTP.Idle > 0 {
		var reaping sync.WaitGroup
		defer reaping.Wait()
		stop := make(chan struct{})
		defer close(stop)
		reaping.Go(func() { e.endIdleSessions(s.opt.HTTP.Idle, stop) }) // ends with stop
	}
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(ln) }() // ends by Shutdown or Close below
	var err error
	select {
	case err = <-ended:
		ended <- err
	case <-ctx.Done():
	}
	e.endStreams()
	unused.closeAll()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if hs.Shutdown(grace) != nil {
		_ = hs.Close()
	}
	<-ended
	e.waitIdle()
	return err
}

// endIdleSessions ends sessions that have been silent for idle, until stop is closed.
func (e *endpoint) endIdleSessions(idle time.Duration, stop <-chan struct{}) {
	ticker := time.NewTicker(max(idle/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			e.sessions.endIdle(now.Add(-idle))
			e.clients.endIdle(now.Add(-idle))
		case <-stop:
			return
		}
	}
}

// unusedConns tracks connections without a request. Clients open spare ones, and Shutdown would wait for them.
type unusedConns struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
	over  bool
}

func (u *unusedConns) trackConn(c net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.conns, c)
	case u.over:
		c.Close()
	default:
		u.conns[c] = true
	}
}

func (u *unusedConns) closeAll() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	for c := range u.conns {
		c.Close()
	}
}

func newLike[T any](*T) *T { return new(T) }

// An endpoint is a Server as seen through one listener.
type endpoint struct {
	server   *Server
	hosts    []string
	sessions httpSessions
	clients  httpSessions  // of the stateless era, by their distinguishing properties
	requests atomic.Int32  // without a session and no streams, in progress
	streams  atomic.Int32  // without a session
	large    atomic.Int32  // bodies
	all      chan struct{} // has an element for every request in progress
	ended    chan struct{}
	calls    sync.WaitGroup // in progress
}

func (s *Server) endpoint(addr net.Addr) *endpoint {
	e := &endpoint{
		server: s, sessions: newHTTPSessions(), clients: newHTTPSessions(),
		all: make(chan struct{}, mostAtOnce), ended: make(chan struct{}),
	}
	// A listener's address names this machine, unless it is the unspecified address.
	if host, _, err := net.SplitHostPort(addr.String()); err == nil {
		if ip, err := netip.ParseAddr(host); err == nil && !ip.IsUnspecified() {
			e.hosts = append(e.hosts, ip.String())
		}
	}
	for _, h := range s.opt.HTTP.Hosts {
		e.hosts = append(e.hosts, strings.ToLower(strings.Trim(h, "[]")))
	}
	return e
}

// endStreams ends all streams and sessions, and refuses new streams.
func (e *endpoint) endStreams() {
	close(e.ended)
	e.endSessions()
}

func (e *endpoint) endSessions() {
	e.sessions.endAll()
	e.clients.endAll()
}

// waitIdle returns once no request is being answered.
func (e *endpoint) waitIdle() {
	for range mostAtOnce {
		e.all <- struct{}{}
	}
	e.endSessions() // that began in the meantime
	e.calls.Wait()
}

// ServeHTTP answers any request. Refusals come before the body is read.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{endpoint: e, w: w, r: r, number: int(e.server.exchanges.Add(1)), before: e.server.told.Load()}
	// Only writers in tests lack deadlines.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.server.opt.HTTP.Read))
	x.setWriteDeadline()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if why := e.checkOrigin(r); why != "" {
		x.refuse(http.StatusForbidden, why)
		return
	}
	if !e.hasToken(r) {
		h.Set("WWW-Authenticate", `Bearer realm="gauntlet"`)
		x.refuse(http.StatusUnauthorized, "the header Authorization: Bearer does not carry the token, which is shown where the server was started")
		return
	}
	x.http = e.findNamedSession(r)
	if !x.acquireSlot() {
		h.Set("Retry-After", "1")
		x.refuse(http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	defer func() {
		if x.releaseLarge != nil {
			x.releaseLarge()
		}
		x.releaseSlot()
		if x.http != nil {
			x.http.markUsed()
		}
		<-e.all
	}()
	x.route()
}

// hasToken reports whether a request carries the required token, if there is one.
func (e *endpoint) hasToken(r *http.Request) bool {
	token := e.server.opt.HTTP.Token
	if token == "" {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// findNamedSession returns the session a request names, or nil.
func (e *endpoint) findNamedSession(r *http.Request) *httpSession {
	if r.URL.Path == pathMessages {
		return e.sessions.findSession(r.URL.Query().Get("sessionId"), true)
	}
	return e.sessions.findSession(r.Header.Get(mcp.HeaderSessionID), false)
}

// acquireSlot takes a slot for a request in progress, and reports whether there was one. A session has slots of its own, so that
// strangers cannot keep it out.
func (x *exchange) acquireSlot() bool {
	select {
	case x.all <- struct{}{}:
	default:
		return false
	}
	taken, s, stream := false, x.http, x.r.Method == http.MethodGet
	switch {
	case s != nil && stream:
		taken, x.releaseSlot = countWithin(&s.streams, sessionStreams)
	case s != nil:
		taken, x.releaseSlot = countWithin(&s.requests, sessionRequests)
	case stream:
		taken, x.releaseSlot = countWithin(&x.streams, mostStreams)
	default:
		taken, x.releaseSlot = countWithin(&x.requests, mostRequests)
	}
	if !taken {
		<-x.all
	}
	return taken
}

// countWithin increments n unless it has reached most.
func countWithin(n *atomic.Int32, most int32) (taken bool, leave func()) {
	if n.Add(1) > most {
		n.Add(-1)
		return false, nil
	}
	return true, func() { n.Add(-1) }
}

func (x *exchange) route() {
	e, r := x.endpoint, x.r
	old := len(e.server.handshake) > 0
	switch {
	case r.URL.Path == Path && r.Method == http.MethodPost:
		x.servePost()
	case r.URL.Path == Path && r.Method == http.MethodGet && old && e.offersGetStream() && !e.isStatelessRequest(r):
		x.serveGet()
	case r.URL.Path == Path && r.Method == http.MethodDelete && old && !e.isStatelessRequest(r):
		x.serveDelete()
	case r.URL.Path == Path:
		x.w.Header().Set("Allow", e.allowedMethods())
		x.refuse(http.StatusMethodNotAllowed, "method not allowed")
	case r.URL.Path == PathSSE && r.Method == http.MethodGet && old:
		x.serveSSE()
	case r.URL.Path == pathMessages && r.Method == http.MethodPost && old:
		x.serveSSEMessage()
	case r.URL.Path == PathSSE && old, r.URL.Path == pathMessages && old:
		x.refuse(http.StatusMethodNotAllowed, "method not allowed")
	default:
		x.refuse(http.StatusNotFound, "not found: the endpoint is "+Path)
	}
}

// offersGetStream reports whether a GET of a session opens a stream.
func (e *endpoint) offersGetStream() bool {
	return e.server.opt.IdleStream || e.server.opt.Interceptor != nil
}

// isStatelessRequest reports whether a request without a body belongs to the stateless era, in which GET and DELETE have no
// meaning.
func (e *endpoint) isStatelessRequest(r *http.Request) bool {
	return mcp.IsStateless(r.Header.Get(mcp.HeaderProtocolVersion))
}

func (e *endpoint) allowedMethods() string {
	out := "POST"
	if len(e.server.handshake) > 0 {
		if out += ", DELETE"; e.offersGetStream() {
			out += ", GET"
		}
	}
	return out
}

// checkOrigin says why the request's origin is not allowed, or returns "". A web page can send to any port of this machine: the
// browser reveals it by Origin, or by Host if the page rebound its own name to this address. Each is checked on its own.
func (e *endpoint) checkOrigin(r *http.Request) string {
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "the Host header is not valid"
		}
		host = name
	}
	if !e.isOwnHost(host) {
		return "the Host header names another host"
	}
	origins := r.Header.Values("Origin")
	// Some page requests carry no Origin, such as a GET for an image; Sec-Fetch-Site (Fetch Metadata Request Headers, 2.3) reveals
	// them. Programs send none.
	if site := r.Header.Get("Sec-Fetch-Site"); len(origins) == 0 && (site == "cross-site" || site == "same-site") {
		return "the Sec-Fetch-Site header names a foreign site"
	}
	switch {
	case len(origins) > 1:
		return "more than one Origin header"
	case len(origins) == 1 && !e.allowsOrigin(origins[0], r.Host):
		return "the Origin header names a foreign origin"
	}
	return ""
}

func (e *endpoint) isOwnHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || slices.Contains(e.hosts, ip.String())
	}
	return host == "localhost" || host != "" && slices.Contains(e.hosts, host)
}

// allowsOrigin reports whether the origin is the server's own, given by the already checked Host, or one allowed by name. "null" is
// the origin of any sandboxed page.
func (e *endpoint) allowsOrigin(origin, host string) bool {
	if slices.ContainsFunc(e.server.opt.HTTP.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return true
	}
	return strings.EqualFold(origin, "http://"+host) || strings.EqualFold(origin, "https://"+host)
}
