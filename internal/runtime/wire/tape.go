package wire

import (
	"fmt"
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
