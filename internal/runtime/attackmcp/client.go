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

// A client is an actor in mode mcp_client: it opens a session with the server under attack, performs the actions of its phases one
// after the other, and answers the server's requests (§7.1.5). All runs in one goroutine, except the phase timer.
type client struct {
	*attack.Actor
	attack.PhaseStop // stops the current wait
	opt              Options
	tape             *wire.Tape

	mu     sync.Mutex
	outbox []queuedMessage

	deferred []func(string)  // effects of events that arrived during a request
	idle     bool            // it waits for unsolicited messages
	latest   attack.Exchange // its latest answered request
}

// Send queues what on_enter sends until the client's goroutine can send it.
func (c *client) Send(_ context.Context, e attack.Entry, method, params string) {
	c.mu.Lock()
	c.outbox = append(c.outbox, queuedMessage{e.Phase(), e.Left(), method, params})
	c.mu.Unlock()
	c.Moved() // ends the current wait, for an answer or anything else
}

// Play runs the script. An error says why it could not be completed.
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
	defer conn.Close() // an error on closing changes nothing that was observed
	session, err := c.openSession(ctx, conn)
	if err != nil {
		return err
	}
	c.runDeferred()
	session.Hear(ctx) // over HTTP the server's unsolicited messages need a stream
	for ctx.Err() == nil {
		at, left := c.Position(ctx)
		if err := c.playPhase(ctx, session, at, left); err != nil {
			return err
		}
		if c.ThroughAt(at) {
			c.Finish(nil)
			_ = session.Wait(ctx) // for the run's grace period; a server that leaves then has done its part
			return nil
		}
	}
	return nil
}

// Close reports why messages are missing from the trace.
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
		Opened: func(method, params string, answer wire.Message) { // an event like any other
			at := c.LastPhase()
			c.RunExtractors(at, oatf.SourceRequest, rawjson.Read(params))
			c.observeOwnAnswer(ctx, at, method, params, answer)
		},
		Answer: func(method, params string) (string, bool) { return c.answerServer(ctx, method, params) },
		Heard: func(m wire.Message) { // during a request, perhaps: its effects are deferred, so that no answer is lost
			_, then := c.ObserveMessage(ctx, m.Method, oatf.SourceRequest, parseParams(m), true)
			c.deferEntry(then)
		},
	})
}

// deferEntry defers an event's effects until the current request is done, and ends an idle wait.
func (c *client) deferEntry(then func(string)) {
	if then == nil {
		return
	}
	c.deferred = append(c.deferred, then)
	if c.idle {
		c.Moved()
	}
}

func (c *client) runDeferred() {
	for len(c.deferred) > 0 {
		then := c.deferred[0]
		c.deferred = c.deferred[1:]
		then("")
	}
}

// playPhase plays one phase and returns when it is over or, if it has no end, when its actions are done. An error is the end of the
// session.
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
		if method, params, ok := c.ReadAction(at, action, c.latest); ok {
			if err := c.sendMessage(ctx, session, at, method, params); err != nil {
				return err
			}
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
