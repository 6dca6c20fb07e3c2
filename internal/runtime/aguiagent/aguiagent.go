// Package aguiagent gives an agent in this process the front door of AG-UI: runs are begun by POST with the input of
// a front end, and told as a stream of events. What the agent does is the caller's; the package reads inputs, writes
// events, and has the agent wait while the front end runs one of its tools.
package aguiagent

import (
	"context"
	"net/http"
	"sync"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// Limits of one server.
const (
	mostInput   = 4 << 20 // bytes of an input
	mostThreads = 1000    // conversations at the same time
)

// A Conversation is what a front end begins a run with, as the agent sees it.
type Conversation struct {
	Prompt string // what the user says: the messages of role user, one paragraph each
	Shown  []Text // everything else of the input
	// Tools dials a server in memory that has the front end's tools; nil where it has none.
	Tools func() (wire.Conn, error)
	// Called tells the front end of a call that the agent made of a tool of its own.
	Called func(server, tool, arguments, result string)
}

// A Text is something that the input shows beside the user's words.
type Text struct{ Where, Text string }

// An Agent does its work in one run and returns what it says to its user. An error ends the run as failed.
type Agent func(ctx context.Context, c Conversation) (answer string, err error)

// A Server is the front door of one agent. It is safe for concurrent use.
type Server struct {
	ctx   context.Context
	agent Agent
	work  sync.WaitGroup

	mu      sync.Mutex
	threads map[string]*thread // those that wait for a front end, by id
}

// New returns a server whose agent works until ctx ends.
func New(ctx context.Context, agent Agent) *Server {
	return &Server{ctx: ctx, agent: agent, threads: map[string]*thread{}}
}

// Wait returns when no agent is at work any more, which the end of the server's context brings about.
func (s *Server) Wait() { s.work.Wait() }

// ServeHTTP begins a run, or goes on with one that waited for the result of a tool.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "a run is begun by POST", http.StatusMethodNotAllowed)
		return
	}
	in, err := readInput(http.MaxBytesReader(w, r.Body, mostInput))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := s.threadFor(in)
	if t == nil {
		http.Error(w, "too many conversations", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := eventWriter(w)
	ids := `"threadId":` + rawjson.Quote(in.thread) + `,"runId":` + rawjson.Quote(in.run)
	send(`{"type":"RUN_STARTED",` + ids + `}`)
	switch ended, failed := t.tell(r.Context(), send); {
	case failed != "":
		send(`{"type":"RUN_ERROR","message":` + rawjson.Quote(failed) + `}`)
		s.forget(in.thread, t)
	case ended:
		send(`{"type":"RUN_FINISHED",` + ids + `}`)
		s.forget(in.thread, t)
	default:
		send(`{"type":"RUN_FINISHED",` + ids + `}`)
	}
}

// threadFor returns the conversation that an input goes on with, or a new one; nil where there are too many.
func (s *Server) threadFor(in *input) *thread {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.threads[in.thread]; t != nil && t.takeResults(in.results) {
		return t
	}
	if len(s.threads) >= mostThreads || s.ctx.Err() != nil {
		return nil
	}
	t := newThread(s.ctx)
	s.threads[in.thread] = t
	s.work.Go(func() { t.work(s.agent, in) }) // ends with the agent, which ends with ctx
	return t
}

func (s *Server) forget(id string, t *thread) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.stop(); s.threads[id] == t {
		delete(s.threads, id)
	}
}
