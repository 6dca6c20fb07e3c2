package attack

import (
	"context"
	"io"
	"net"

	"gauntlet/trace"
)

// A Binding plays the actors of one protocol: it defines events, states, defaults and actions. The engine knows phases, triggers,
// captures and templates, and no protocol by name.
type Binding struct {
	Modes []string // of the actors it plays
	// NewPlayer returns the player of an actor. skip says why this actor is not played here, or is "".
	NewPlayer func(a *Actor) (player Player, skip string, err error)
}

// A Player plays one actor over its protocol and reports the events to it.
type Player interface {
	// Send performs a send action of on_enter. It must not wait for a peer.
	Send(ctx context.Context, e Entry, method, params string)
	// Moved is called when a phase starts, before its entry actions run.
	Moved()
}

// A Client is a Player that opens sessions itself.
type Client interface {
	Player
	// Play runs the script, in its own goroutine. An error says why it could not be completed.
	Play(ctx context.Context) error
	// Close is called after Play.
	Close()
}

// A Driver is a Client that drives the agent under test: when all Drivers are done, so is the agent, and nobody will contact the
// document's servers any more.
type Driver interface {
	Client
	// Lingers reports whether the agent may still be working after it said it was done.
	Lingers() bool
}

// A Listener is a Player that waits for the agent.
type Listener interface {
	Player
	Server() Server
}

// A Server is a server actor to which the caller attaches transports.
type Server struct {
	Actor    string
	Protocol string
	Path     string // path of its URL
	// HTTP serves clients on ln until ctx ends, and closes ln.
	HTTP func(ctx context.Context, ln net.Listener) error
	// Stdio serves one client; nil if the protocol has no such transport.
	Stdio func(ctx context.Context, in io.Reader, out io.Writer) error
	// OpenReplay opens a recorded session again. answered is called with the present answer to each recorded request of the peer, as
	// JSON; "" for none.
	OpenReplay func(ctx context.Context, answered func(request *trace.Message, answer string)) ReplaySession
	// MadeUp are the members of answers that are generated anew each time and sent back by the peer.
	MadeUp []string
	// Faults returns how clients reacted to faulty messages; nil if the actor does not carry out x-gauntlet-wire.
	Faults func() []FaultOutcome
}

// A Doer is a Player with its own on_enter actions. value is JSON with templates expanded.
type Doer interface {
	Do(ctx context.Context, e Entry, name, value string) (known bool)
}

// A PeerReplayer is a Client whose peer can be replayed from a recording.
type PeerReplayer interface {
	Client
	// ReplayPeer makes the client take its answers only from t. It is called before Play.
	ReplayPeer(t *ReplayTransport)
	// FeedRecorded gives t what the peer said in a recorded message, and reports whether the client will record something in
	// response.
	FeedRecorded(t *ReplayTransport, m *trace.Message) bool
}

// A ReplaySession is a replayed session.
type ReplaySession interface {
	// SendRecorded replays one message and waits for the actor's response. line is the message on one line.
	SendRecorded(line string, m *trace.Message)
	Close()
}

// The methods of Actor, and of the services of its run, for protocol bindings.

// Recorder returns the recorder of the run's messages.
func (r *services) Recorder() *trace.Recorder { return r.opt.Recorder }

// Credential returns the label of a credential, "" for none.
func (r *services) Credential(header string) string { return r.credentials.Of(header) }

// Progress tracks what is still to be sent in a replay; nil for a normal run.
func (r *services) Progress() *ReplayProgress { return r.progress }

// ExchangeNumber converts a server's own HTTP exchange number to one that is unique in the trace among all servers.
func (a *Actor) ExchangeNumber(own int) int { return (own-1)*len(a.servers) + a.place + 1 }

// Captures returns the values that the actor's templates can refer to.
func (a *Actor) Captures() map[string]string { return a.captures.visibleTo(a.Name) }

// Settled returns a channel that is closed when the phase's entry actions are done, including waits for values.
func (a *Actor) Settled(phase int) <-chan struct{} { return a.settled[phase] }

// Entered returns a channel that is closed when the phase's entry actions are done or wait for values.
func (a *Actor) Entered(phase int) <-chan struct{} { return a.entered[phase] }

// Position returns the current phase, and a channel that is closed when it ends.
func (a *Actor) Position(ctx context.Context) (phase int, left <-chan struct{}) {
	a.CurrentPhase(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.index, a.left
}

// ThroughAt reports whether an actor that has done everything of a phase is finished: its script has ended, or the phase has no
// end.
func (a *Actor) ThroughAt(phase int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.m.over || a.m.index == phase && a.Phases[phase].Trigger == nil
}

// Over reports whether the script has ended.
func (a *Actor) Over() bool { return IsClosed(a.ended) }

// Finish ends the actor; err, if not nil, says why it could not do its part.
func (a *Actor) Finish(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed = err.Error()
	}
	a.finishScript()
}

// Phase returns the phase that begins.
func (e Entry) Phase() int { return e.to }

// Left returns a channel that is closed when the phase ends.
func (e Entry) Left() <-chan struct{} { return e.left }
