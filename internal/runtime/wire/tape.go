package wire

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A Tape records a connection into a trace: its Record is a [Tap]. Tapes of several connections may share a Recorder. It keeps no
// message itself.
type Tape struct {
	recorder *trace.Recorder

	mu    sync.Mutex
	about trace.Message
	hello string // id of the latest initialize, "" before
	err   error
}

// NewTape returns a Tape for one connection. about holds what all its messages share: Actor, Phase, Server, Session, Protocol,
// Role, and over HTTP the Credential of sent messages. What we send goes to the client if Role is AsServer, else to the server.
// Connections with equal ids need distinct Session labels, or answers would be matched across them.
func NewTape(r *trace.Recorder, about trace.Message) *Tape {
	return &Tape{recorder: r, about: about}
}

// Enter sets the phase of later messages.
func (t *Tape) Enter(phase string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.about.Phase = phase
}

// Err returns the first reason why a message is missing from the trace, or nil.
func (t *Tape) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// maxParts bounds the messages of a batch that get their own line. The batch's line holds all.
const maxParts = 10_000

// Record records a message at the current time, followed by the parts of a batch. It is safe for concurrent use.
func (t *Tape) Record(p Passage) { t.RecordAt(p, time.Now()) }

// RecordAt is Record for a message seen at another time; zero means unknown.
func (t *Tape) RecordAt(p Passage, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.about.Time = at
	m := t.appendMessage(p)
	parts, more := p.parts()
	if more {
		m.Note = fmt.Sprintf("only the first %d of its messages follow", maxParts)
	}
	seq := t.appendPassage(m)
	for _, part := range parts {
		one := t.appendMessage(Passage{Message: part, Sent: p.Sent, Post: p.Post})
		one.PartOf = seq
		t.appendPassage(one)
	}
}

// parts returns the messages of a batch, at most maxParts, and whether there are more.
func (p Passage) parts() (parts []Message, more bool) {
	if p.Kind != Batch {
		return nil, false
	}
	for part := range p.Parts() {
		if len(parts) == maxParts {
			return parts, true
		}
		parts = append(parts, part)
	}
	return parts, false
}

func (t *Tape) appendPassage(m trace.Message) (seq int) {
	out, err := t.recorder.Record(m)
	if err != nil && t.err == nil {
		t.err = err
	}
	return out.Seq
}

// appendMessage returns p as a trace message, without the fields the Recorder sets.
func (t *Tape) appendMessage(p Passage) trace.Message {
	m := t.about
	m.Direction = trace.ToClient
	if p.Sent != (t.about.Role == trace.AsServer) {
		m.Direction = trace.ToServer
	}
	m.Revision = t.revision(p, m.Direction)
	m.Kind, m.ID, m.Method, m.Note, m.Raw = trace.Kind(p.Kind.String()), p.ID, p.Method, p.Note, p.Raw
	if len(m.Raw) > trace.DefaultPayload {
		m.Note, m.Raw = fmt.Sprintf("%d bytes exceed the trace's limit; they were not kept", len(m.Raw)), ""
	}
	m.HTTP = nil
	switch {
	case p.Post != nil:
		m.HTTP = &trace.HTTP{Exchange: p.Post.Exchange, Method: http.MethodPost, Headers: TraceHeaders(p.Post.Header)}
		if t.about.HTTP != nil {
			m.HTTP.Credential = t.about.HTTP.Credential
		}
	case p.HTTP != nil:
		m.HTTP = &trace.HTTP{Exchange: p.HTTP.Exchange, Status: p.HTTP.Status, Headers: TraceHeaders(p.HTTP.Header)}
	}
	return m
}

// TraceHeaders returns header fields as a trace has them, sorted by name.
func TraceHeaders(h http.Header) []trace.Field {
	var out []trace.Field
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			out = append(out, trace.Field{Name: name, Value: value})
		}
	}
	return out
}

// revision returns the protocol revision that the message claims, else the one last claimed or negotiated.
func (t *Tape) revision(p Passage, way trace.Direction) string {
	claim := ""
	switch {
	case way == trace.ToServer && p.Kind == Request && p.Method == mcp.Initialize:
		t.hello = p.ID
		claim = rawjson.LastText(p.Params, "protocolVersion")
	case way == trace.ToServer && (p.Kind == Request || p.Kind == Notification):
		claim = rawjson.LastText(rawjson.LastMember(p.Params, "_meta"), mcp.MetaProtocolVersion)
	case way == trace.ToClient && p.Kind == Response && t.hello != "" && p.ID == t.hello:
		claim = rawjson.LastText(p.Result, "protocolVersion")
	}
	const longest = 32
	if visible(claim) && len(claim) <= longest {
		t.about.Revision = claim
	}
	return t.about.Revision
}

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

func cutNote(body string) string {
	if len(body) < refusalBytes {
		return ""
	}
	return "; only its beginning was kept"
}
