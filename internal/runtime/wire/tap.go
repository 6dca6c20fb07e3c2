package wire

import (
	"errors"
	"iter"
	"net/http"
)

// A Tap is called once for every message on a connection: for ours just before it is sent, for the peer's as soon as it is read,
// valid or not and whether or not anybody waits for it. Input that is no message, or could not be kept, is shown as an Invalid
// message with a Note. A Tap must be safe for concurrent use; the connection waits for it to return.
//
// An empty HTTP response is shown, as an Invalid message without text, only where the answer to a request was due.
type Tap func(Passage)

// A Passage is one message in transit. Message.Raw stays valid.
type Passage struct {
	Message
	// Sent is set for our messages.
	Sent bool
	// Refuse, for a message of ours, prevents it from being sent: the connection fails with err.
	Refuse func(err error)
	// Post is the HTTP part of a message of ours; nil over stdio. The peer's is in Message.HTTP.
	Post *HTTPPost
}

// An HTTPPost is the HTTP part of a message of ours.
type HTTPPost struct {
	Exchange int         // see HTTPAnswer
	Header   http.Header // the headers MCP requires, without those of Endpoint
}

// HeaderOf collects header fields given by name and value.
func HeaderOf(fields iter.Seq2[string, string]) http.Header {
	h := http.Header{}
	for name, value := range fields {
		h.Add(name, value)
	}
	return h
}

// showSent shows an outgoing message, and returns why it must not be sent.
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

// showLost shows that input arrived which is not kept.
func (t Tap) showLost(why string, meta *HTTPAnswer) {
	t.showReceived(Message{Note: why + "; it was not kept", HTTP: meta})
}

// showTooLong shows that an event was too long to keep.
func (h *HTTP) showTooLong(err error, meta *HTTPAnswer) {
	if tooLong, ok := errors.AsType[*LineTooLongError](err); ok {
		h.tap.showLost(tooLong.Error(), meta)
	}
}

// showRefusal shows the body of an error response. To a notification, an empty one is no message.
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

// showUnasked shows a body where no answer was due. Servers write pleasantries there, so only a message counts.
func (x *exchange) showUnasked(r *reply, meta *HTTPAnswer) {
	if x.h.tap == nil || r.ContentLength == 0 {
		return
	}
	if m := Decode(x.readBeginning(r)); m.Kind != Invalid {
		m.HTTP = meta
		m.Note = "in the response to a POST that expects none; no client reads it"
		x.h.tap.showReceived(m)
	}
}

// cutNote says that a body was cut off.
func cutNote(body string) string {
	if len(body) < refusalBytes {
		return ""
	}
	return "; only its beginning was kept"
}
