package mcpserver

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

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// servePost answers one Streamable HTTP message of either era.
func (x *exchange) servePost() {
	if !x.accepts(typeJSON) && !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeJSON+", "+typeStream)
		return
	}
	text, ok := x.readBody()
	if !ok {
		return
	}
	h := readIncoming(wire.Decode(text), x.r.Header)
	if refused := x.assignSession(&h); refused != nil {
		x.server.tapIn(x.sessionOrNil(), h, x)
		x.writeReply(h, *refused)
		return
	}
	h = x.server.receive(context.WithoutCancel(x.r.Context()), x.sessionOrNil(), h, x)
	if h.mayTakeTime() && x.http != nil {
		x.runPosted(h)
		return
	}
	out := x.server.answerMessage(x.r.Context(), x.sessionOrNil(), h, nil)
	switch {
	case !x.isNewSession():
	case out.failed:
		x.http.session.endSession()
	default:
		x.sessions.addWithNewID(x.http)
		x.w.Header().Set(mcp.HeaderSessionID, x.http.id)
	}
	x.writeReply(h, out)
}

func (x *exchange) isNewSession() bool { return x.http != nil && x.http.id == "" }

// assignSession determines a message's era and session, or why it is refused unread. Without a session or a refusal it is answered
// as invalid.
func (x *exchange) assignSession(m *incoming) *reply {
	s, r := x.server, x.r
	version := r.Header.Get(mcp.HeaderProtocolVersion)
	refuse := func(id string, status int, e *Error) *reply {
		out := failReply(id, status, e)
		return &out
	}
	// A session's client may repeat the version it was told, even if that is no revision.
	own := x.http != nil && len(r.Header.Values(mcp.HeaderProtocolVersion)) == 1 && x.http.session.answeredVersion() == version
	switch {
	case m.Kind == wire.Invalid && strings.Trim(m.Raw, space) == "":
		return refuse("", http.StatusBadRequest, &Error{Code: mcp.CodeParseError, Message: "Parse error: the body is empty"})
	case m.Kind == wire.Invalid, m.Kind == wire.Request && m.req == nil:
	case own && (m.req == nil || !m.req.isStateless()):
		if m.req != nil {
			m.req.handshake = true
		}
	case m.req != nil && s.isStatelessRequest(m.req):
		x.http = x.statelessClient(m.req)
	case m.Kind == wire.Notification && slices.Contains(s.stateless, version):
		x.http = x.statelessClient(newRequest(m.Message, nil)) // the era defines no session id, and one does no harm
	case slices.Contains(s.stateless, version):
		return refuse("", http.StatusBadRequest, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: want a single request or notification"})
	case version != "" && !slices.Contains(s.handshake, version) || len(r.Header.Values(mcp.HeaderProtocolVersion)) > 1:
		return refuse(m.ID, http.StatusBadRequest, s.unknownVersionHeader(version))
	case len(s.handshake) == 0 && m.req != nil:
		x.http = x.statelessClient(m.req)
	case len(s.handshake) == 0:
		return refuse("", http.StatusBadRequest, headerMismatch(mcp.HeaderProtocolVersion, "is missing"))
	case m.req != nil && m.Method == mcp.Initialize && r.Header.Get(mcp.HeaderSessionID) == "":
		x.http = s.newHTTPSession(false)
	default:
		if status, e := x.checkNamedSession(); e != nil {
			return refuse(m.ID, status, e)
		}
	}
	return nil
}

// checkNamedSession says what is wrong with the session that the request names.
func (x *exchange) checkNamedSession() (status int, e *Error) {
	switch {
	case x.r.Header.Get(mcp.HeaderSessionID) == "":
		return http.StatusBadRequest, &Error{Code: mcp.CodeBadSession, Message: "Bad Request: the header " + mcp.HeaderSessionID + " is missing"}
	case x.http == nil:
		return http.StatusNotFound, &Error{Code: mcp.CodeSessionNotFound, Message: "Session not found"}
	}
	return 0, nil
}

// statelessClient returns the session of a stateless client: one address, one credential, one clientInfo.
func (x *exchange) statelessClient(r *request) *httpSession {
	host, _, _ := net.SplitHostPort(x.r.RemoteAddr)
	key := sha256.Sum256([]byte(strings.Join([]string{host, strings.Join(x.r.Header.Values("Authorization"), ","), r.meta[mcp.MetaClientInfo]}, "\x00")))
	return x.clients.findOrBegin(string(key[:]), func() *httpSession {
		c := new(httpSession)
		x.server.initSession(&c.session, func(line string) error {
			for _, s := range c.session.subscriptions() {
				return s.post(line)
			}
			return ErrNoChannel
		})
		c.session.most = mostClientCalls
		return c
	})
}

// unknownVersionHeader answers a message whose header names an unsupported revision. A handshake-era server must not use an error
// of the stateless era: clients would take it for a stateless server.
func (s *Server) unknownVersionHeader(version string) *Error {
	if len(s.stateless) > 0 {
		return s.unsupportedVersion(rawjson.Quote(version))
	}
	return &Error{Code: mcp.CodeBadSession, Message: "Bad Request: unsupported protocol version; this server speaks " + strings.Join(s.supported(), ", ")}
}

// writeReply sends a reply as JSON, or as an event if a stream is requested or has begun.
func (x *exchange) writeReply(h incoming, out reply) {
	if out.sub != nil {
		x.serveSubscription(h, out)
		return
	}
	stream := x.accepts(typeStream) && (x.server.opt.Streams || !x.accepts(typeJSON))
	if x.ownsQueue() && len(x.http.queue) > 0 && out.body != "" && out.status == 0 && !x.isNewSession() {
		x.beginStream()
		x.flushQueue()
	}
	defer x.beginAnswer(h)()
	switch {
	case out.body == "":
		if !x.streaming {
			x.w.WriteHeader(http.StatusAccepted)
		}
	case x.streaming:
		_ = x.sendEvent(out.body)
	case stream && out.status == 0:
		x.beginStream()
		_ = x.sendEvent(out.body)
	default:
		x.writeJSON(out)
	}
}

// beginAnswer starts writing the answer to a message; the returned function ends that.
func (x *exchange) beginAnswer(h incoming) (end func()) {
	t := x.sessionOrNil()
	if t == nil {
		return func() {}
	}
	t.beginWriting()
	h.afterAnswer()
	return t.endWriting
}

func (x *exchange) writeJSON(out reply) {
	x.setWriteDeadline()
	status := http.StatusOK
	x.w.Header().Set("Content-Type", typeJSON)
	if out.status != 0 {
		status = out.status
	}
	if taken, _ := x.offerToDeliver(out.body, status); taken {
		return
	}
	x.server.tapOut(x.sessionOrNil(), out.body, x, status)
	if x.server.opt.Interceptor != nil {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(out.body)))
	}
	if out.status != 0 {
		x.w.WriteHeader(out.status)
	}
	_, _ = io.WriteString(x.w, out.body)
	if x.server.opt.Interceptor != nil {
		// It must be sent before what follows on another stream.
		_ = http.NewResponseController(x.w).Flush()
	}
}

