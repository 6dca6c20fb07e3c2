// Package aguiagent gives an in-process agent an AG-UI endpoint: a POST with a front end's input starts a run, which is reported as
// an event stream. The caller supplies the agent; the package parses inputs, writes events, and makes the agent wait while the
// front end runs one of its tools.
package aguiagent

import (
	"context"
	"net/http"
	"sync"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// Limits of one server.
const (
	mostInput   = 4 << 20 // bytes of an input
	mostThreads = 1000    // concurrent threads
)

// An Agent works through one run, whose task is a front end's input, and returns its answer to the user. The front end's tools are those
// of the only server; Called tells the front end of calls of the agent's other tools. An error fails the run.
type Agent func(ctx context.Context, task mcpclient.Task) (answer string, err error)

// A Server is the endpoint of one agent. It is safe for concurrent use.
type Server struct {
	ctx   context.Context
	agent Agent
	work  sync.WaitGroup

	mu      sync.Mutex
	threads map[string]*thread // waiting for a front end, by id
}

// New returns a server whose agent works until ctx ends.
func New(ctx context.Context, agent Agent) *Server {
	return &Server{ctx: ctx, agent: agent, threads: map[string]*thread{}}
}

// Wait returns when no agent is working; they end with the server's context.
func (s *Server) Wait() { s.work.Wait() }

// ServeHTTP starts a run, or continues one that waited for a tool result.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "a run is started by POST", http.StatusMethodNotAllowed)
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

// threadFor returns the thread an input continues, or a new one; nil if there are too many.
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
