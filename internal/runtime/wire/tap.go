package wire

import (
	"errors"
	"iter"
	"net/http"
)

// A Tap is shown every message that goes over a connection, once: one of ours just before
// it goes out, one of the peer's as soon as it was read, in whatever form and whether or
// not anybody waits for it. What came and could not be kept or is no message is an Invalid
// one whose Note says so. It is called from several goroutines at once and holds the
// connection up until it returns.
//
// Over HTTP an answer without a body is shown as an Invalid message without a text where
// the answer to a request should be, and else not at all.
type Tap func(Passage)

// A Passage is one message on its way. Message.Raw is valid for as long as it is kept.
type Passage struct {
	Message
	// Sent tells a message of ours from one of the peer's.
	Sent bool
	// Refuse, of a message of ours, keeps it from being sent: the connection fails with err.
	Refuse func(err error)
	// Post is what went with a message of ours over HTTP; nil over stdio. Of one of the
	// peer's, Message.HTTP is.
	Post *HTTPPost
}

// An HTTPPost is what a message went out with.
type HTTPPost struct {
	Exchange int         // see HTTPAnswer
	Header   http.Header // what MCP asks for, without what Endpoint was given
}

// HeaderOf returns header fields by name and value, for who reads them somewhere else.
func HeaderOf(fields iter.Seq2[string, string]) http.Header {
	h := http.Header{}
	for name, value := range fields {
		h.Add(name, value)
	}
	return h
}

// showSent shows a message that is to go out, and returns why it must not.
func (t Tap) showSent(raw string, post *HTTPPost) (err error) {
	if t != nil {
		t(Passage{Message: Decode(raw), Sent: true, Post: post, Refuse: func(why error) { err = why }})
	}
	return err
}

func (t Tap) showReceived(m Message) {
	if t != nil {
		t(Passage{Message: m})
	}
}

// showLost shows that something came which is not kept.
func (t Tap) showLost(why string, meta *HTTPAnswer) {
	t.showReceived(Message{Note: why + "; it was not kept", HTTP: meta})
}

// showTooLong shows an event that was too long to be kept.
func (h *HTTP) showTooLong(err error, meta *HTTPAnswer) {
	var tooLong *LineTooLongError
	if errors.As(err, &tooLong) {
		h.tap.showLost(tooLong.Error(), meta)
	}
}

// showRefusal shows the body of an answer with a status of failure. To a notification an
// empty one is no message.
func (x *exchange) showRefusal(m Message) {
	switch {
	case m.Raw == "" && x.kind != Request:
		return
	case m.Raw == "":
		m.Note = "an answer without a body"
	case m.Kind == Invalid:
		m.Note += cutNote(m.Raw)
	}
	x.h.tap.showReceived(m)
}

// showUnasked shows a body that is none of the answers which a message is owed. Servers write
// pleasantries there, so only one that is a message counts.
func (x *exchange) showUnasked(r *reply, meta *HTTPAnswer) {
	if x.h.tap == nil || r.ContentLength == 0 {
		return
	}
	if m := Decode(x.readBeginning(r)); m.Kind != Invalid {
		m.HTTP = meta
		m.Note = "in the answer to a POST that is owed none; nobody reads it"
		x.h.tap.showReceived(m)
	}
}

// cutNote says that a body was not kept whole.
func cutNote(body string) string {
	if len(body) < refusalBytes {
		return ""
	}
	return "; only its beginning was kept"
}
