package mcpserver

import (
	"net/http"

	"gauntlet/internal/runtime/wire"
)

// Tapped is one message as it went over a transport.
type Tapped struct {
	// Session is nil where a message belongs to no conversation; such a message is refused.
	Session *Session
	// ToClient says that the message is ours.
	ToClient bool
	// Message is the text as it was received or sent, with what kind of message it is. A
	// request of HTTP that brings none (a GET, a DELETE, or one that is refused before its
	// body is read) has an Invalid one without text, as has a line that was too long.
	// What HTTP says to a refused request in words is an Invalid one with these words.
	Message wire.Message
	// HTTP is nil over stdio.
	HTTP *Exchange
}

// An Exchange is what HTTP said around a message. A stream of events is one exchange with
// the request that opened it.
type Exchange struct {
	Number int         // request and answer share it; from 1
	Method string      // of the request
	Status int         // of the answer; 0 on what the client sent
	Header http.Header // of the request, or of the answer; as it was, with its secrets
	Peer   string      // the client's address and port
}

// tapIn tells of what a client sent. x is nil over stdio.
func (s *Server) tapIn(t *Session, m wire.Message, x *exchange) {
	if x != nil {
		x.tapped = true
	}
	if s.opt.Tap == nil {
		return
	}
	out := Tapped{Session: t, Message: m}
	if x != nil {
		out.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Header: x.r.Header.Clone(), Peer: x.r.RemoteAddr}
	}
	s.opt.Tap(out)
}

// tapOut tells of what is being sent.
func (s *Server) tapOut(t *Session, text string, x *exchange, status int) {
	if s.opt.Tap == nil {
		return
	}
	out := Tapped{Session: t, ToClient: true, Message: wire.Decode(text)}
	if x != nil {
		out.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Status: status, Header: x.w.Header().Clone(), Peer: x.r.RemoteAddr}
	}
	s.opt.Tap(out)
}
