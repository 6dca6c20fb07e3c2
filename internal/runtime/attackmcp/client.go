package attackmcp

import (
	"context"
	"sync"

	"gauntlet/internal/runtime/attack"
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
	*attack.Actor
	attack.PhaseStop // of what is waited for
	opt              Options
	tape             *wire.Tape

	mu     sync.Mutex
	outbox []queuedMessage

	deferred []func(string)  // what events that came while a request was under way brought about
	idle     bool            // it waits for what the server says unasked
	latest   attack.Exchange // the last of its own that was answered
}

func newClient(a *attack.Actor, opt Options) *client { return &client{Actor: a, opt: opt} }

// Send keeps what on_enter sends until the goroutine of the client can send it.
func (c *client) Send(_ context.Context, e attack.Entry, method, params string) {
	c.mu.Lock()
	c.outbox = append(c.outbox, queuedMessage{e.Phase(), e.Left(), method, params})
	c.mu.Unlock()
	c.Moved() // ends the wait for an answer, or for anything at all
}

// interruptible returns a context that Moved ends.
func (c *client) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.SetStop(cancel)
	return ctx, func() {
		c.SetStop(nil)
		cancel(nil)
	}
}

// Play runs through the script. An error is why it could not be played to its end.
func (c *client) Play(ctx context.Context) error {
	c.tape = wire.NewTape(c.Recorder(), trace.Message{
		Actor: c.Name, Server: c.Name, Session: "s1", Role: trace.AsClient, Phase: c.Phases[0].Name,
	})
	conn, err := c.opt.Dial(ctx, c.Name, func(p wire.Passage) {
		c.tape.Enter(c.Phases[c.LastPhase()].Name)
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
		at, left := c.Position(ctx)
		if err := c.playPhase(ctx, session, at, left); err != nil {
			return err
		}
		if c.ThroughAt(at) {
			c.Finish(nil)
			_ = session.Wait(ctx) // for the grace of the run; a server that leaves then has done its part
			return nil
		}
	}
	return nil
}

// Close says why messages are missing in the trace.
func (c *client) Close() {
	if c.tape != nil {
		c.NoteLoss(c.tape.Err())
	}
}

func (c *client) openSession(ctx context.Context, conn wire.Conn) (*mcpclient.Session, error) {
	inTime, cancel := context.WithTimeout(ctx, c.opt.Readiness)
	defer cancel()
	x := c.Expander(rawjson.Value{})
	state := c.Phases[0].State
	text := func(name, absent string) (string, error) {
		v := attack.Member(state, name)
		if !v.Exists() {
			return absent, nil
		}
		return x.ExpandValue(v)
	}
	info, err := text("client_info", `{"name":"oatf-client","version":"1.0.0"}`)
	if err != nil {
		return nil, err
	}
	capabilities, err := text("capabilities", `{"roots":{"listChanged":true}}`)
	if err != nil {
		return nil, err
	}
	c.NoteMissing(0, x)
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
	_, then := c.ObserveMessage(ctx, method, oatf.SourceRequest, content, true)
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
		c.Moved()
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
	case <-c.Settled(at):
	case <-left:
		return nil
	case <-ctx.Done():
		return nil
	}
	for _, action := range c.Phases[at].State.Get("actions").Elements() {
		if err := c.sendQueued(ctx, session); err != nil {
			return err
		}
		if attack.IsClosed(left) || c.Over() || ctx.Err() != nil {
			return nil
		}
		if err := c.sendAction(ctx, session, at, action); err != nil {
			return err
		}
	}
	for !attack.IsClosed(left) && !c.Over() && ctx.Err() == nil {
		if err := c.sendQueued(ctx, session); err != nil {
			return err
		}
		if c.Phases[at].Trigger == nil {
			return nil
		}
		if err := c.waitForServer(ctx, session, left); err != nil {
			return err
		}
	}
	return nil
}
