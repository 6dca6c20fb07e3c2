package mcpserver

import (
	"context"
	"crypto/subtle"
	"gauntlet/internal/leaf/mcp"
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
)

// The paths of the endpoints: that of Streamable HTTP in both eras, and the two of HTTP+SSE.
const (
	Path         = "/mcp"
	PathSSE      = "/sse"
	pathMessages = "/messages"
)

const (
	mostAtOnce   = 4096        // requests and streams under way
	mostRequests = 2048        // of those, requests without a session
	mostStreams  = 1024        // and streams without one
	smallBody    = 64 << 10    // bytes; of longer bodies
	mostLarge    = 64          // are in memory at a time
	keepAlive    = time.Minute // of a connection without a request
	heartbeat    = 15 * time.Second
	shutdown     = 2 * time.Second
	headerBytes  = 64 << 10
)

// HTTP serves clients that come through ln, which it closes, until ctx ends; that is no
// error. Calls under way are then cancelled, answers have two seconds to be taken, and
// nothing is left running.
func (s *Server) HTTP(ctx context.Context, ln net.Listener) error {
	e := s.endpoint(ln.Addr())
	hs := &http.Server{Handler: e, ReadHeaderTimeout: s.opt.HTTP.Read, IdleTimeout: keepAlive, MaxHeaderBytes: headerBytes}
	// Without a logger of its own the server would write to the process's stderr.
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

// endIdleSessions ends sessions that nothing was heard of for so long, until stop is closed.
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

// unusedConns are connections on which nothing has come. Clients open some to have them, and
// Shutdown would wait for them.
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

// An endpoint is a Server as it is seen through one listener.
type endpoint struct {
	server   *Server
	hosts    []string
	sessions httpSessions
	clients  httpSessions  // of the stateless era, by what tells them apart
	requests atomic.Int32  // without a session that are no streams, under way
	streams  atomic.Int32  // without a session
	large    atomic.Int32  // bodies
	all      chan struct{} // has an element for every request under way
	ended    chan struct{}
	calls    sync.WaitGroup // under way
}

func (s *Server) endpoint(addr net.Addr) *endpoint {
	e := &endpoint{
		server: s, sessions: newHTTPSessions(), clients: newHTTPSessions(),
		all: make(chan struct{}, mostAtOnce), ended: make(chan struct{}),
	}
	// A listener's own address is a name of this machine, unless it stands for all of them.
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

// endStreams ends all streams and conversations, and lets no new streams begin.
func (e *endpoint) endStreams() {
	close(e.ended)
	e.endSessions()
}

func (e *endpoint) endSessions() {
	e.sessions.endAll()
	e.clients.endAll()
}

// waitIdle returns when no request is being answered any more.
func (e *endpoint) waitIdle() {
	for range mostAtOnce {
		e.all <- struct{}{}
	}
	e.endSessions() // that began meanwhile
	e.calls.Wait()
}

// ServeHTTP answers any request. Whatever is refused is refused before its body is read.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{endpoint: e, w: w, r: r, number: int(e.server.exchanges.Add(1))}
	// Writers that know no deadlines are those of tests.
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

// hasToken reports whether a request carries the token, if one is wanted.
func (e *endpoint) hasToken(r *http.Request) bool {
	token := e.server.opt.HTTP.Token
	if token == "" {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// findNamedSession returns the session that a request names, nil if it names none that there is.
func (e *endpoint) findNamedSession(r *http.Request) *httpSession {
	if r.URL.Path == pathMessages {
		return e.sessions.findSession(r.URL.Query().Get("sessionId"), true)
	}
	return e.sessions.findSession(r.Header.Get(mcp.HeaderSessionID), false)
}

// acquireSlot takes a place among the requests at a time, and reports whether there was one. A
// session has places of its own: who holds those of strangers does not keep it out.
func (x *exchange) acquireSlot() bool {
	if !tryAcquire(x.all) {
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

func tryAcquire(slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
		return false
	}
}

// countWithin counts one more, unless there are the most.
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

// offersGetStream reports whether a GET of a session gets a stream.
func (e *endpoint) offersGetStream() bool {
	return e.server.opt.IdleStream || e.server.opt.Interceptor != nil
}

// isStatelessRequest reports whether a request without a body is one of the modern era, in which
// GET and DELETE mean nothing.
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

// checkOrigin says why a request does not come from where it may, "" if it does. A web page
// can send to any port of this machine: its browser tells by Origin, and by Host when the
// page's own name was made to point here. Each is judged alone.
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
	// Some requests of pages carry no Origin, such as a GET for an image; what sent them
	// stands in Sec-Fetch-Site (Fetch Metadata Request Headers, 2.3). Programs send none.
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

// allowsOrigin reports whether the origin is the server's own, which the checked Host says, or
// one allowed by name. "null" is that of any sandboxed page.
func (e *endpoint) allowsOrigin(origin, host string) bool {
	if slices.ContainsFunc(e.server.opt.HTTP.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return true
	}
	return strings.EqualFold(origin, "http://"+host) || strings.EqualFold(origin, "https://"+host)
}
