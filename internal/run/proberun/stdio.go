package proberun

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// An Opener restarts the server and returns a connection on which nothing was sent.
type Opener func() (wire.Conn, error)

// probeStdio probes a server over stdio. Each session has its own server process. The wait for an answer is at most two seconds,
// for the first twenty.
func probeStdio(ctx context.Context, open Opener, plan Plan) *probe.Protocol {
	return stdio(ctx, open, plan, defaultWaits)
}

func stdio(ctx context.Context, open Opener, plan Plan, w waits) *probe.Protocol {
	s := &lineProber{open: open, Plan: plan, waits: w, out: &probe.Protocol{Transport: "stdio", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}}
	defer s.close()
	if !s.begin(ctx, initialize) {
		s.out.Unsent["others"] = "initialize was not answered"
	} else {
		s.probeHandshake(ctx)
	}
	s.probeStateless(ctx)
	s.probeWithQuestions(ctx)
	return s.out
}

type lineProber struct {
	Plan
	waits  waits
	open   Opener
	conn   wire.Conn
	out    *probe.Protocol
	ended  bool
	mayAsk bool
	oddID  bool // an id was sent that a server cannot repeat
}

// waits are the times to wait for answers. A late one proves nothing.
type waits struct {
	first time.Duration // for a server's first answer
	next  time.Duration
	alive time.Duration // for one that shows that the server is alive
	grace time.Duration // for the answer to a message after the next one's
}

var defaultWaits = waits{first: 20 * time.Second, next: 2 * time.Second, alive: 10 * time.Second, grace: 300 * time.Millisecond}

const (
	alivePing = `{"jsonrpc":"2.0","id":"alive","method":"ping"}`
	aliveID   = `"alive"`
)

// begin restarts the server and opens a session. It reports whether the server answered.
func (s *lineProber) begin(ctx context.Context, opening string) bool {
	if !s.start() {
		return false
	}
	got := s.ask(ctx, opening, "1", s.waits.first)
	if !got.Answered || !got.Result {
		return false
	}
	if s.out.Revision == "" {
		s.out.Revision = agreedOn(got.Body)
	}
	return s.conn.Send(ctx, []byte(initialized)) == nil
}

func (s *lineProber) start() bool {
	s.close()
	conn, err := s.open()
	if err != nil {
		s.ended = true
		return false
	}
	s.conn, s.ended, s.oddID = conn, false, false
	return true
}

func (s *lineProber) close() {
	if s.conn != nil {
		_ = s.conn.Close() // the run ends what is left of it
		s.conn = nil
	}
}

// probeHandshake sends the table's messages, and the calls.
func (s *lineProber) probeHandshake(ctx context.Context) {
	for _, q := range probing.Probes() {
		if !q.Stdio || q.Era != probe.Handshake {
			continue
		}
		for _, step := range q.Steps {
			e := probe.Exchange{ID: q.ID, Step: step.Name, Effect: q.Effect, Sent: step.Body, Era: probe.Handshake}
			if !s.record(ctx, e, step.Quiet) {
				return
			}
		}
	}
	for i := range s.Calls {
		for _, e := range s.Calls[i].exchanges(probe.Handshake) {
			if !s.record(ctx, e, false) {
				return
			}
		}
	}
}

// record sends one message in an initialized session and keeps the response. It reports whether more can be sent. A quiet message
// may stay unanswered.
func (s *lineProber) record(ctx context.Context, e probe.Exchange, quiet bool) bool {
	if quiet {
		s.sendQuiet(ctx, &e)
	} else {
		e = s.exchange(ctx, e)
	}
	if !s.ended && !e.Alive {
		e.Alive = e.Answered || s.ask(ctx, alivePing, aliveID, s.waits.alive).Answered
	}
	e.Gone = s.ended
	if e.Gone && s.begin(ctx, initialize) {
		e.Again = s.endsAgain(ctx, e.Sent)
	}
	s.out.Exchanges = append(s.out.Exchanges, e)
	if s.ended || !e.Alive && !e.Gone {
		s.out.Unsent["others"] = "nothing was answered any more after " + strings.TrimSpace(e.ID+" "+e.Step)
		return false
	}
	return true
}

