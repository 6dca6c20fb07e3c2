package proberun

import (
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A watch keeps what is needed to tell where the content of calls went: the calls, without their answers' texts, and the sandbox's
// events, in order.
type watch struct {
	recorder *trace.Recorder

	mu       sync.Mutex
	messages []trace.Message
	bytes    int
	lost     bool
}

// Limits on the messages kept: beyond them only those that concern a canary or a limit.
const (
	mostWatched  = 100_000
	bytesWatched = 48 << 20
)

func (w *watch) keep(m *trace.Message) error {
	event := m.IsProtocol(sandbox.TraceProtocol)
	if !event && m.Method != mcp.ToolsCall {
		return nil
	}
	kept := *m
	if kept.HTTP = nil; m.Kind.Answer() {
		kept.Raw = ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.messages) >= mostWatched || w.bytes+len(kept.Raw) > bytesWatched {
		if weighs := event && (kept.Method == string(sandbox.Limit) || strings.Contains(kept.Raw, `"canaries":`)); !weighs {
			if w.lost {
				return nil
			}
			w.lost = true
			limit := sandbox.Event{Time: m.Time, Kind: sandbox.Limit, Text: "the probes produced more messages than are kept"}
			kept = limit.Message()
			kept.Server, kept.Seq = m.Server, m.Seq
		}
	}
	w.bytes += len(kept.Raw)
	w.messages = append(w.messages, kept)
	return nil
}

// watchServer observes everything the server does, in addition to other recorders.
func (r *run) watchServer() {
	w := &watch{}
	w.recorder = trace.NewRecorder(w.keep, trace.RecorderOptions{})
	r.out.watched = w
	r.Dialer.SandboxRecord = func(m trace.Message) {
		r.Trace.Record(m)
		_, _ = w.recorder.Record(m) // keep accepts everything
	}
}

// tap observes a connection, and records it.
func (r *run) tap(place string, secrets, credentials []string) wire.Tap {
	recorded := r.Trace.Tap(place, trace.AsClient, secrets, credentials)
	tape := wire.NewTape(r.out.watched.recorder, trace.Message{Server: place, Role: trace.AsClient})
	return func(p wire.Passage) {
		if recorded != nil {
			recorded(p)
		}
		tape.Record(p)
	}
}

// trace returns the observations.
func (w *watch) trace() *trace.Trace {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &trace.Trace{Header: trace.Header{Version: trace.Version}, Messages: w.messages}
}
