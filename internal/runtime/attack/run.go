package attack

import (
	"context"
	"errors"
	"sync"
	"time"

	"gauntlet/oatf"
	"gauntlet/trace"
)

// Defaults of Options.
const (
	DefaultLimit = 5 * time.Minute // recommended by the specification for phases without end
	// DefaultGrace is how long to continue after the last actor has ended, if neither the document nor Options.Grace says: late
	// answers and late server requests are still seen.
	DefaultGrace = time.Second
)

// Options configure a run. A zero field means its default.
type Options struct {
	// Recorder records every message of the run; required.
	Recorder *trace.Recorder
	// Notice, if not nil, is called with what a reader of the verdict should know.
	Notice func(Notice)
	// Limit ends the run in any case; default DefaultLimit.
	Limit time.Duration
	// Grace is how long to keep watching after everybody is done; nil means the document's grace. If that is not set either, it is
	// DefaultGrace after the last actor's end, preceded by a wait for pending work (PendingGrace), and none if the agent has ended.
	Grace *time.Duration
	// Bindings play the actors of their modes.
	Bindings []Binding
	// Synthesizer writes what the document leaves to a model; may be nil.
	Synthesizer Synthesizer
	// Prompted says that the agent receives part of the document in another way, so a run without actors is possible.
	Prompted bool
	// Clock is the time for phases and the trace; nil means the real one. A run with its own clock does not end with its actors:
	// see [Run.Replay].
	Clock *Clock
}

// A Run plays one document once.
type Run struct {
	services
	doc     *oatf.Document
	grace   time.Duration // after the agent has ended
	settle  time.Duration // after the last actor has ended
	patient bool          // wait for pending work before that, since no grace was given
	actors  []*Actor
	clients []*Actor // actors whose players are Clients
	skipped []ActorSummary
	over    chan ending // why the run ends, before its grace; buffered
}

// services are what a run shares with its actors and their players.
type services struct {
	opt         Options
	captures    *captureStore
	notices     *notices
	credentials *trace.Labels
	servers     []Listener
	// alive is the context of everything the run starts: transports, which report events, have contexts that end earlier or later.
	// It is set before begun is closed.
	alive context.Context
	begun chan struct{} // closed when the actors have begun

	progress *ReplayProgress // set for a replay only
	pending  pendingWork
	openings pendingWork // phases whose entry actions are not done

	mu    sync.Mutex
	work  sync.WaitGroup
	ended bool   // nothing new is started
	lost  string // why messages are missing from the trace, or ""
	// unwritten is why a text that a model should write was not sent, or "".
	unwritten string
}

// Servers returns the server actors in document order.
func (r *Run) Servers() []Server {
	out := make([]Server, len(r.servers))
	for i, s := range r.servers {
		out[i] = s.Server()
	}
	return out
}

// Player returns an actor's player, or nil.
func (r *Run) Player(actor string) Player {
	for _, a := range r.actors {
		if a.Name == actor {
			return a.player
		}
	}
	return nil
}

// An ending is why a run ends.
type ending struct {
	why  string
	gone bool // nothing worth waiting for can arrive any more
}

// End says that the agent has ended. The run ends after its grace.
func (r *Run) End(why string) { r.signalEnd(ending{why, false}) }

// Gone says that no server has or will have a client. A run without clients of its own then ends without grace.
func (r *Run) Gone(why string) {
	if len(r.clients) == 0 {
		r.signalEnd(ending{why, true})
		return
	}
	for _, a := range r.actors {
		if _, ok := a.player.(Listener); ok {
			a.Finish(nil)
		}
	}
}

func (r *Run) signalEnd(e ending) {
	select {
	case r.over <- e:
	default: // the end was signalled already
	}
}

// Reasons for a run's end.
const (
	EndedThrough     = "all actors are through"
	EndedLimit       = "its time was over"
	EndedInterrupted = "it was interrupted"
)