// sendQuiet sends a message followed by a ping: the answer to the ping shows that the server is alive, and the wait after that is
// short.
func (s *lineProber) sendQuiet(ctx context.Context, e *probe.Exchange) {
	inTime, cancel := context.WithTimeout(ctx, s.waits.next)
	defer cancel()
	if s.conn.Send(inTime, []byte(e.Sent)) != nil || s.conn.Send(inTime, []byte(alivePing)) != nil {
		s.ended, e.Problem = true, isGone
		return
	}
	id := idOf(e.Sent)
	for !e.Alive || !e.Answered {
		m, err := s.conn.Receive(inTime)
		switch {
		case isLongLine(err):
			continue
		case err != nil:
			s.ended = s.ended || inTime.Err() == nil
			return
		case m.ID == aliveID && (m.Kind == wire.Response || m.Kind == wire.Error):
			e.Alive = true
			var stop context.CancelFunc
			inTime, stop = context.WithTimeout(ctx, s.waits.grace)
			defer stop()
		case s.isAnswer(ctx, e, m, id):
			e.Answered = true
			takeResponse(e, m.Raw)
		}
	}
}

// endsAgain sends a message to a newly started server, and once more to another if that ended it too.
func (s *lineProber) endsAgain(ctx context.Context, text string) bool {
	e := probe.Exchange{Sent: text}
	s.sendQuiet(ctx, &e)
	again := s.ended
	if again {
		s.begin(ctx, initialize)
	}
	return again
}

// exchange sends one message and keeps the response.
func (s *lineProber) exchange(ctx context.Context, e probe.Exchange) probe.Exchange {
	got := s.ask(ctx, e.Sent, idOf(e.Sent), s.waits.next)
	e.Answered, e.Body, e.Problem, e.Result, e.Before = got.Answered, got.Body, got.Problem, got.Result, got.Before
	return e
}

// probeStateless speaks revision 2026-07-28 with newly started servers: one gets a request without _meta first, one after a request
// with it.
func (s *lineProber) probeStateless(ctx context.Context) {
	if ctx.Err() != nil || !s.start() {
		return
	}
	table := probing.Probes()
	for _, q := range table {
		if q.ID == "P31" {
			e := s.exchange(ctx, probe.Exchange{ID: q.ID, Step: q.Steps[0].Name, Effect: q.Effect, Sent: q.Steps[0].Body, Era: probe.Stateless, Alive: true})
			s.out.Stateless = isStateless(&e)
			s.out.Exchanges = append(s.out.Exchanges, e)
		}
	}
	if !s.out.Stateless {
		return
	}
	for _, q := range table {
		if q.ID == "P31" || !q.Stdio || q.Era != probe.Stateless {
			continue
		}
		for _, step := range q.Steps {
			s.keep(s.exchange(ctx, probe.Exchange{ID: q.ID, Step: step.Name, Effect: q.Effect, Sent: step.Body, Era: probe.Stateless}))
		}
	}
	for i := range s.Calls {
		for _, e := range s.Calls[i].exchanges(probe.Stateless) {
			s.keep(s.exchange(ctx, e))
		}
	}
	s.askFirstOfAll(ctx)
}

// keep records an exchange of a session in which only results are judged.
func (s *lineProber) keep(e probe.Exchange) {
	e.Alive = e.Answered
	if !e.Answered { // its effect on the server is not reported
		e.Alive = true
	}
	s.out.Exchanges = append(s.out.Exchanges, e)
}

// askFirstOfAll is the control of P28: its first step sent as a server's first message.
func (s *lineProber) askFirstOfAll(ctx context.Context) {
	if !s.start() {
		return
	}
	for _, q := range probing.Probes() {
		if q.ID == "P28" {
			s.keep(s.exchange(ctx, probe.Exchange{ID: q.ID, Step: probing.FirstOfAll, Effect: q.Effect, Sent: q.Steps[0].Body, Era: probe.Stateless}))
		}
	}
}

