package serve

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/wire"
)

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// post answers one message of Streamable HTTP, of either era.
func (x *exchange) post() {
	if !x.accepts(typeJSON) && !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeJSON+", "+typeStream)
		return
	}
	text, ok := x.body()
	if !ok {
		return
	}
	h := open(wire.Decode(text), x.r.Header)
	if refused := x.place(&h); refused != nil {
		x.server.tapIn(x.talk(), h.Message, x)
		x.write(h, *refused)
		return
	}
	h = x.server.arrive(context.WithoutCancel(x.r.Context()), x.talk(), h, x)
	if h.takesTime() && x.session != nil {
		x.take(h)
		return
	}
	out := x.server.reply(x.r.Context(), x.talk(), h, nil)
	switch {
	case !x.fresh():
	case out.failed:
		x.session.talk.end()
	default:
		x.sessions.add(x.session)
		x.w.Header().Set(headerSession, x.session.id)
	}
	x.write(h, out)
}

// fresh reports whether the session is one that begins.
func (x *exchange) fresh() bool { return x.session != nil && x.session.id == "" }

// place finds out the era of a message and whose it is, or why it is refused unheard. What
// has no conversation and is no refusal is answered as what it is: no message.
func (x *exchange) place(m *heard) *reply {
	s, r := x.server, x.r
	version := r.Header.Get(headerVersion)
	refuse := func(id string, status int, e *Error) *reply {
		out := fail(id, status, e)
		return &out
	}
	// What a session was told as its version it may say, though it be none.
	own := x.session != nil && len(r.Header.Values(headerVersion)) == 1 && x.session.talk.told() == version
	switch {
	case m.Kind == wire.Invalid && strings.Trim(m.Raw, space) == "":
		return refuse("", http.StatusBadRequest, &Error{Code: parseError, Message: "Parse error: the body is empty"})
	case m.Kind == wire.Invalid, m.Kind == wire.Request && m.req == nil:
	case own && (m.req == nil || !m.req.isModern()):
		if m.req != nil {
			m.req.old = true
		}
	case m.req != nil && s.modernEra(m.req):
		x.session = x.client(m.req)
	case m.Kind == wire.Notification && slices.Contains(s.modern, version):
		x.session = x.client(newRequest(m.Message, nil)) // none is defined, and none does harm
	case slices.Contains(s.modern, version):
		return refuse("", http.StatusBadRequest, &Error{Code: invalidRequest, Message: "Invalid Request: want a single request or notification"})
	case version != "" && !slices.Contains(s.legacy, version) || len(r.Header.Values(headerVersion)) > 1:
		return refuse(m.ID, http.StatusBadRequest, s.unknownHeader(version))
	case len(s.legacy) == 0 && m.req != nil:
		x.session = x.client(m.req)
	case len(s.legacy) == 0:
		return refuse("", http.StatusBadRequest, mismatch(headerVersion, "is missing"))
	case m.req != nil && m.Method == "initialize" && r.Header.Get(headerSession) == "":
		x.session = s.newSession(false)
	default:
		if status, e := x.known(); e != nil {
			return refuse(m.ID, status, e)
		}
	}
	return nil
}

// known says what is wrong with the session that the request names.
func (x *exchange) known() (status int, e *Error) {
	switch {
	case x.r.Header.Get(headerSession) == "":
		return http.StatusBadRequest, &Error{Code: badSession, Message: "Bad Request: the header " + headerSession + " is missing"}
	case x.session == nil:
		return http.StatusNotFound, &Error{Code: sessionNotFound, Message: "Session not found"}
	}
	return 0, nil
}

