package mcpserver

import (
	"context"
	"io"
	"net"
	"net/http"

	"gauntlet/internal/runtime/wire"
)

// An Outgoing is one message at the moment at which it is written, in the hands of
// [Options.Deliver]. It is used by one goroutine at a time, and not behind the call.
type Outgoing struct {
	Session *Session
	Text    string // the message, JSON on one line
	HTTP    bool

	server *Server
	status int
	x      *exchange // nil over stdio
	out    io.Writer // of stdio
	cut    func()    // of stdio: ends the conversation
	err    error     // why nothing more is written
}

// offerToDeliver offers a message to whoever delivers messages. taken is false where it goes out as
// usual; else err is why the client gets nothing more on this way.
func (o *Outgoing) offerToDeliver(ctx context.Context) (taken bool, err error) {
	if !o.server.opt.Deliver(ctx, o) {
		return false, nil
	}
	return true, o.err
}

// Tap tells of the message as it is sent. Whoever delivers it calls it once for each message,
// before its bytes, and behind Head.
func (o *Outgoing) Tap(m wire.Message) {
	if o.server.opt.Tap == nil {
		return
	}
	t := Tapped{Session: o.Session, ToClient: true, Message: m}
	if x := o.x; x != nil {
		t.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Status: o.status, Header: x.w.Header().Clone(), Peer: x.r.RemoteAddr}
	}
	o.server.opt.Tap(t)
}

// Stream makes the answer of HTTP an event stream, and reports whether it can be one, which
// it always is over stdio.
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

// Head sets the status, unless it is 0, and headers of the answer, those that are empty it
// takes away. It reports whether there is an answer of HTTP that has not begun.
func (o *Outgoing) Head(status int, header map[string]string) bool {
	if o.x == nil || o.x.streaming {
		return false
	}
	h := o.x.w.Header()
	for name, value := range header {
		if h.Set(name, value); value == "" {
			h[http.CanonicalHeaderKey(name)] = nil // else net/http finds one out
		}
	}
	if status != 0 {
		o.status = status
	}
	return true
}

// Frame returns what stands around a message on its way.
func (o *Outgoing) Frame() (begin, end string) {
	switch {
	case o.x == nil:
		return "", "\n"
	case o.x.streaming:
		return "event: message\ndata: ", "\n\n"
	}
	return "", ""
}

// Write gives bytes to the transport, and returns how many it took. A client over HTTP has
// the time of [HTTPOptions] for each.
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

// Close ends the connection as it is. A reset tells the client so; stdio has none, and
// there the conversation ends.
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
