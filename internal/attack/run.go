package attack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/trace"
)

// The defaults of Options.
const (
	DefaultLimit     = 5 * time.Minute // that the specification recommends for phases without end
	DefaultReadiness = 30 * time.Second
)

// Options say how a document is played. A zero field means its default.
type Options struct {
	// Recorder takes every message of the run; required.
	Recorder *trace.Recorder
	// Notice is told what whoever reads the verdict should know; nil tells nobody.
	Notice func(Notice)
	// Limit ends the run whatever happens; default DefaultLimit.
	Limit time.Duration
	// Grace is how long to go on watching when everybody is through; nil for what the
	// document says, which without a word is not at all.
	Grace *time.Duration
	// Readiness is how long the server under attack may take to answer for the first time;
	// default DefaultReadiness.
	Readiness time.Duration
	// Dial connects to the server that an mcp_client actor attacks, over a connection whose
	// messages tap sees; nil where there is none. The run closes the connection.
	Dial func(ctx context.Context, actor string, tap wire.Tap) (wire.Conn, error)
	// Serve says how server actors speak. Its Player and Tap are the run's.
	Serve serve.Options
	// ForceElicitation sends elicitations also to clients that do not claim to take them.
	ForceElicitation bool
}

// A Run is one document being played, once.
type Run struct {
	opt         Options
	doc         *oatf.Document
	grace       time.Duration
	captures    *captures
	notices     *notices
	credentials *trace.Labels
	actors      []*actor
	servers     []*server
	clients     []*client
	skipped     []ActorSummary

	// alive is the context of everything that the run starts: what happens to an actor comes
	// from transports, whose own contexts end earlier or later. Set before begun is closed.
	alive context.Context
	begun chan struct{} // closed when the actors have begun
	over  chan ending   // why the run is over, before its grace; has room for one

	mu    sync.Mutex
	work  sync.WaitGroup
	ended bool   // nothing is started any more
	lost  string // why messages are missing in the trace, "" if none are
}

// New makes a run of a normalized document. It fails where nothing of it can be played.
func New(doc *oatf.Document, opt Options) (*Run, error) {
	if opt.Limit == 0 {
		opt.Limit = DefaultLimit
	}
	if opt.Readiness == 0 {
		opt.Readiness = DefaultReadiness
	}
	r := &Run{
		opt: opt, doc: doc, captures: newCaptures(), notices: newNotices(opt.Notice), credentials: trace.NewLabels("c"),
		begun: make(chan struct{}), over: make(chan ending, 1),
	}
	if err := r.readGrace(); err != nil {
		return nil, err
	}
	if n := len(doc.Attack.Execution.Actors); n > maxActors {
		return nil, fmt.Errorf("the document has %d actors, and no more than %d are played", n, maxActors)
	}
	var scripts []*script
	for i := range doc.Attack.Execution.Actors {
		s, err := readScript(&doc.Attack.Execution.Actors[i])
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, s)
	}
	if err := checkAwaits(scripts); err != nil {
		return nil, err
	}
	for _, s := range scripts {
		if err := r.cast(s); err != nil {
			return nil, fmt.Errorf("actor %q: %w", s.name, err)
		}
	}
	if len(r.actors) == 0 {
		return nil, ErrNothingToPlay
	}
	return r, nil
}

// maxActors bounds what a document may open: each server listens on a port of its own.
const maxActors = 100

// ErrNothingToPlay says that a document has no actor that a Run plays.
var ErrNothingToPlay = errors.New("the document has no actor of the modes mcp_server and mcp_client, which are those that can be played")

func (r *Run) readGrace() error {
	switch {
	case r.opt.Grace != nil:
		r.grace = *r.opt.Grace
	case r.doc.Attack.GracePeriod != "":
		d, err := match.ParseDuration(r.doc.Attack.GracePeriod)
		if err != nil {
			return fmt.Errorf("grace_period: %w", err)
		}
		r.grace = d
	}
	return nil
}

// cast gives a script an actor, or tells that it has none.
func (r *Run) cast(s *script) error {
	a := newActor(s, r)
	switch {
	case s.mode == "mcp_server":
		v, err := newServer(a, len(r.servers))
		if err != nil {
			return err
		}
		r.servers = append(r.servers, v)
	case s.mode == "mcp_client" && r.opt.Dial == nil:
		r.skip(s, "no server was named for it to attack")
		return nil
	case s.mode == "mcp_client":
		r.clients = append(r.clients, newClient(a))
		a.tellUnwired()
	case s.mode == "ag_ui_client":
		r.skip(s, "AG-UI is not spoken here; what it has the user say goes to the agent as its prompt")
		return nil
	default:
		r.skip(s, "no actor of its mode can be played")
		return nil
	}
	r.actors = append(r.actors, a)
	return nil
}