// ownsQueue reports whether this exchange is the only way for the session's messages.
func (x *exchange) ownsQueue() bool {
	return x.http != nil && !x.http.sse && x.http.streams.Load() == 0 && x.accepts(typeStream)
}

func (x *exchange) flushQueue() {
	for {
		select {
		case line := <-x.http.queue:
			if x.sendEvent(line) != nil {
				return
			}
		default:
			return
		}
	}
}

// serveSubscription holds a subscription open until the client closes it or the server ends.
func (x *exchange) serveSubscription(h incoming, out reply) {
	end := x.beginAnswer(h)
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		end()
		return
	}
	taken, leave := countWithin(&x.streams, mostStreams)
	if taken && len(x.sessionOrNil().subscriptions()) >= mostListening {
		leave()
		taken = false
	}
	if !taken {
		x.refuse(http.StatusServiceUnavailable, "too many streams at a time")
		end()
		return
	}
	x.releaseSlot() // it no longer counts as a request
	x.releaseSlot = leave
	queue := make(chan string, queued) // holds messages until the acknowledgement is sent
	if !out.over {
		out.sub.post = func(line string) error {
			select {
			case queue <- line:
				return nil
			default:
				return ErrFull
			}
		}
		x.sessionOrNil().addSubscription(out.sub)
		defer x.sessionOrNil().removeSubscription(out.sub)
	}
	x.beginStream()
	err := x.sendEvent(out.listen)
	end()
	if err == nil && (out.over || x.streamQueue(queue)) {
		_ = x.sendEvent(out.body)
	}
}

// serveGet opens a stream for messages outside any request.
func (x *exchange) serveGet() {
	if !x.accepts(typeStream) {
		x.refuse(http.StatusNotAcceptable, "want Accept: "+typeStream)
		return
	}
	if status, err := x.checkNamedSession(); err != nil {
		x.refuse(status, err.Message)
		return
	}
	x.server.tapIn(x.sessionOrNil(), incoming{}, x)
	x.clearReadDeadline()
	x.beginStream()
	x.streamQueue(x.http.queue)
}

func (x *exchange) serveDelete() {
	if status, err := x.checkNamedSession(); err != nil {
		x.refuse(status, err.Message)
		return
	}
	x.server.tapIn(x.sessionOrNil(), incoming{}, x)
	x.sessions.endSession(x.http.id)
	x.w.WriteHeader(http.StatusNoContent)
}

// streamQueue sends queued messages on a stream that stays open, and reports whether the server ended it.
func (x *exchange) streamQueue(queue <-chan string) bool {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-x.ended:
			return true
		case <-x.http.ended:
			return true
		case <-x.r.Context().Done():
			return false
		case line := <-queue:
			x.sessionOrNil().waitForWriting()
			err = x.sendEvent(line)
		case <-tick.C:
			err = x.writeHeartbeat()
		}
		if err != nil {
			return false
		}
	}
}
