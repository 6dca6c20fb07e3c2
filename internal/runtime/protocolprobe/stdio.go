package protocolprobe

import (
	"context"
	"errors"
	"strings"
	"time"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// Stdio probes a server that was just started and to which nothing was said. Each answer is waited
// for two seconds at most, the first for twenty.
func Stdio(ctx context.Context, conn wire.Conn) *probe.Protocol {
	s := &lineProber{conn: conn, out: &probe.Protocol{Transport: "stdio", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}}
	for _, id := range []string{"P01", "P02", "P04", "P06", "P09", "P11"} {
		s.out.Unsent[id] = "the server speaks over stdio"
	}
	if !s.ask(ctx, initialize, "1", 20*time.Second).Answered {
		s.out.Unsent["others"] = "initialize was not answered"
		return s.out
	}
	_ = conn.Send(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)) // the next answer shows whether it arrived
	for _, m := range messages {
		if m.header != nil {
			continue
		}
		e := s.ask(ctx, m.body, idOf(m.body), 2*time.Second)
		e.ID, e.Step, e.Effect, e.Sent = m.id, m.step, probe.Reads, m.body
		e.Alive = !s.ended && (e.Answered || s.ask(ctx, `{"jsonrpc":"2.0","id":"alive","method":"ping"}`, `"alive"`, 2*time.Second).Answered)
		s.out.Exchanges = append(s.out.Exchanges, e)
		if !e.Alive {
			s.out.Unsent["others"] = "the server did not answer any more after " + m.id + " " + m.step
			return s.out
		}
	}
	return s.out
}

type lineProber struct {
	conn  wire.Conn
	out   *probe.Protocol
	ended bool
}

// idOf is the id of a message in the list, "null" for one that is not read as JSON.
func idOf(body string) string {
	m := wire.Decode(body)
	if m.ID == "" {
		return "null"
	}
	return m.ID
}

// ask sends a text and waits for an answer with an id, or with none: errors about what cannot be
// read have null for an id.
func (s *lineProber) ask(ctx context.Context, text, id string, wait time.Duration) probe.Exchange {
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var e probe.Exchange
	if err := s.conn.Send(inTime, []byte(text)); err != nil {
		s.ended = true
		e.Problem = "the server has ended"
		return e
	}
	for {
		m, err := s.conn.Receive(inTime)
		var tooLong *wire.LineTooLongError
		switch {
		case errors.As(err, &tooLong):
			continue
		case err != nil:
			s.ended = s.ended || inTime.Err() == nil
			e.Problem = "no answer"
			return e
		case m.Kind == wire.Invalid:
			s.out.Noise++
			continue
		case m.Kind != wire.Response && m.Kind != wire.Error && m.Kind != wire.Batch:
			continue
		}
		if m.ID == id || m.ID == "null" || m.ID == "" || m.Kind == wire.Batch {
			e.Answered, e.Body = true, strings.ToValidUTF8(m.Raw[:min(len(m.Raw), maxBody)], "\uFFFD")
			return e
		}
	}
}
