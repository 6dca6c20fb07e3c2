package mcpserver

import (
	"context"
	"io"
	"net"
	"net/http"

	"gauntlet/internal/runtime/wire"
)

// An Outgoing is one message about to be written, passed to [Options.Deliver]. It must not be used concurrently or after that call
// returns.
type Outgoing struct {
	Session *Session
	Text    string // the message, JSON on one line
	HTTP    bool

	server *Server
	status int
	x      *exchange // nil over stdio
	out    io.Writer // of stdio
	cut    func()    // of stdio: ends the session
	err    error     // why nothing more can be written
}

// offerToDeliver offers a message to deliver. taken is false if the message is sent as usual; otherwise err says why the client
// gets nothing more over this transport.
func (o *Outgoing) offerToDeliver(ctx context.Context) (taken bool, err error) {
	if !o.server.opt.Deliver(ctx, o) {
		return false, nil
	}
	return true, o.err
}

// Tap reports the message as it is sent. Options.Deliver calls it once per message, after Head and before any bytes.
func (o *Outgoing) Tap(m wire.Message) { o.server.tapMessage(o.Session, m, o.x, o.status) }

// Stream turns an HTTP response into an event stream, and reports whether that is possible. Over stdio it always is.
func (o *Outgoing) Stream() bool {
	if o.x == nil || o.x.streaming {
		return true
	}
	if !o.x.accepts(typeStream) {
		return false
	}
	o.x.beginStream()
	o.status = http.StatusOK
	return true
}

// Head sets the response's status, unless it is 0, and headers; an empty value removes a header. It reports whether there is an
// HTTP response that has not begun.
func (o *Outgoing) Head(status int, header map[string]string) bool {
	if o.x == nil || o.x.streaming {
		return false
	}
	h := o.x.w.Header()
	for name, value := range header {
		if h.Set(name, value); value == "" {
			h[http.CanonicalHeaderKey(name)] = nil // otherwise net/http guesses one
		}
	}
	if status != 0 {
		o.status = status
	}
	return true
}

// Frame returns the bytes that enclose a message on this transport.
func (o *Outgoing) Frame() (begin, end string) {
	switch {
	case o.x == nil:
		return "", "\n"
	case o.x.streaming:
		return "event: message\ndata: ", "\n\n"
	}
	return "", ""
}

// Write sends bytes and returns how many were accepted. Over HTTP the write limit of [HTTPOptions] applies to each call.
func (o *Outgoing) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	var n int
	if o.x == nil {
		n, o.err = o.out.Write(b)
		return n, o.err
	}
	if x := o.x; !x.streaming && o.status != 0 {
		x.w.WriteHeader(o.status)
		o.status = 0
	}
	o.x.setWriteDeadline()
	if n, o.err = o.x.w.Write(b); o.err == nil {
		o.err = http.NewResponseController(o.x.w).Flush()
	}
	return n, o.err
}

// Close breaks the connection. reset sends the client a TCP reset; over stdio the session just ends.
func (o *Outgoing) Close(reset bool) {
	if o.err == nil {
		o.err = ErrSessionEnded
	}
	if o.x == nil {
		o.cut()
		return
	}
	conn, _, err := http.NewResponseController(o.x.w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// Tapped is one message as it passed over a transport.
type Tapped struct {
	// Session is nil if a message belongs to no session; such a message is refused.
	Session *Session
	// ToClient marks our messages.
	ToClient bool
	// Message is the text as received or sent, with its kind. An HTTP request without a message (a GET, a DELETE, or one refused
	// before its body is read) has an Invalid one without text, as has a line that was too long. A plain-text HTTP refusal is an
	// Invalid one with that text.
	Message wire.Message
	// Early says that a client's message had arrived before our latest one was written; over HTTP, that its request
	// had begun before.
	Early bool
	// HTTP is nil over stdio.
	HTTP *Exchange
}

// An Exchange is the HTTP part of a message. An event stream shares its exchange with the request that opened it.
type Exchange struct {
	Number int         // shared by request and response; from 1
	Method string      // of the request
	Status int         // of the response; 0 for the client's messages
	Header http.Header // of the request or response, unchanged, with its secrets
	Peer   string      // the client's address and port
}

// tapIn reports a client's message. x is nil over stdio.
func (s *Server) tapIn(t *Session, h incoming, x *exchange) {
	if x != nil {
		x.tapped = true
	}
	if s.opt.Tap == nil {
		return
	}
	out := Tapped{Session: t, Message: h.Message, Early: h.early}
	if x != nil {
		out.Early = x.before < s.told.Load()
		out.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Header: x.r.Header.Clone(), Peer: x.r.RemoteAddr}
	}
	s.opt.Tap(out)
}

func (s *Server) tapOut(t *Session, text string, x *exchange, status int) {
	if s.opt.Tap != nil {
		s.tapMessage(t, wire.Decode(text), x, status)
	}
}

func (s *Server) tapMessage(t *Session, m wire.Message, x *exchange, status int) {
	if s.opt.Tap == nil {
		return
	}
	out := Tapped{Session: t, ToClient: true, Message: m}
	if x != nil {
		s.told.Add(1)
		out.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Status: status, Header: x.w.Header().Clone(), Peer: x.r.RemoteAddr}
	}
	s.opt.Tap(out)
}