// client returns the conversation of a client of the stateless era: what comes from one
// address under one credential and one clientInfo.
func (x *exchange) client(r *request) *session {
	host, _, _ := net.SplitHostPort(x.r.RemoteAddr)
	key := sha256.Sum256([]byte(strings.Join([]string{host, strings.Join(x.r.Header.Values("Authorization"), ","), r.meta[metaClient]}, "\x00")))
	return x.clients.of(string(key[:]), func() *session {
		c := new(session)
		x.server.newTalk(&c.talk, func(line string) error {
			for _, s := range c.talk.subscriptions() {
				return s.post(line)
			}
			return ErrUnheard
		})
		c.talk.most = mostClientCalls
		return c
	})
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

// write sends a reply as JSON or, where that is asked for or has begun, as an event.
func (x *exchange) write(h heard, out reply) {
	if out.sub != nil {
		x.listen(h, out)
		return
	}
	stream := x.accepts(typeStream) && (x.server.opt.Streams || !x.accepts(typeJSON))
	if x.waits() && len(x.session.queue) > 0 && out.body != "" && out.status == 0 && !x.fresh() {
		x.begin()
		x.deliver()
	}
	defer x.say(h)()
	switch {
	case out.body == "":
		if !x.began {
			x.w.WriteHeader(http.StatusAccepted)
		}
	case x.began:
		_ = x.event(out.body)
	case stream && out.status == 0:
		x.begin()
		_ = x.event(out.body)
	default:
		x.json(out)
	}
}

// say begins to hand over the answer to a message; what it returns ends that.
func (x *exchange) say(h heard) (end func()) {
	t := x.talk()
	if t == nil {
		return func() {}
	}
	t.hold()
	h.said()
	return t.release
}

func (x *exchange) json(out reply) {
	x.deadline()
	status := http.StatusOK
	x.w.Header().Set("Content-Type", typeJSON)
	if out.status != 0 {
		status = out.status
	}
	if taken, _ := x.hand(out.body, status); taken {
		return
	}
	x.server.tapOut(x.talk(), out.body, x, status)
	if x.server.opt.Player != nil {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(out.body)))
	}
	if out.status != 0 {
		x.w.WriteHeader(out.status)
	}
	_, _ = io.WriteString(x.w, out.body)
	if x.server.opt.Player != nil {
		// It is to be on its way before what follows on another stream.
		_ = http.NewResponseController(x.w).Flush()
	}
}

// waits reports whether the session's messages have no other way than this exchange.
func (x *exchange) waits() bool {
	return x.session != nil && !x.session.sse && x.session.streams.Load() == 0 && x.accepts(typeStream)
}

// deliver sends what waits for a stream.
func (x *exchange) deliver() {
	for {
		select {
		case line := <-x.session.queue:
			if x.event(line) != nil {
				return
			}
		default:
			return
		}
	}
}

// listen holds a subscription until the client closes it or the server ends.
func (x *exchange) listen(h heard, out reply) {
	end := x.say(h)
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		end()
		return
	}
	taken, leave := within(&x.streams, mostStreams)
	if taken && len(x.talk().subscriptions()) >= mostListening {
		leave()
		taken = false
	}
	if !taken {
		x.refuse(http.StatusServiceUnavailable, "too many streams at a time")
		end()
		return
	}
	x.leave() // it is no request any more
	x.leave = leave
	queue := make(chan string, queued) // waits for the acknowledgement
	if !out.over {
		out.sub.post = func(line string) error {
			select {
			case queue <- line:
				return nil
			default:
				return ErrFull
			}
		}
		x.talk().listen(out.sub)
		defer x.talk().deaf(out.sub)
	}
	x.begin()
	err := x.event(out.listen)
	end()
	if err == nil && (out.over || x.hold(queue)) {
		_ = x.event(out.body)
	}
}

// get opens a stream for what belongs to no request.
func (x *exchange) get() {
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	if status, err := x.known(); err != nil {
		x.refuse(status, err.Message)
		return
	}
	x.server.tapIn(x.talk(), wire.Message{}, x)
	x.unlimited()
	x.begin()
	x.hold(x.session.queue)
}

func (x *exchange) delete() {
	if status, err := x.known(); err != nil {
		x.refuse(status, err.Message)
		return
	}
	x.server.tapIn(x.talk(), wire.Message{}, x)
	x.sessions.end(x.session.id)
	x.w.WriteHeader(http.StatusNoContent)
}

// hold keeps a stream open, sends what is queued for it, and reports whether it is the
// server that ends it.
func (x *exchange) hold(queue <-chan string) bool {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-x.ended:
			return true
		case <-x.session.ended:
			return true
		case <-x.r.Context().Done():
			return false
		case line := <-queue:
			x.talk().settle()
			err = x.event(line)
		case <-tick.C:
			err = x.beat()
		}
		if err != nil {
			return false
		}
	}
}
