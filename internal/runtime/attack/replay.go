package attack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// replayPatience is how long, in the time of day, a server may take over one message of a
// replay. Servers answer at once but where a document has them wait.
const replayPatience = 5 * time.Second

// A Difference is an answer of a replay that is not the one of the recording.
type Difference struct {
	Seq      int    // of the request in the recording
	Actor    string // whose answer it is
	Session  string // of the recording
	Method   string
	Recorded string // result or error, as JSON; "" for none
	Now      string
}

// A Replayed says what a replay did.
type Replayed struct {
	Sent        int // messages of the agent that were played again
	Skipped     int // that belong to no session or to no server of the document
	Differences []Difference
}

// Replay plays the agent's side of a recording to the servers of the document, which are then
// in nobody else's hands: message by message in the order of the recording, each session on
// streams of its own, the next one when the last is answered. Time goes as it went in the
// recording, from its first message on, and never waits. Values that a server makes up
// (requestState, cursors) are put in the place of those of the recording.
//
// The run needs a [Clock] at the time of the first message. Replay runs it and ends it.
func (r *Run) Replay(ctx context.Context, recorded []trace.Message) (Replayed, Summary) {
	r.progress = newReplayProgress()
	done := make(chan Summary, 1)
	go func() { done <- r.Run(ctx) }() // ends by End, or with ctx
	<-r.begun
	p := &replay{run: r, ctx: r.alive, answers: map[int]*trace.Message{}, sessions: map[string]*replaySession{}}
	for i := range recorded {
		if m := &recorded[i]; m.Direction == trace.ToClient && m.ReplyTo != 0 && p.answers[m.ReplyTo] == nil {
			p.answers[m.ReplyTo] = m
		}
	}
	for i := range recorded {
		if r.alive.Err() != nil {
			break
		}
		r.advanceClock(recorded[i].Time)
		p.playMessage(&recorded[i])
	}
	for _, s := range p.order {
		s.closeSession()
	}
	r.End("the recording is over")
	return p.out, <-done
}

// A replay is one recording being played.
type replay struct {
	run      *Run
	ctx      context.Context
	answers  map[int]*trace.Message // of the recording, by their request
	sessions map[string]*replaySession
	order    []*replaySession
	madeUp   []string // what servers made up in the recording and what they make up now, in turn
	out      Replayed
}

// playMessage plays one message, if it is the agent's.
func (p *replay) playMessage(m *trace.Message) {
	if m.Direction != trace.ToServer || m.Role != trace.AsServer || m.PartOf != 0 {
		return
	}
	if strings.TrimSpace(m.Raw) == "" {
		return // a request of HTTP without a message
	}
	s := p.sessionFor(m)
	if s == nil {
		p.out.Skipped++
		return
	}
	p.out.Sent++
	in := p.run.progress.countIncoming()
	s.sendRecorded(oneLine(strings.NewReplacer(p.madeUp...).Replace(m.Raw)), m)
	p.run.progress.awaitMessages(in + 1)
}

// compareAnswer notes whether the answer to a recorded request differs, and what the server made up.
func (p *replay) compareAnswer(m *trace.Message, now string) {
	var then string
	if a := p.answers[m.Seq]; a != nil {
		w := wire.Decode(a.Raw)
		then = w.Result + w.Error
	}
	var old, fresh rawjson.Tree
	if old.Parse(then, 0) == nil && fresh.Parse(now, 0) == nil {
		for _, name := range []string{"requestState", "nextCursor"} {
			a, b := old.Root().Get(name), fresh.Root().Get(name)
			if a.Kind() == rawjson.String && b.Kind() == rawjson.String && a.Raw() != b.Raw() {
				p.madeUp = append(p.madeUp, a.Raw(), b.Raw())
			}
		}
		then = strings.NewReplacer(p.madeUp...).Replace(then)
		if old.Parse(then, 0) == nil && old.Root().Canonical() == fresh.Root().Canonical() {
			return
		}
	}
	if then == now {
		return
	}
	p.out.Differences = append(p.out.Differences, Difference{m.Seq, m.Actor, m.Session, m.Method, then, now})
}

