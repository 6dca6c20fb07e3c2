package attack

import (
	"context"
	"errors"
	"sync"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A client is an actor in the mode mcp_client: it opens a conversation with the server under
// attack, does the actions of its phases one after the other, and answers what the server
// asks meanwhile (§7.1.5). All of it happens in one goroutine, but for the timer of a phase.
type client struct {
	*actor
	tape *wire.Tape

	mu     sync.Mutex
	outbox []queuedMessage
	stop   context.CancelCauseFunc // ends what is waited for; nil while nothing is

	deferred []func(string) // what events that came while a request was under way brought about
	idle     bool           // it waits for what the server says unasked
	latest   exchange       // the last of its own that was answered
}

// errMoved ends what a phase waits for when the phase is over.
var errMoved = errors.New("the phase is over")

func newClient(a *actor) *client {
	c := &client{actor: a}
	a.send, a.moved = c.enqueueMessage, c.interrupt
	return c
}

// enqueueMessage keeps what on_enter sends until the goroutine of the client can send it.
func (c *client) enqueueMessage(_ context.Context, e entry, method, params string) {
	c.mu.Lock()
	c.outbox = append(c.outbox, queuedMessage{e, method, params})
	c.mu.Unlock()
	c.interrupt()
}

// interrupt ends the wait for an answer, or for anything at all: time has brought about
// another phase.
func (c *client) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop(errMoved)
	}
}

// interruptible returns a context that interrupt ends.
func (c *client) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.stop = cancel
	c.mu.Unlock()
	return ctx, func() {
		c.mu.Lock()
		c.stop = nil
		c.mu.Unlock()
		cancel(nil)
	}
}

// playScript runs through the script. An error is why it could not be played to its end.
func (c *client) playScript(ctx context.Context) error {
	c.tape = wire.NewTape(c.run.opt.Recorder, trace.Message{
		Actor: c.name, Server: c.name, Session: "s1", Role: trace.AsClient, Phase: c.phases[0].name,
	})
	conn, err := c.run.opt.Dial(ctx, c.name, func(p wire.Passage) {
		c.tape.Enter(c.phases[c.lastPhase()].name)
		c.tape.Record(p)
	})
	if err != nil {
		return err
	}
	defer conn.Close() // an error of leaving changes nothing about what was seen
	session, err := c.openSession(ctx, conn)
	if err != nil {
		return err
	}
	c.runDeferred()
	session.Hear(ctx) // over HTTP there is a stream for what a server says unasked
	for ctx.Err() == nil {
		at, left := c.phaseAndEnd(ctx)
		if err := c.playPhase(ctx, session, at, left); err != nil {
			return err
		}
		if c.nothingLeft(at) {
			c.finishActor(nil)
			_ = session.Wait(ctx) // for the grace of the run; a server that leaves then has done its part
			return nil
		}
	}
	return nil
}

// phaseAndEnd returns the phase that holds, and what is closed when it ends.
func (c *client) phaseAndEnd(ctx context.Context) (int, <-chan struct{}) {
	c.currentPhase(ctx)
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	return c.m.index, c.left
}

// nothingLeft reports whether nothing is left to do: the script is over, or it stands in a
// phase without end, all of whose actions are done.
func (c *client) nothingLeft(at int) bool {
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	return c.m.over || c.m.index == at && c.phases[at].trigger == nil
}

// finishActor says that there is nothing more to come of this actor, and why if it could not do
// its part.
func (c *client) finishActor(err error) {
	if c.tape != nil {
		c.run.noteLoss(c.tape.Err())
	}
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	if err != nil {
		c.failed = err.Error()
	}
	c.finishScript()
}

func (c *client) openSession(ctx context.Context, conn wire.Conn) (*mcpclient.Session, error) {
	inTime, cancel := context.WithTimeout(ctx, c.run.opt.Readiness)
	defer cancel()
	x := c.expander(rawjson.Value{})
	state := c.phases[0].state
	text := func(name, absent string) (string, error) {
		v := nonNullMember(state, name)
		if !v.Exists() {
			return absent, nil
		}
		return x.expandValue(v)
	}
	info, err := text("client_info", `{"name":"oatf-client","version":"1.0.0"}`)
	if err != nil {
		return nil, err
	}
	capabilities, err := text("capabilities", `{"roots":{"listChanged":true}}`)
	if err != nil {
		return nil, err
	}
	c.noteMissing(0, x)
	redact := func(s string) string { return s }
	if r, ok := conn.(interface{ Redact(string) string }); ok {
		redact = r.Redact
	}
	return mcpclient.Open(inTime, conn, mcpclient.Options{
		Info: info, Capabilities: capabilities, Unclaimed: true, Redact: redact,
		Opened: func(method, params string, answer wire.Message) { c.observeOpening(ctx, method, params, answer) },
		Answer: func(method, params string) (string, bool) { return c.answerServer(ctx, method, params) },
		Heard: func(m wire.Message) {
			c.observeIncoming(ctx, m.Method, parseParams(m))
		},
	})
}

// observeIncoming takes a notification of the server, which may come while something else is under way.
// What it brings about is done behind that, so that no answer is lost.
func (c *client) observeIncoming(ctx context.Context, method string, content rawjson.Value) {
	_, then := c.observeMessage(ctx, method, oatf.SourceRequest, content, true)
	c.deferEntry(then)
}

// deferEntry keeps what an event brought about until what is under way is done. Where nothing is, nothing
// is waited for any more.
func (c *client) deferEntry(then func(string)) {
	if then == nil {
		return
	}
	c.deferred = append(c.deferred, then)
	if c.idle {
		c.interrupt()
	}
}

// runDeferred does what events brought about.
func (c *client) runDeferred() {
	for len(c.deferred) > 0 {
		then := c.deferred[0]
		c.deferred = c.deferred[1:]
		then("")
	}
}

// playPhase does what is to be done in one phase and returns when the phase is over or, where
// it has no end, when that is done. An error is the end of the conversation.
func (c *client) playPhase(ctx context.Context, session *mcpclient.Session, at int, left <-chan struct{}) error {
	select {
	case <-c.settled[at]:
	case <-left:
		return nil
	case <-ctx.Done():
		return nil
	}
	for _, action := range c.phases[at].state.Get("actions").Elements() {
		if err := c.sendQueued(ctx, session); err != nil {
			return err
		}
		if isClosed(left) || c.isOver() || ctx.Err() != nil {
			return nil
		}
		if err := c.sendAction(ctx, session, at, action); err != nil {
			return err
		}
	}
	for !isClosed(left) && !c.isOver() && ctx.Err() == nil {
		if err := c.sendQueued(ctx, session); err != nil {
			return err
		}
		if c.phases[at].trigger == nil {
			return nil
		}
		if err := c.waitForServer(ctx, session, left); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) isOver() bool { return isClosed(c.ended) }
