package serve

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/wire"
)

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// post answers one message of Streamable HTTP, of either era.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, typeJSON) && !accepts(r, typeStream) {
		refuseHTTP(w, http.StatusNotAcceptable, "want Accept: "+typeJSON+", "+typeStream)
		return
	}
	text, ok := e.body(w, r)
	if !ok {
		return
	}
	m := wire.Decode(text)
	e.write(w, r, e.reply(w, r, m))
}

// reply finds out the era of a message and, in the legacy one, its session.
func (e *endpoint) reply(w http.ResponseWriter, r *http.Request, m wire.Message) reply {
	s := e.server
	version := r.Header.Get(headerVersion)
	switch {
	case m.Kind == wire.Invalid && strings.Trim(m.Raw, space) == "":
		return fail("", http.StatusBadRequest, &Error{Code: parseError, Message: "Parse error: the body is empty"})
	case m.Kind == wire.Invalid, m.Kind == wire.Request && m.Note != "":
		return s.answer(r.Context(), nil, m, r.Header)
	case m.Kind == wire.Request && s.modernEra(newRequest(m, r.Header)):
		return s.answer(r.Context(), nil, m, r.Header)
	case m.Kind == wire.Notification && slices.Contains(s.modern, version):
		return reply{} // none is defined, and none does harm
	case slices.Contains(s.modern, version):
		return fail("", http.StatusBadRequest, &Error{Code: invalidRequest, Message: "Invalid Request: want a single request or notification"})
	case version != "" && !slices.Contains(s.legacy, version) || len(r.Header.Values(headerVersion)) > 1:
		return fail(m.ID, http.StatusBadRequest, s.unknownHeader(version))
	case len(s.legacy) == 0 && m.Kind == wire.Request:
		return s.answer(r.Context(), nil, m, r.Header)
	case len(s.legacy) == 0:
		return fail("", http.StatusBadRequest, mismatch(headerVersion, "is missing"))
	}
	return e.legacy(w, r, m)
}

// unknownHeader answers a message whose header names a revision that is not spoken. A
// server of the legacy era must not use an error of the modern one: its clients would
// take it for a modern server.
func (s *Server) unknownHeader(version string) *Error {
	if len(s.modern) > 0 {
		return s.unsupported(quote(version))
	}
	return &Error{Code: badSession, Message: "Bad Request: unsupported protocol version; this server speaks " + strings.Join(s.supported(), ", ")}
}

func (e *endpoint) legacy(w http.ResponseWriter, r *http.Request, m wire.Message) reply {
	id := r.Header.Get(headerSession)
	if m.Kind == wire.Request && m.Method == "initialize" && id == "" {
		started := new(session)
		out := e.server.answer(r.Context(), &started.talk, m, r.Header)
		if !out.failed {
			e.sessions.add(started)
			w.Header().Set(headerSession, started.id)
		}
		return out
	}
	session, status, err := e.session(id)
	if err != nil {
		return fail(m.ID, status, err)
	}
	return e.server.answer(r.Context(), &session.talk, m, r.Header)
}

func (e *endpoint) session(id string) (*session, int, *Error) {
	if id == "" {
		return nil, http.StatusBadRequest, &Error{Code: badSession, Message: "Bad Request: the header " + headerSession + " is missing"}
	}
	s := e.sessions.get(id, false)
	if s == nil {
		return nil, http.StatusNotFound, &Error{Code: sessionNotFound, Message: "Session not found"}
	}
	return s, 0, nil
}

// write sends a reply as JSON or, where that is asked for, as a stream of one event.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, out reply) {
	stream := accepts(r, typeStream) && (e.server.opt.Streams || !accepts(r, typeJSON))
	switch {
	case out.body == "":
		w.WriteHeader(http.StatusAccepted)
	case out.listen != "" && !accepts(r, typeStream):
		refuseHTTP(w, http.StatusNotAcceptable, "want Accept: "+typeStream)
	case out.listen != "":
		e.listen(w, r, out)
	case stream && out.status == 0:
		e.begin(w)
		_ = e.event(w, "message", out.body)
	default:
		e.deadline(w)
		w.Header().Set("Content-Type", typeJSON)
		if out.status != 0 {
			w.WriteHeader(out.status)
		}
		_, _ = io.WriteString(w, out.body)
	}
}

// listen holds a subscription until the client closes it or the server ends.
func (e *endpoint) listen(w http.ResponseWriter, r *http.Request, out reply) {
	select {
	case e.streams <- struct{}{}:
		defer func() { <-e.streams }()
	default:
		refuseHTTP(w, http.StatusServiceUnavailable, "too many streams at a time")
		return
	}
	e.begin(w)
	if e.event(w, "message", out.listen) != nil {
		return
	}
	if out.over || e.hold(w, r, nil) {
		_ = e.event(w, "message", out.body)
	}
}

// get opens a stream on which nothing is ever sent.
func (e *endpoint) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, typeStream) {
		refuseHTTP(w, http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	session, status, err := e.session(r.Header.Get(headerSession))
	if err != nil {
		refuseHTTP(w, status, err.Message)
		return
	}
	unlimited(w)
	e.begin(w)
	e.hold(w, r, session)
}

func (e *endpoint) delete(w http.ResponseWriter, r *http.Request) {
	session, status, err := e.session(r.Header.Get(headerSession))
	if err != nil {
		refuseHTTP(w, status, err.Message)
		return
	}
	e.sessions.end(session.id)
	w.WriteHeader(http.StatusNoContent)
}

// begin starts a stream of events.
func (e *endpoint) begin(w http.ResponseWriter) {
	e.deadline(w)
	w.Header().Set("Content-Type", typeStream)
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
}

// event sends one event, whose data is a single line.
func (e *endpoint) event(w http.ResponseWriter, name, data string) error {
	e.deadline(w)
	for _, part := range []string{"event: ", name, "\ndata: ", data, "\n\n"} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}

// hold keeps a stream open, sends what is queued for its session, and reports whether it
// is the server that ends it.
func (e *endpoint) hold(w http.ResponseWriter, r *http.Request, s *session) bool {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	if s == nil {
		s = new(session) // whose channels never say anything
	}
	for {
		var err error
		select {
		case <-e.ended:
			return true
		case <-s.ended:
			return true
		case <-r.Context().Done():
			return false
		case data := <-s.queue:
			err = e.event(w, "message", data)
		case <-tick.C:
			e.deadline(w)
			if _, err = io.WriteString(w, ":\n\n"); err == nil {
				err = http.NewResponseController(w).Flush()
			}
		}
		if err != nil {
			return false
		}
	}
}
