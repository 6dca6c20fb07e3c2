package attackmcp

import (
	"slices"
	"strconv"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/trace"
)

// maxParts bounds the messages of a batch that get their own trace line, more than are ever answered. The batch's line holds all.
const maxParts = 100

// recordTapped records the messages on the server's transports. Our messages carry the phase of the request they answer.
func (s *server) recordTapped(t mcpserver.Tapped) {
	s.faults.observeTapped(t)
	one := s.traceMessage(t, t.Message)
	seq := s.Record(one)
	if t.Message.Kind != wire.Batch {
		return
	}
	n := 0
	for part := range t.Message.Parts() {
		if n++; n > maxParts {
			return
		}
		m := s.traceMessage(t, part)
		m.PartOf = seq
		s.Record(m)
	}
}

func (s *server) traceMessage(t mcpserver.Tapped, w wire.Message) trace.Message {
	s.AwaitBegin()
	phase := s.LastPhase() // not the phase that time has since started: a tap must not run entry actions
	m := trace.Message{
		Time: s.Now(), Actor: s.Name, Server: s.Name, Role: trace.AsServer, Direction: trace.ToServer,
		Kind: trace.Kind(w.Kind.String()), ID: w.ID, Method: w.Method, Note: w.Note, Raw: w.Raw, HTTP: s.traceHTTP(t.HTTP), Early: t.Early,
	}
	if t.Session != nil {
		m.Session, m.Revision = "s"+strconv.Itoa(t.Session.Number()), t.Session.Revision()
	}
	if t.ToClient {
		m.Direction = trace.ToClient
	}
	if c := s.stateOf(t.Session); c != nil && t.ToClient {
		switch w.Kind {
		case wire.Response, wire.Error:
			phase = s.observeAnswer(c, w, phase)
		case wire.Request:
			if c.takeStandalone(w.Method, w.Params) {
				m.Note = joinNotes(m.Note, "a request outside any of the client's, which SEP-2260 forbids; the document asks for it")
			}
		}
	}
	m.Phase = s.Phases[phase].Name
	return m
}

func joinNotes(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}

// observeAnswer returns the phase an answer of ours comes from, and runs its extractors.
func (s *server) observeAnswer(c *clientState, w wire.Message, now int) int {
	phase, ok := c.takeRequestPhase(w.ID)
	if !ok {
		return now
	}
	if slices.ContainsFunc(s.Phases[phase].Extractors, func(x attack.Extractor) bool { return x.Source == oatf.SourceResponse }) {
		s.RunExtractors(phase, oatf.SourceResponse, parseAnswer(w))
	}
	return phase
}

// traceHTTP returns the HTTP part for the trace. Each server numbers its exchanges; in the shared trace the numbers must not
// collide.
func (s *server) traceHTTP(x *mcpserver.Exchange) *trace.HTTP {
	if x == nil {
		return nil
	}
	h := &trace.HTTP{Exchange: s.ExchangeNumber(x.Number), Method: x.Method, Status: x.Status, Headers: wire.TraceHeaders(x.Header)}
	if x.Status == 0 {
		h.Credential = s.Credential(x.Header.Get("Authorization"))
	}
	return h
}
