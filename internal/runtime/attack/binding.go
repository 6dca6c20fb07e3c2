package attack

import (
	"context"
	"io"
	"net"
	"time"

	"gauntlet/trace"
)

// A Binding plays the actors of one protocol: what is an event there, what a state means, what is said where
// a document says nothing, and which actions there are. The engine knows phases, triggers, captures and
// templates, and no protocol by its name.
type Binding interface {
	// Modes are those of the actors that it plays.
	Modes() []string
	// NewPlayer makes what plays an actor. skip is why this one is not played here, "" if it is.
	NewPlayer(a *Actor) (player Player, skip string, err error)
}

// A Player is one actor on its protocol. It tells the actor what happens on its conversations.
type Player interface {
	// Send does a send action of on_enter. It must not wait for a peer.
	Send(ctx context.Context, e Entry, method, params string)
	// Moved is told of every phase that begins, before what the phase does first.
	Moved()
}

// A Client is a Player that opens conversations by itself.
type Client interface {
	Player
	// Play runs through the script, in a goroutine of its own. An error is why it could not be
	// played to its end.
	Play(ctx context.Context) error
	// Close is called behind Play.
	Close()
}

// A Driver is a Client upon which the agent under test acts: when all of them are through, so is the agent, and nobody
// comes to the servers of the document any more.
type Driver interface {
	Client
	// Lingers reports whether the agent may still be at work when it has said that it is done.
	Lingers() bool
}

// A Listener is a Player that waits for the agent.
type Listener interface {
	Player
	Server() Server
}

// A Server is a server actor, for its caller to attach transports to.
type Server struct {
	Actor    string
	Protocol string
	Path     string // of its URL
	// HTTP serves clients that come through ln until ctx ends, and closes ln.
	HTTP func(ctx context.Context, ln net.Listener) error
	// Stdio serves one client; nil for a protocol that has no such transport.
	Stdio func(ctx context.Context, in io.Reader, out io.Writer) error
}

// A Doer is a Player with actions of its own for on_enter. value is JSON, its templates resolved.
type Doer interface {
	Do(ctx context.Context, e Entry, name, value string) (known bool)
}

// A Tamperer is a Player that does x-gauntlet-wire.
type Tamperer interface{ Faults() []FaultOutcome }

// A Replayer is a Player whose peer can be played again from a recording.
type Replayer interface {
	// OpenReplay opens one conversation again. answered is told what each recorded request of the peer's
	// is answered with now, as JSON; "" for nothing.
	OpenReplay(ctx context.Context, answered func(request *trace.Message, answer string)) ReplaySession
	// MadeUp are members of answers that are made anew each time, and come back from the peer.
	MadeUp() []string
}

// A PeerReplayer is a Client whose peer can be played again from a recording.
type PeerReplayer interface {
	Client
	// ReplayPeer has the client get its answers from t and nowhere else. It is called before Play.
	ReplayPeer(t *ReplayTransport)
	// FeedRecorded gives t what the peer said in a message of the recording, and reports whether the client will record
	// something upon it.
	FeedRecorded(t *ReplayTransport, m *trace.Message) bool
}

// A ReplaySession is one conversation that is played again.
type ReplaySession interface {
	// SendRecorded plays one message and waits for what the actor has to say upon it. line is the
	// message on one line.
	SendRecorded(line string, m *trace.Message)
	Close()
}

// What the binding of a protocol may ask of an actor that it plays.

// Recorder takes messages of the actor's conversations.
func (a *Actor) Recorder() *trace.Recorder { return a.run.opt.Recorder }

// Record puts a message into the trace and returns its number, 0 if it is not in it.
func (a *Actor) Record(m trace.Message) int { return a.run.recordMessage(m) }

// NoteLoss notes why messages are missing in the trace; nil for no reason.
func (a *Actor) NoteLoss(err error) { a.run.noteLoss(err) }

// Credential returns the label of a credential, "" for none.
func (a *Actor) Credential(header string) string { return a.run.credentials.Of(header) }

// ExchangeNumber makes a number in the trace of one that a server gives its exchanges of HTTP. All
// servers come together there, and their numbers must not meet.
func (a *Actor) ExchangeNumber(own int) int { return (own-1)*len(a.run.servers) + a.place + 1 }

// Now is the time of the run.
func (a *Actor) Now() time.Time { return a.run.clockNow() }

// Spawn starts what ends with the run.
func (a *Actor) Spawn(f func()) { a.run.spawn(f) }

// AwaitBegin waits until the run has begun and returns its context, which ends with it.
func (a *Actor) AwaitBegin() context.Context { return a.run.awaitBegin() }

// MatchContext returns a context for looking at one message.
func (a *Actor) MatchContext() (context.Context, context.CancelFunc) { return a.run.matchContext() }

// Captures returns what templates of the actor can refer to.
func (a *Actor) Captures() map[string]string { return a.run.captures.visibleTo(a.Name) }

// Progress is told what is still to go over the wire; of a run that is no replay it sees nothing.
func (a *Actor) Progress() *ReplayProgress { return a.run.progress }

// Settled is closed when the phase has done what it does first and waits for no value any more.
func (a *Actor) Settled(phase int) <-chan struct{} { return a.settled[phase] }

// Entered is closed when the phase has done what it does first, or waits for values.
func (a *Actor) Entered(phase int) <-chan struct{} { return a.entered[phase] }

// Position returns the phase that holds, and what is closed when it ends.
func (a *Actor) Position(ctx context.Context) (phase int, left <-chan struct{}) {
	a.CurrentPhase(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.index, a.left
}

// ThroughAt reports whether nothing is left to do for an actor that has done everything of a phase: its
// script is over, or the phase has no end.
func (a *Actor) ThroughAt(phase int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.over || a.m.index == phase && a.Phases[phase].Trigger == nil
}

// Over reports whether the script is through.
func (a *Actor) Over() bool { return IsClosed(a.ended) }

// Finish says that there is nothing more to come of the actor, and why if it could not do its part.
func (a *Actor) Finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed = err.Error()
	}
	a.finishScript()
}

// Phase is the phase that begins.
func (e Entry) Phase() int { return e.to }

// Left is closed when that phase ends.
func (e Entry) Left() <-chan struct{} { return e.left }