func (r *Run) skip(s *script, why string) {
	text := fmt.Sprintf("the actor is in the mode %s: %s", s.mode, why)
	r.skipped = append(r.skipped, ActorSummary{Name: s.name, Mode: s.mode, Skipped: why})
	r.notices.add(Notice{Kind: Skipped, Actor: s.name, Text: text})
}

// A Server is one server actor, for its caller to attach transports to.
type Server struct {
	Actor string
	*serve.Server
}

// Servers returns the server actors in the order of the document.
func (r *Run) Servers() []Server {
	out := make([]Server, len(r.servers))
	for i, s := range r.servers {
		out[i] = Server{s.name, s.engine}
	}
	return out
}

// Clients returns the names of the client actors in the order of the document.
func (r *Run) Clients() []string {
	out := make([]string, len(r.clients))
	for i, c := range r.clients {
		out[i] = c.name
	}
	return out
}

// Prompt returns what a document has the user say to the agent: the messages of role user
// of its first AG-UI actor that has any, one paragraph each; "" if there are none.
func (r *Run) Prompt() string { return Prompt(r.doc) }

// An ending is why a run is over.
type ending struct {
	why  string
	gone bool // nothing can come any more that would be worth waiting for
}

// End tells the run that the agent has ended. The run then ends, behind its grace.
func (r *Run) End(why string) { r.close(ending{why, false}) }

// Gone tells the run that no server has a client any more, nor will have one. Without
// clients of its own it then ends, and waits for nothing.
func (r *Run) Gone(why string) {
	if len(r.clients) == 0 {
		r.close(ending{why, true})
		return
	}
	for _, s := range r.servers {
		s.actor.mu.Lock()
		s.end()
		s.actor.mu.Unlock()
	}
}

func (r *Run) close(e ending) {
	select {
	case r.over <- e:
	default: // somebody else has said so
	}
}

// Why a run ended.
const (
	EndedThrough     = "all actors are through"
	EndedLimit       = "its time was over"
	EndedInterrupted = "it was interrupted"
)

// Run plays the document: it returns when all actors are through or somebody calls
// End, and the grace is over; at its limit; and when ctx ends, which is no error. The
// transports of the servers are open by then, and are the caller's to end behind it; they
// answer nothing before Run is called. Nothing that the run started is left when it
// returns.
func (r *Run) Run(ctx context.Context) Summary {
	start := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, r.opt.Limit, errLimit)
	defer cancel()
	alive, stop := context.WithCancelCause(limited)
	r.alive = alive
	for _, a := range r.actors {
		a.begin(alive)
	}
	close(r.begun)
	for _, c := range r.clients {
		r.spawn(func() { // ends with its script or with the run
			err := c.play(alive)
			if alive.Err() != nil {
				err = nil // it was cut off
			}
			c.finish(err)
		})
	}
	why := r.wait(limited)
	stop(errOver)
	for _, a := range r.actors {
		a.stop()
	}
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.work.Wait()
	return r.summary(why, time.Since(start))
}

var errLimit = errors.New(EndedLimit)

// wait returns why the run ends.
func (r *Run) wait(ctx context.Context) string {
	through := make(chan struct{})
	r.spawn(func() { // ends with the actors or with the run
		for _, a := range r.actors {
			select {
			case <-a.ended:
			case <-r.alive.Done():
				return
			}
		}
		close(through)
	})
	e := ending{why: EndedThrough}
	select {
	case e = <-r.over:
	case <-through:
	case <-ctx.Done():
		return endOf(ctx)
	}
	if e.gone {
		return e.why
	}
	timer := time.NewTimer(r.grace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return e.why
	case <-ctx.Done():
		return endOf(ctx)
	}
}

func endOf(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errLimit) {
		return EndedLimit
	}
	return EndedInterrupted
}

// spawn starts what ends with the run. Behind its end, when transports may still bring
// something, it starts nothing.
func (r *Run) spawn(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.work.Go(f)
	}
}

// running waits until the run has begun, which its caller sees to, and returns its context.
func (r *Run) running() context.Context {
	<-r.begun
	return r.alive
}

// record puts a message into the trace.
func (r *Run) record(m trace.Message) int {
	out, err := r.opt.Recorder.Record(m)
	if err != nil {
		r.lose(err)
		return 0
	}
	return out.Seq
}

// lose notes why messages are missing in the trace.
func (r *Run) lose(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.lost == "" {
		r.lost = "the trace is incomplete: " + err.Error()
	}
}