// Run plays the document until all actors are done or End is called, followed by the grace; until its limit; or until ctx ends,
// which is no error. The servers' transports are open before, answer nothing until Run is called, and are the caller's to end
// afterwards. Nothing started by the run is left when it returns.
func (r *Run) Run(ctx context.Context) Summary {
	start := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, r.opt.Limit, errLimit)
	defer cancel()
	alive, stop := context.WithCancelCause(limited)
	r.alive = alive
	for _, a := range r.actors {
		a.beginFirstPhase(alive)
	}
	close(r.begun)
	for _, c := range r.clients {
		r.Spawn(func() { // ends with its script or with the run
			player := c.player.(Client)
			err := player.Play(alive)
			player.Close()
			if alive.Err() != nil {
				err = nil // it was cancelled
			}
			c.Finish(err)
		})
	}
	why := r.awaitEnd(limited)
	stop(ErrOver)
	for _, a := range r.actors {
		a.mu.Lock()
		if a.timer != nil {
			a.timer.Stop()
		}
		a.mu.Unlock()
	}
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.work.Wait()
	return r.summary(why, time.Since(start))
}

var errLimit = errors.New(EndedLimit)

func (r *Run) awaitEnd(ctx context.Context) string {
	all := make(chan struct{})
	through := all
	r.Spawn(func() { // ends with the actors or with the run
		for _, a := range r.awaited() {
			select {
			case <-a.ended:
			case <-r.alive.Done():
				return
			}
		}
		close(all)
	})
	if r.opt.Clock != nil || len(r.actors) == 0 {
		through = nil // the recording may continue, and so may a prompted agent
	}
	e, grace := ending{why: EndedThrough}, r.grace
	select {
	case e = <-r.over:
	case <-through:
		r.openings.await(ctx)
		if r.lingers() {
			if r.patient {
				r.pending.await(ctx)
			}
			grace = r.settle
		}
	case <-ctx.Done():
		return endOf(ctx)
	}
	if e.gone {
		return e.why
	}
	select {
	case <-time.After(grace):
		return e.why
	case <-ctx.Done():
		return endOf(ctx)
	}
}

// awaited returns the actors whose end ends the run: if some drive the agent, those and the other clients, else all.
func (r *Run) awaited() []*Actor {
	for _, c := range r.clients {
		if _, ok := c.player.(Driver); ok {
			return r.clients
		}
	}
	return r.actors
}

// lingers reports whether something may still arrive after all awaited actors are done.
func (r *Run) lingers() bool {
	for _, c := range r.clients {
		if d, ok := c.player.(Driver); !ok || d.Lingers() {
			return true
		}
	}
	return len(r.clients) == 0
}

func endOf(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), errLimit) {
		return EndedLimit
	}
	return EndedInterrupted
}

// Spawn starts a goroutine that ends with the run. After the end, when transports may still report something, it does nothing.
func (r *services) Spawn(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.work.Go(f)
	}
}

// AwaitBegin waits for the run to begin, which the caller ensures, and returns its context.
func (r *services) AwaitBegin() context.Context {
	<-r.begun
	return r.alive
}

// matchTime bounds the evaluation of a phase's conditions or extractors on one message. A document may have thousands, and a peer
// sends what costs most.
const matchTime = 2 * time.Second

var errMatchTime = errors.New("there was no time left to look at a message")

// MatchContext returns a context that ends after matchTime or with the run.
func (r *services) MatchContext() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(r.alive, matchTime, errMatchTime)
}

// Record adds a message to the trace and returns its number, 0 if it was not added.
func (r *services) Record(m trace.Message) int {
	out, err := r.opt.Recorder.Record(m)
	if err != nil {
		r.NoteLoss(err)
		return 0
	}
	r.progress.noteRecorded(&out)
	return out.Seq
}

// NoteLoss records why messages are missing from the trace; nil is ignored.
func (r *services) NoteLoss(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.lost == "" {
		r.lost = "the trace is incomplete: " + err.Error()
	}
}
