package serve

import (
	"context"
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
	hs.ErrorLog = fresh(hs.ErrorLog)
	hs.ErrorLog.SetOutput(io.Discard)
	unused := &unused{conns: map[net.Conn]bool{}}
	hs.ConnState = unused.note
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(ln) }() // ends by Shutdown or Close below
	var err error
	select {
	case err = <-ended:
		ended <- err
	case <-ctx.Done():
	}
	e.end()
	unused.close()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if hs.Shutdown(grace) != nil {
		_ = hs.Close()
	}
	<-ended
	e.idle()
	return err
}

// unused are connections on which nothing has come. Clients open some to have them, and
// Shutdown would wait for them.
type unused struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
	over  bool
}

func (u *unused) note(c net.Conn, state http.ConnState) {
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

func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	for c := range u.conns {
		c.Close()
	}
}

func fresh[T any](*T) *T { return new(T) }

// An endpoint is a Server as it is seen through one listener.
type endpoint struct {
	server   *Server
	hosts    []string
	sessions sessions
	clients  sessions      // of the stateless era, by what tells them apart
	requests atomic.Int32  // without a session that are no streams, under way
	streams  atomic.Int32  // without a session
	large    atomic.Int32  // bodies
	all      chan struct{} // has an element for every request under way
	ended    chan struct{}
	calls    sync.WaitGroup // under way
}

func (s *Server) endpoint(addr net.Addr) *endpoint {
	e := &endpoint{
		server: s, sessions: newSessions(), clients: newSessions(),
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

// end ends all streams and conversations, and lets no new streams begin.
func (e *endpoint) end() {
	close(e.ended)
	e.endTalks()
}

func (e *endpoint) endTalks() {
	e.sessions.endAll()
	e.clients.endAll()
}

// idle returns when no request is being answered any more.
func (e *endpoint) idle() {
	for range mostAtOnce {
		e.all <- struct{}{}
	}
	e.endTalks() // that began meanwhile
	e.calls.Wait()
}

// ServeHTTP answers any request. Whatever is refused is refused before its body is read.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{endpoint: e, w: w, r: r, number: int(e.server.exchanges.Add(1))}
	// Writers that know no deadlines are those of tests.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.server.opt.HTTP.Read))
	x.deadline()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if why := e.foreign(r); why != "" {
		x.refuse(http.StatusForbidden, why)
		return
	}
	x.session = e.named(r)
	if !x.enter() {
		h.Set("Retry-After", "1")
		x.refuse(http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	defer func() {
		if x.large != nil {
			x.large()
		}
		x.leave()
		<-e.all
	}()
	x.route()
}

// named returns the session that a request names, nil if it names none that there is.
func (e *endpoint) named(r *http.Request) *session {
	if r.URL.Path == pathMessages {
		return e.sessions.get(r.URL.Query().Get("sessionId"), true)
	}
	return e.sessions.get(r.Header.Get(headerSession), false)
}

// enter takes a place among the requests at a time, and reports whether there was one. A
// session has places of its own: who holds those of strangers does not keep it out.
func (x *exchange) enter() bool {
	if !try(x.all) {
		return false
	}
	taken, s, stream := false, x.session, x.r.Method == http.MethodGet
	switch {
	case s != nil && stream:
		taken, x.leave = within(&s.streams, sessionStreams)
	case s != nil:
		taken, x.leave = within(&s.requests, sessionRequests)
	case stream:
		taken, x.leave = within(&x.streams, mostStreams)
	default:
		taken, x.leave = within(&x.requests, mostRequests)
	}
	if !taken {
		<-x.all
	}
	return taken
}

func try(slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	default:
		return false
	}
}

// within counts one more, unless there are the most.
func within(n *atomic.Int32, most int32) (taken bool, leave func()) {
	if n.Add(1) > most {
		n.Add(-1)
		return false, nil
	}
	return true, func() { n.Add(-1) }
}

func (x *exchange) route() {
	e, r := x.endpoint, x.r
	old := len(e.server.legacy) > 0
	switch {
	case r.URL.Path == Path && r.Method == http.MethodPost:
		x.post()
	case r.URL.Path == Path && r.Method == http.MethodGet && old && e.streaming() && !e.isModern(r):
		x.get()
	case r.URL.Path == Path && r.Method == http.MethodDelete && old && !e.isModern(r):
		x.delete()
	case r.URL.Path == Path:
		x.w.Header().Set("Allow", e.allowed())
		x.refuse(http.StatusMethodNotAllowed, "method not allowed")
	case r.URL.Path == PathSSE && r.Method == http.MethodGet && old:
		x.sse()
	case r.URL.Path == pathMessages && r.Method == http.MethodPost && old:
		x.message()
	case r.URL.Path == PathSSE && old, r.URL.Path == pathMessages && old:
		x.refuse(http.StatusMethodNotAllowed, "method not allowed")
	default:
		x.refuse(http.StatusNotFound, "not found: the endpoint is "+Path)
	}
}

// streaming reports whether a GET of a session gets a stream.
func (e *endpoint) streaming() bool { return e.server.opt.IdleStream || e.server.opt.Player != nil }

// isModern reports whether a request without a body is one of the modern era, in which
// GET and DELETE mean nothing.
func (e *endpoint) isModern(r *http.Request) bool {
	return slices.Contains(modern, r.Header.Get(headerVersion))
}

func (e *endpoint) allowed() string {
	out := "POST"
	if len(e.server.legacy) > 0 {
		if out += ", DELETE"; e.streaming() {
			out += ", GET"
		}
	}
	return out
}

// foreign says why a request does not come from where it may, "" if it does. A web page
// can send to any port of this machine: its browser tells by Origin, and by Host when the
// page's own name was made to point here. Each is judged alone.
func (e *endpoint) foreign(r *http.Request) string {
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "the Host header is not valid"
		}
		host = name
	}
	if !e.own(host) {
		return "the Host header names another host"
	}
	switch origins := r.Header.Values("Origin"); {
	case len(origins) > 1:
		return "more than one Origin header"
	case len(origins) == 1 && !e.allows(origins[0], r.Host):
		return "the Origin header names a foreign origin"
	}
	return ""
}

func (e *endpoint) own(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || slices.Contains(e.hosts, ip.String())
	}
	return host == "localhost" || host != "" && slices.Contains(e.hosts, host)
}

// allows reports whether the origin is the server's own, which the checked Host says, or
// one allowed by name. "null" is that of any sandboxed page.
func (e *endpoint) allows(origin, host string) bool {
	if slices.ContainsFunc(e.server.opt.HTTP.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return true
	}
	return strings.EqualFold(origin, "http://"+host) || strings.EqualFold(origin, "https://"+host)
}
