package attacka2a

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// FeedRecorded feeds what the agent answered: a card, an answer, or a stream item. Events recorded beside an item are derived from
// it again.
func (c *client) FeedRecorded(t *attack.ReplayTransport, m *trace.Message) bool {
	status := http.StatusOK
	if m.HTTP != nil && m.HTTP.Status != 0 {
		status = m.HTTP.Status
	}
	switch {
	case m.Method == a2a.TaskStatus || m.Method == a2a.TaskArtifact || m.Method == a2a.CardSignature:
		return false
	case m.Method == a2a.CardGet || m.Method == a2a.CardKeys:
		t.Feed(status, "application/json", m.Raw)
		t.EndAnswer()
	case m.Kind == trace.Event:
		t.FeedEvent(status, wire.EncodeAnswer(m.ID, "result", m.Raw))
	default:
		t.FeedEvent(status, m.Raw)
	}
	return true
}

// openReplay replays recorded requests to the agent. HTTP has no sessions here.
func (s *server) openReplay(ctx context.Context, answered func(*trace.Message, string)) attack.ReplaySession {
	return &replaySession{s, ctx, answered}
}

type replaySession struct {
	*server
	ctx      context.Context
	answered func(*trace.Message, string)
}

// SendRecorded replays one request and waits for its answer.
func (s *replaySession) SendRecorded(line string, m *trace.Message) {
	method, path := http.MethodPost, "/"
	if m.Method == a2a.CardGet && m.Kind == trace.Event {
		method, path = http.MethodGet, a2a.CardPath
	}
	if m.Method == a2a.CardKeys && m.Kind == trace.Event {
		method, path = http.MethodGet, a2a.KeysPath
	}
	r, err := http.NewRequestWithContext(s.ctx, method, "http://127.0.0.1"+path, strings.NewReader(line))
	if err != nil {
		return // its parts are constants
	}
	w := &answerWriter{header: http.Header{}}
	s.ServeHTTP(w, r)
	text := w.body.String()
	if strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream") {
		text, _, _ = strings.Cut(strings.TrimPrefix(text, "data: "), "\n")
	}
	if m.Kind == trace.Request {
		answer := wire.Decode(text)
		text = cmp.Or(answer.Result, answer.Error)
	}
	s.answered(m, text)
}

// An answerWriter keeps a response in memory.
type answerWriter struct {
	header http.Header
	body   strings.Builder
}

func (w *answerWriter) Header() http.Header         { return w.header }
func (w *answerWriter) Write(p []byte) (int, error) { return w.body.Write(p) }
func (*answerWriter) WriteHeader(int)               {}
func (*answerWriter) Flush()                        {}

// Close does nothing: every request has been answered.
func (*replaySession) Close() {}
