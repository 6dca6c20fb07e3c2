package attack

import (
	"maps"
	"slices"
	"strconv"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// maxParts is how many messages of one batch get a line of their own in the trace: more
// than are ever answered. The batch itself holds all.
const maxParts = 100

// tap records what goes over the server's transports. A message of ours has the phase of
// the request that it answers.
func (s *server) tap(t serve.Tapped) {
	s.wires.saw(t)
	one := s.message(t, t.Message)
	seq := s.run.record(one)
	if t.Message.Kind != wire.Batch {
		return
	}
	n := 0
	for part := range t.Message.Parts() {
		if n++; n > maxParts {
			return
		}
		m := s.message(t, part)
		m.PartOf = seq
		s.run.record(m)
	}
}

func (s *server) message(t serve.Tapped, w wire.Message) trace.Message {
	s.run.running()
	phase := s.stands() // and not what time has brought about: a tap must not do what a phase does first
	m := trace.Message{
		Time: s.run.now(), Actor: s.name, Server: s.name, Role: trace.AsServer, Direction: trace.ToServer,
		Kind: trace.Kind(w.Kind.String()), ID: w.ID, Method: w.Method, Note: w.Note, Raw: w.Raw, HTTP: s.http(t.HTTP),
	}
	if t.Talk != nil {
		m.Session, m.Revision = "s"+strconv.Itoa(t.Talk.Number()), t.Talk.Revision()
	}
	if t.ToClient {
		m.Direction = trace.ToClient
	}
	if c := s.conversation(t.Talk); c != nil && t.ToClient {
		switch w.Kind {
		case wire.Response, wire.Error:
			phase = s.answered(c, w, phase)
		case wire.Request:
			if c.violates(w.Method, w.Params) {
				m.Note = join(m.Note, "a request that belongs to none of the client's, which SEP-2260 forbids; the document wants it so")
			}
		}
	}
	m.Phase = s.phases[phase].name
	return m
}

func join(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}

// answered returns the phase that an answer of ours comes from, and lets the extractors of
// that phase look at it.
func (s *server) answered(c *conversation, w wire.Message, now int) int {
	phase, ok := c.answers(w.ID)
	if !ok {
		return now
	}
	if slices.ContainsFunc(s.phases[phase].extractors, func(x extractor) bool { return x.source == oatf.SourceResponse }) {
		var tree rawjson.Tree
		if text := w.Result + w.Error; tree.Parse(text, 0) == nil {
			s.extract(phase, oatf.SourceResponse, tree.Root())
		}
	}
	return phase
}

// http is what HTTP said. Exchanges are numbered by each server; in the trace, where all
// servers come together, their numbers must not meet.
func (s *server) http(x *serve.Exchange) *trace.HTTP {
	if x == nil {
		return nil
	}
	h := &trace.HTTP{Exchange: (x.Number-1)*len(s.run.servers) + s.index + 1, Method: x.Method, Status: x.Status}
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		for _, value := range x.Header[name] {
			h.Headers = append(h.Headers, trace.Field{Name: name, Value: value})
		}
	}
	if x.Status == 0 {
		h.Credential = s.run.credentials.Of(x.Header.Get("Authorization"))
	}
	return h
}
