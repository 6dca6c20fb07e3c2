package serve

import (
	"net/http"
	"time"

	"gauntlet/internal/wire"
)

// queued is how many answers wait for the stream of an HTTP+SSE session.
const queued = 16

// sse opens a conversation of HTTP+SSE (2024-11-05): answers come on this stream, and
// what the client has to say goes where the first event tells.
func (e *endpoint) sse(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, typeStream) {
		refuseHTTP(w, http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	s := &session{queue: make(chan string, queued)}
	e.sessions.add(s)
	defer e.sessions.end(s.id)
	unlimited(w)
	e.begin(w)
	if e.event(w, "endpoint", pathMessages+"?sessionId="+s.id) == nil {
		e.hold(w, r, s)
	}
}

// message takes a message of HTTP+SSE. Its answer goes to the stream; what is no message
// at all is refused here, and not there too.
func (e *endpoint) message(w http.ResponseWriter, r *http.Request) {
	s := e.sessions.get(r.URL.Query().Get("sessionId"), true)
	if s == nil {
		refuseHTTP(w, http.StatusNotFound, "session not found")
		return
	}
	text, ok := e.body(w, r)
	if !ok {
		return
	}
	m := wire.Decode(text)
	if m.Kind == wire.Invalid {
		e.write(w, r, refuse(m))
		return
	}
	out := e.server.eraless(r.Context(), &s.talk, m)
	// First this, then the answer: a client that has its answer may not wait for the rest
	// of what it asked.
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusAccepted)
	_ = http.NewResponseController(w).Flush()
	if out.body == "" {
		return
	}
	timer := time.NewTimer(e.server.opt.HTTP.Write)
	defer timer.Stop()
	select {
	case s.queue <- out.body:
	case <-s.ended:
	case <-e.ended:
	case <-timer.C:
		e.sessions.end(s.id) // nobody reads the stream
	}
}
