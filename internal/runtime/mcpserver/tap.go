package mcpserver

import (
	"net/http"

	"gauntlet/internal/runtime/wire"
)

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

// tapOut reports a message being sent.
func (s *Server) tapOut(t *Session, text string, x *exchange, status int) {
	if s.opt.Tap == nil {
		return
	}
	out := Tapped{Session: t, ToClient: true, Message: wire.Decode(text)}
	if x != nil {
		s.told.Add(1)
		out.HTTP = &Exchange{Number: x.number, Method: x.r.Method, Status: status, Header: x.w.Header().Clone(), Peer: x.r.RemoteAddr}
	}
	s.opt.Tap(out)
}
