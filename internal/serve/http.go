package serve

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The paths of the endpoints: that of Streamable HTTP in both eras, and the two of HTTP+SSE.
const (
	Path         = "/mcp"
	PathSSE      = "/sse"
	pathMessages = "/messages"
)

const (
	mostRequests = 256         // at a time; each may hold a body
	mostStreams  = 256         // open at a time
	keepAlive    = time.Minute // of a connection without a request
	heartbeat    = 15 * time.Second
	shutdown     = 2 * time.Second
	headerBytes  = 64 << 10
)

// HTTP serves clients that come through ln, which it closes, until ctx ends; that is no
// error. Requests under way then have two seconds, and nothing is left running.
func (s *Server) HTTP(ctx context.Context, ln net.Listener) error {
	e := s.endpoint(ln.Addr())
	hs := &http.Server{Handler: e, ReadHeaderTimeout: s.opt.HTTP.Read, IdleTimeout: keepAlive, MaxHeaderBytes: headerBytes}
	// Without a logger of its own the server would write to the process's stderr.
	hs.ErrorLog = fresh(hs.ErrorLog)
	hs.ErrorLog.SetOutput(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(ln) }() // ends by Shutdown or Close below
	var err error
	select {
	case err = <-ended:
		ended <- err
	case <-ctx.Done():
	}
	e.end()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if hs.Shutdown(grace) != nil {
		_ = hs.Close()
	}
	<-ended
	e.idle()
	return err
}

func fresh[T any](*T) *T { return new(T) }

// An endpoint is a Server as it is seen through one listener.
type endpoint struct {
	server   *Server
	hosts    []string
	sessions sessions
	requests chan struct{} // has an element for every request that is not a stream
	streams  chan struct{} // and for every stream
	ended    chan struct{}
}

func (s *Server) endpoint(addr net.Addr) *endpoint {
	e := &endpoint{
		server: s, sessions: newSessions(),
		requests: make(chan struct{}, mostRequests), streams: make(chan struct{}, mostStreams), ended: make(chan struct{}),
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

// end ends all streams and lets no new ones begin.
func (e *endpoint) end() { close(e.ended) }

// idle returns when no request is being answered any more.
func (e *endpoint) idle() {
	for range mostRequests {
		e.requests <- struct{}{}
	}
	for range mostStreams {
		e.streams <- struct{}{}
	}
}

// ServeHTTP answers any request. Whatever is refused is refused before its body is read.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Writers that know no deadlines are those of tests.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(e.server.opt.HTTP.Read))
	e.deadline(w)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if why := e.foreign(r); why != "" {
		refuseHTTP(w, http.StatusForbidden, why)
		return
	}
	stream := r.Method == http.MethodGet
	slots := e.requests
	if stream {
		slots = e.streams
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	default:
		h.Set("Retry-After", "1")
		refuseHTTP(w, http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	e.route(w, r)
}

func (e *endpoint) route(w http.ResponseWriter, r *http.Request) {
	old := len(e.server.legacy) > 0
	switch {
	case r.URL.Path == Path && r.Method == http.MethodPost:
		e.post(w, r)
	case r.URL.Path == Path && r.Method == http.MethodGet && old && e.server.opt.IdleStream && !e.isModern(r):
		e.get(w, r)
	case r.URL.Path == Path && r.Method == http.MethodDelete && old && !e.isModern(r):
		e.delete(w, r)
	case r.URL.Path == Path:
		w.Header().Set("Allow", e.allowed())
		refuseHTTP(w, http.StatusMethodNotAllowed, "method not allowed")
	case r.URL.Path == PathSSE && r.Method == http.MethodGet && old:
		e.sse(w, r)
	case r.URL.Path == pathMessages && r.Method == http.MethodPost && old:
		e.message(w, r)
	case r.URL.Path == PathSSE && old, r.URL.Path == pathMessages && old:
		refuseHTTP(w, http.StatusMethodNotAllowed, "method not allowed")
	default:
		refuseHTTP(w, http.StatusNotFound, "not found: the endpoint is "+Path)
	}
}

// isModern reports whether a request without a body is one of the modern era, in which
// GET and DELETE mean nothing.
func (e *endpoint) isModern(r *http.Request) bool {
	return slices.Contains(modern, r.Header.Get(headerVersion))
}

func (e *endpoint) allowed() string {
	out := "POST"
	if len(e.server.legacy) > 0 {
		if out += ", DELETE"; e.server.opt.IdleStream {
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

// body reads a request's body, or answers what is wrong with it.
func (e *endpoint) body(w http.ResponseWriter, r *http.Request) (string, bool) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	switch {
	// A page may send text/plain to anybody without being asked whether it may.
	case err != nil || kind != "application/json" || charset != "" && charset != "utf-8":
		refuseHTTP(w, http.StatusUnsupportedMediaType, "want Content-Type: application/json")
		return "", false
	case r.Header.Get("Content-Encoding") != "":
		refuseHTTP(w, http.StatusUnsupportedMediaType, "want a body without Content-Encoding")
		return "", false
	}
	limit := e.server.opt.HTTP.Body
	if r.ContentLength > int64(limit) {
		e.tooLong(w)
		return "", false
	}
	var text strings.Builder
	_, err = io.Copy(&text, http.MaxBytesReader(w, r.Body, int64(limit)))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		e.tooLong(w)
		return "", false
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuseHTTP(w, http.StatusRequestTimeout, "the body took too long")
		return "", false
	case err != nil:
		refuseHTTP(w, http.StatusBadRequest, "the body cannot be read")
		return "", false
	}
	unlimited(w)
	return text.String(), true
}

func (e *endpoint) tooLong(w http.ResponseWriter) {
	refuseHTTP(w, http.StatusRequestEntityTooLarge, "the body has more than "+strconv.Itoa(e.server.opt.HTTP.Body)+" bytes")
}

// unlimited takes back the limit on reading, which would end the request's context while
// it is being answered.
func unlimited(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// deadline gives the client its time to take what is written next.
func (e *endpoint) deadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(e.server.opt.HTTP.Write))
}

// refuseHTTP answers with words. The connection ends, since a body may be under way.
func refuseHTTP(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// accepts reports whether the client takes a type of content; without an Accept header
// it takes any.
func accepts(r *http.Request, kind string) bool {
	headers := r.Header.Values("Accept")
	if len(headers) == 0 {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil && q == 0 {
			continue
		}
		if name == kind || name == "*/*" || name == family+"/*" {
			return true
		}
	}
	return false
}
