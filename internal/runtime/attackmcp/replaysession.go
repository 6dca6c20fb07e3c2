package attackmcp

import (
	"bufio"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// sessionPatience bounds, in wall-clock time, how long a server may take per replayed message. Servers answer at once unless a
// document delays them.
const sessionPatience = 5 * time.Second

// A replaySession is a session with a server over in-memory streams.
type replaySession struct {
	ctx   context.Context
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan wire.Message // sent by the server; closed when it is done
	work  sync.WaitGroup

	answered func(request *trace.Message, answer string) // called with every answer, "" for none

	pending map[string]*trace.Message // recorded requests not yet answered
	asked   map[string]bool           // unanswered requests of the server
}

func (v *server) openReplay(ctx context.Context, answered func(*trace.Message, string)) attack.ReplaySession {
	engine := v.engine
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

// Close ends the session. What the server still sends is in the trace.
func (s *replaySession) Close() {
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

// SendRecorded replays one message and waits for the server's response.
func (s *replaySession) SendRecorded(line string, m *trace.Message) {
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
	timer := time.NewTimer(sessionPatience)
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

// awaitsAnswer reports whether an answer must arrive before the next message is sent.
func (s *replaySession) awaitsAnswer(m *trace.Message) bool {
	switch m.Kind {
	case trace.Request:
		return s.pending[m.ID] == m
	case trace.Response, trace.Error:
		return len(s.pending) > len(s.asked)
	}
	return false
}

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
