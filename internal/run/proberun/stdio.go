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

// A lineProber is the channel to a server over stdio. Each session has its own server process.
type lineProber struct {
	waits  waits
	open   Opener
	conn   wire.Conn
	out    *probe.Protocol
	ended  bool
	mayAsk bool
	oddID  bool // an id was sent that a server cannot repeat
}

func probeStdio(ctx context.Context, open Opener, plan Plan, w waits) *probe.Protocol {
	out := &probe.Protocol{Transport: "stdio", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}
	line := &lineProber{open: open, waits: w, out: out}
	p := &prober{channel: line, Plan: plan, out: out}
	defer line.close()
	if opened := p.begin(ctx, initialize); !probing.IsResult(&opened) {
		p.out.Unsent["others"] = "initialize was not answered"
	} else {
		p.sendTable(ctx, probe.Handshake)
	}
	p.probeStateless(ctx)
	p.probeWithQuestions(ctx)
	return p.out
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

func (s *lineProber) reaches(q *probing.Probe) bool { return q.Stdio }

// begin restarts the server and opens a session.
func (s *lineProber) begin(ctx context.Context, opening string) probe.Exchange {
	if !s.anew() {
		return probe.Exchange{Problem: isGone}
	}
	s.mayAsk = opening == declared
	got := s.ask(ctx, opening, "1", s.waits.first)
	if !probing.IsResult(&got) {
		return got
	}
	if s.out.Revision == "" {
		s.out.Revision = agreedOn(got.Body)
	}
	if s.conn.Send(ctx, []byte(initialized)) != nil {
		return probe.Exchange{Problem: isGone}
	}
	return got
}

func (s *lineProber) anew() bool {
	s.close()
	conn, err := s.open()
	if err != nil {
		s.ended = true
		return false
	}
	s.conn, s.ended, s.oddID, s.mayAsk = conn, false, false, false
	return true
}

func (s *lineProber) end(context.Context) { s.close() }

func (s *lineProber) close() {
	if s.conn != nil {
		_ = s.conn.Close() // the run ends what is left of it
		s.conn = nil
	}
}

// post sends one message and keeps the response. Whether the server lives is judged in an ordinary session alone: elsewhere only
// results are.
func (s *lineProber) post(ctx context.Context, e probe.Exchange, quiet bool) (*probe.Exchange, bool) {
	judged := e.Era == probe.Handshake && e.ID != "P25"
	s.exchange(ctx, &e, idOf(e.Sent), s.waits.next, quiet && judged)
	more := true
	if !judged {
		e.Alive = true
	} else {
		if !s.ended && !e.Alive {
			e.Alive = e.Answered || s.ask(ctx, alivePing, aliveID, s.waits.alive).Answered
		}
		if e.Gone = s.ended; e.Gone {
			e.Again = s.endsAgain(ctx, e.Sent)
		}
		if more = !s.ended && (e.Alive || e.Gone); !more {
			noMore(s.out, &e)
		}
	}
	s.out.Exchanges = append(s.out.Exchanges, e)
	return &s.out.Exchanges[len(s.out.Exchanges)-1], more
}

// exchange sends a message and keeps the response. A quiet one is followed by a ping: the answer to the ping shows that the server is
// alive, and the wait after that is short. The server's requests in between are answered.
func (s *lineProber) exchange(ctx context.Context, e *probe.Exchange, id string, wait time.Duration, quiet bool) {
	inTime, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	texts := []string{e.Sent}
	if quiet {
		texts = append(texts, alivePing)
	}
	for _, text := range texts {
		if s.ended || s.conn == nil || s.conn.Send(inTime, []byte(text)) != nil {
			s.ended, e.Problem = true, isGone
			return
		}
	}
	for !e.Answered || quiet && !e.Alive {
		m, err := s.conn.Receive(inTime)
		switch {
		case errors.As(err, new(*wire.LineTooLongError)):
		case err != nil:
			s.ended = s.ended || inTime.Err() == nil
			if !quiet {
				e.Problem = silent
			}
			return
		case quiet && m.ID == aliveID && (m.Kind == wire.Response || m.Kind == wire.Error):
			e.Alive = true
			var stop context.CancelFunc
			inTime, stop = context.WithTimeout(ctx, s.waits.grace)
			defer stop()
		case s.isAnswer(inTime, e, m, id):
			e.Answered = true
			takeResponse(e, m.Raw)
		}
	}
}

// endsAgain sends a message that ended the server to a new one, and leaves one that runs, if it can.
func (s *lineProber) endsAgain(ctx context.Context, text string) bool {
	if got := s.begin(ctx, initialize); !probing.IsResult(&got) {
		return false
	}
	e := probe.Exchange{Sent: text}
	s.exchange(ctx, &e, idOf(text), s.waits.next, true)
	again := s.ended
	if again {
		s.begin(ctx, initialize)
	}
	return again
}

// idOf returns a table message's id, "null" if it is not read as JSON.
func idOf(body string) string {
	m := wire.Decode(body)
	if m.ID == "" {
		return "null"
	}
	return m.ID
}

// ask exchanges a text for an answer with an id, or with null, as errors about unreadable input have.
func (s *lineProber) ask(ctx context.Context, text, id string, wait time.Duration) probe.Exchange {
	e := probe.Exchange{Sent: text}
	s.exchange(ctx, &e, id, wait, false)
	return e
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