// sessionFor returns where a message goes, nil for nowhere.
func (p *replay) sessionFor(m *trace.Message) *replaySession {
	key := m.Actor + "\x00" + m.Session
	if s := p.sessions[key]; s != nil || m.Session == "" {
		return s
	}
	for _, server := range p.run.servers {
		if server.name == m.Actor {
			s := openReplaySession(p.ctx, server.engine, p.compareAnswer)
			p.sessions[key], p.order = s, append(p.order, s)
			return s
		}
	}
	return nil
}

// oneLine makes a line of a message that had several over HTTP.
func oneLine(raw string) string {
	if !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	if compact, err := mcpserver.Compact(raw); err == nil {
		return compact
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(raw)
}

// A replaySession is one conversation with a server over streams in memory.
type replaySession struct {
	ctx   context.Context
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan wire.Message // that the server sends; closed when it sends no more
	work  sync.WaitGroup

	answered func(request *trace.Message, answer string) // is told of every answer, "" for none

	pending map[string]*trace.Message // recorded requests without an answer
	asked   map[string]bool           // questions of the server without an answer
}

func openReplaySession(ctx context.Context, engine *mcpserver.Server, answered func(*trace.Message, string)) *replaySession {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	s := &replaySession{
		ctx: ctx, in: in, out: out, lines: make(chan wire.Message, 1000), answered: answered,
		pending: map[string]*trace.Message{}, asked: map[string]bool{},
	}
	s.work.Go(func() { // ends with its input or the run
		_ = engine.Stdio(ctx, toServer, fromServer)
		_ = fromServer.Close()
		_ = toServer.Close()
	})
	s.work.Go(func() { // ends with the server's output
		defer close(s.lines)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- wire.Decode(strings.TrimSuffix(line, "\n"))
		}
	})
	return s
}

// closeSession ends the conversation. What the server still sends is in the trace.
func (s *replaySession) closeSession() {
	_ = s.in.Close()
	for w := range s.lines {
		s.observeServer(w)
	}
	_ = s.out.Close()
	s.work.Wait()
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		s.answered(s.pending[id], "")
	}
}

// sendRecorded plays one message and waits for what the server has to say upon it.
func (s *replaySession) sendRecorded(line string, m *trace.Message) {
	switch m.Kind {
	case trace.Request:
		s.pending[m.ID] = m
	case trace.Response, trace.Error:
		delete(s.asked, m.ID)
	case trace.Notification:
		if m.Method == mcp.NotifyCancelled {
			delete(s.pending, parseParams(wire.Decode(line)).Get("requestId").Raw())
		}
	}
	wrote := make(chan error, 1)
	go func() { // ends with the write: the server reads, or the pipe is closed
		_, err := io.WriteString(s.in, line+"\n")
		wrote <- err
	}()
	timer := time.NewTimer(replayPatience)
	defer timer.Stop()
	asks := false
	for sent := false; !sent || s.awaitsAnswer(m) && !asks; {
		select {
		case err := <-wrote:
			if err != nil {
				return
			}
			sent = true
		case w, ok := <-s.lines:
			if !ok {
				return
			}
			s.observeServer(w)
			asks = asks || w.Kind == wire.Request
		case <-timer.C:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// awaitsAnswer reports whether an answer is to be heard before the next message goes out.
func (s *replaySession) awaitsAnswer(m *trace.Message) bool {
	switch m.Kind {
	case trace.Request:
		return s.pending[m.ID] == m
	case trace.Response, trace.Error:
		return len(s.pending) > len(s.asked)
	}
	return false
}

// observeServer takes what the server sends.
func (s *replaySession) observeServer(w wire.Message) {
	switch {
	case w.Kind == wire.Request:
		s.asked[w.ID] = true
	case w.Kind == wire.Response || w.Kind == wire.Error:
		if request := s.pending[w.ID]; request != nil {
			delete(s.pending, w.ID)
			s.answered(request, w.Result+w.Error)
		}
	case w.Method == mcp.NotifySubscriptionsAcknowledged:
		// The answer comes when the subscription ends.
		delete(s.pending, parseParams(w).Get("_meta").Get(mcp.MetaSubscriptionID).Raw())
	}
}

func (d Difference) String() string {
	shown := func(s string) string {
		if s == "" {
			return "none"
		}
		return excerpt.Clip(s, mostNoticed)
	}
	return fmt.Sprintf("the answer to %s (message %d, %s) differs: recorded %s, now %s", d.Method, d.Seq, d.Session, shown(d.Recorded), shown(d.Now))
}
