package attack

import (
	"context"
	"errors"
	"sync"
	"time"

	"gauntlet/oatf"
	"gauntlet/trace"
)

// The defaults of Options.
const (
	DefaultLimit = 5 * time.Minute // that the specification recommends for phases without end
	// DefaultGrace is how long to go on behind the end of the last actor, where neither the document
	// nor Options.Grace says: what was sent before that end is still answered, and a server that
	// asks late is.
	DefaultGrace = time.Second
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
	// document says, which without a word is DefaultGrace behind the end of the last actor, for which what is
	// pending is waited for first (PendingGrace), and not at all when the agent has ended.
	Grace *time.Duration
	// Bindings play the actors, each those of its modes.
	Bindings []Binding
	// Synthesizer has a model write what the document leaves to one; nil where none is named.
	Synthesizer Synthesizer
	// Prompted says that the agent gets something of the document in another way, so that it is played
	// also where no actor is.
	Prompted bool
	// Clock says what time it is for phases and for the trace; nil for the time of day. With
	// a clock of its own a run does not end when its actors are through: see [Run.Replay].
	Clock *Clock
}

// A Run is one document being played, once.
type Run struct {
	opt         Options
	doc         *oatf.Document
	grace       time.Duration // when the agent has ended
	settle      time.Duration // when the last actor is through
	patient     bool          // before that what is pending is waited for: nobody has said how long to wait
	captures    *captureStore
	notices     *notices
	credentials *trace.Labels
	actors      []*Actor
	servers     []Listener
	clients     []*Actor // whose players are Clients
	skipped     []ActorSummary

	// alive is the context of everything that the run starts: what happens to an actor comes
	// from transports, whose own contexts end earlier or later. Set before begun is closed.
	alive context.Context
	begun chan struct{} // closed when the actors have begun
	over  chan ending   // why the run is over, before its grace; has room for one

	progress *ReplayProgress // of a replay; else nil
	pending  pendingWork
	entering pendingWork // phases that have begun and have not done what they do first

	mu    sync.Mutex
	work  sync.WaitGroup
	ended bool   // nothing is started any more
	lost  string // why messages are missing in the trace, "" if none are
	// unwritten is why something that a model was to write was not said, "" if all was.
	unwritten string
}

// Servers returns the server actors in the order of the document.
func (r *Run) Servers() []Server {
	out := make([]Server, len(r.servers))
	for i, s := range r.servers {
		out[i] = s.Server()
	}
	return out
}

// Player returns what plays an actor, nil for one that is not played.
func (r *Run) Player(actor string) Player {
	for _, a := range r.actors {
		if a.Name == actor {
			return a.player
		}
	}
	return nil
}

// An ending is why a run is over.
type ending struct {
	why  string
	gone bool // nothing can come any more that would be worth waiting for
}

// End tells the run that the agent has ended. The run then ends, behind its grace.
func (r *Run) End(why string) { r.signalEnd(ending{why, false}) }

// Gone tells the run that no server has a client any more, nor will have one. Without
// clients of its own it then ends, and waits for nothing.
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
		a.beginFirstPhase(alive)
	}
	close(r.begun)
	for _, c := range r.clients {
		r.spawn(func() { // ends with its script or with the run
			player := c.player.(Client)
			err := player.Play(alive)
			player.Close()
			if alive.Err() != nil {
				err = nil // it was cut off
			}
			c.Finish(err)
		})
	}
	why := r.awaitEnd(limited)
	stop(ErrOver)
	for _, a := range r.actors {
		a.stopTimer()
	}
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.work.Wait()
	return r.summary(why, time.Since(start))
}

var errLimit = errors.New(EndedLimit)

// awaitEnd returns why the run ends.
func (r *Run) awaitEnd(ctx context.Context) string {
	all := make(chan struct{})
	through := all
	r.spawn(func() { // ends with the actors or with the run
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
		through = nil // the recording may go on, and so may whoever was prompted
	}
	e, grace := ending{why: EndedThrough}, r.grace
	select {
	case e = <-r.over:
	case <-through:
		r.entering.await(ctx)
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
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return e.why
	case <-ctx.Done():
		return endOf(ctx)
	}
}

// awaited are the actors whose end is that of the run: where some of them drive the agent those and the other
// clients, else all.
func (r *Run) awaited() []*Actor {
	for _, c := range r.clients {
		if _, ok := c.player.(Driver); ok {
			return r.clients
		}
	}
	return r.actors
}

// lingers reports whether something may still come when all that was awaited is through.
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

// spawn starts what ends with the run. Behind its end, when transports may still bring
// something, it starts nothing.
func (r *Run) spawn(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.work.Go(f)
	}
}

// awaitBegin waits until the run has begun, which its caller sees to, and returns its context.
func (r *Run) awaitBegin() context.Context {
	<-r.begun
	return r.alive
}

// matchTime is how long the conditions, or the extractors, of a phase may take over one
// message together. A document may have thousands of them, and a peer sends what costs most.
const matchTime = 2 * time.Second

var errMatchTime = errors.New("there was no time left to look at a message")

// matchContext returns a context for that time, which ends with the run as well.
func (r *Run) matchContext() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(r.alive, matchTime, errMatchTime)
}

// recordMessage puts a message into the trace.
func (r *Run) recordMessage(m trace.Message) int {
	out, err := r.opt.Recorder.Record(m)
	if err != nil {
		r.noteLoss(err)
		return 0
	}
	r.progress.noteRecorded(&out)
	return out.Seq
}

// noteLoss notes why messages are missing in the trace.
func (r *Run) noteLoss(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && r.lost == "" {
		r.lost = "the trace is incomplete: " + err.Error()
	}
}