// probeWithQuestions calls tools as a client with capabilities.
func (s *lineProber) probeWithQuestions(ctx context.Context) {
	if len(s.Calls) == 0 || ctx.Err() != nil || !s.begin(ctx, declared) {
		return
	}
	s.mayAsk = true
	for i := range s.Calls {
		e := s.exchange(ctx, s.Calls[i].asking())
		s.out.Asked = appendAsked(s.out.Asked, s.Calls[i].Tool, e.Before)
		s.keep(e)
	}
}

// idOf returns a table message's id, "null" if it is not read as JSON.
func idOf(body string) string {
	m := wire.Decode(body)
	if m.ID == "" {
		return "null"
	}
	return m.ID
}

// ask sends a text and waits for an answer with an id, or with null, as errors about unreadable input have. The server's requests
// in between are answered.
func (s *lineProber) ask(ctx context.Context, text, id string, wait time.Duration) probe.Exchange {
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	e := probe.Exchange{Sent: text}
	if s.ended || s.conn == nil || s.conn.Send(inTime, []byte(text)) != nil {
		s.ended, e.Problem = true, isGone
		return e
	}
	for {
		m, err := s.conn.Receive(inTime)
		switch {
		case isLongLine(err):
			continue
		case err != nil:
			s.ended = s.ended || inTime.Err() == nil
			e.Problem = silent
			return e
		case s.isAnswer(inTime, &e, m, id):
			e.Answered = true
			takeResponse(&e, m.Raw)
			return e
		}
	}
}

func isLongLine(err error) bool {
	var tooLong *wire.LineTooLongError
	return errors.As(err, &tooLong)
}

// isReply reports whether an invalid line is still meant as an answer: a server may repeat an id that was not legal, possibly in
// invalid JSON, as Infinity for 1e400.
func (s *lineProber) isReply(raw string) bool {
	if !s.oddID && (!json.Valid([]byte(raw)) || rawjson.LastMember(raw, "jsonrpc") != `"2.0"`) {
		return false
	}
	return strings.HasPrefix(strings.TrimSpace(raw), "{") && strings.Contains(raw, `"jsonrpc"`) && (strings.Contains(raw, `"error"`) || strings.Contains(raw, `"result"`))
}

// isOdd reports whether a program cannot be expected to repeat an id: neither a string nor a representable number.
func isOdd(id string) bool {
	n, err := strconv.ParseFloat(id, 64)
	return !strings.HasPrefix(id, `"`) && id != "null" && (err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53)
}

// noteNoise counts a line that is no message, and keeps the first.
func (s *lineProber) noteNoise(raw, sent string) {
	if s.out.Noise++; s.out.Noise == 1 {
		s.out.NoiseLine = strings.ToValidUTF8(raw[:min(len(raw), 400)], "\ufffd")
		s.out.NoiseAfter = excerpt.Clip(sent, 120)
	}
}

// isAnswer reports whether a message answers the one with an id, and records it otherwise. The server's requests are answered.
func (s *lineProber) isAnswer(ctx context.Context, e *probe.Exchange, m wire.Message, id string) bool {
	s.oddID = s.oddID || isOdd(id)
	switch {
	case m.Kind == wire.Invalid && s.isReply(m.Raw):
		return true
	case m.Kind == wire.Invalid:
		s.noteNoise(m.Raw, e.Sent)
		return false
	case m.Kind == wire.Request:
		_ = s.conn.Send(ctx, []byte(answerTo(m, s.mayAsk))) // the next message shows whether it arrived
	case m.ID == aliveID && id != aliveID:
		return false // the answer to an earlier ping
	case m.Kind == wire.Batch, (m.Kind == wire.Response || m.Kind == wire.Error) && (m.ID == id || m.ID == "null" || m.ID == ""):
		return true
	}
	keepBefore(e, m.Raw)
	return false
}
