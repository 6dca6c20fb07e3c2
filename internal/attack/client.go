package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"gauntlet/internal/peer"
	"gauntlet/internal/wire"
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
	outbox []letter
	stop   context.CancelCauseFunc // ends what is waited for; nil while nothing is

	upon []func() // what events that came while a request was under way brought about
}

// errMoved ends what a phase waits for when the phase is over.
var errMoved = errors.New("the phase is over")

func newClient(a *actor) *client {
	c := &client{actor: a}
	a.send, a.moved = c.letter, c.interrupt
	return c
}

// letter keeps what on_enter sends until the goroutine of the client can send it.
func (c *client) letter(_ context.Context, e entry, method, params string) {
	c.mu.Lock()
	c.outbox = append(c.outbox, letter{e, method, params})
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

// waiting returns a context that interrupt ends.
func (c *client) waiting(ctx context.Context) (context.Context, func()) {
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

// play runs through the script. An error is why it could not be played to its end.
func (c *client) play(ctx context.Context) error {
	c.tape = wire.NewTape(c.run.opt.Recorder, trace.Message{
		Actor: c.name, Server: c.name, Session: "s1", Role: trace.AsClient, Phase: c.phases[0].name,
	})
	conn, err := c.run.opt.Dial(ctx, c.name, func(p wire.Passage) {
		c.tape.Enter(c.phases[c.stands()].name)
		c.tape.Record(p)
	})
	if err != nil {
		return err
	}
	defer conn.Close() // an error of leaving changes nothing about what was seen
	session, err := c.open(ctx, conn)
	if err != nil {
		return err
	}
	session.Hear(ctx) // over HTTP there is a stream for what a server says unasked
	for ctx.Err() == nil {
		at, left := c.here(ctx)
		if err := c.phase(ctx, session, at, left); err != nil {
			return err
		}
		if c.through(at) {
			c.finish(nil)
			_ = session.Wait(ctx) // for the grace of the run; a server that leaves then has done its part
			return nil
		}
	}
	return nil
}

// here returns the phase that holds, and what is closed when it ends.
func (c *client) here(ctx context.Context) (int, <-chan struct{}) {
	c.now(ctx)
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	return c.m.at, c.left
}

// through reports whether nothing is left to do: the script is over, or it stands in a
// phase without end, all of whose actions are done.
func (c *client) through(at int) bool {
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	return c.m.over || c.m.at == at && c.phases[at].trigger == nil
}

// finish says that there is nothing more to come of this actor, and why if it could not do
// its part.
func (c *client) finish(err error) {
	if c.tape != nil {
		c.run.lose(c.tape.Err())
	}
	c.actor.mu.Lock()
	defer c.actor.mu.Unlock()
	if err != nil {
		c.failed = err.Error()
	}
	c.end()
}

func (c *client) open(ctx context.Context, conn wire.Conn) (*peer.Session, error) {
	inTime, cancel := context.WithTimeout(ctx, c.run.opt.Readiness)
	defer cancel()
	x := c.expander(rawjson.Value{})
	state := c.phases[0].state
	text := func(name, absent string) (string, error) {
		v := given(state, name)
		if !v.Exists() {
			return absent, nil
		}
		return x.value(v)
	}
	info, err := text("client_info", `{"name":"oatf-client","version":"1.0.0"}`)
	if err != nil {
		return nil, err
	}
	capabilities, err := text("capabilities", `{"roots":{"listChanged":true}}`)
	if err != nil {
		return nil, err
	}
	c.tellMissing(0, x)
	redact := func(s string) string { return s }
	if r, ok := conn.(interface{ Redact(string) string }); ok {
		redact = r.Redact
	}
	return peer.Open(inTime, conn, peer.Options{
		Info: info, Capabilities: capabilities, Unclaimed: true, Redact: redact,
		Answer: func(method, params string) (string, bool) { return c.reply(ctx, method, params) },
		Heard: func(m wire.Message) {
			c.heard(ctx, m.Method, params(m))
		},
	})
}

// heard takes a request or a notification of the server, which may come while something else
// is under way. What it brings about
// is done behind that, so that no answer is lost.
func (c *client) heard(ctx context.Context, method string, content rawjson.Value) (at int) {
	at, then := c.hear(ctx, method, oatf.SourceRequest, content, true)
	if then != nil {
		c.upon = append(c.upon, then)
	}
	return at
}

// settle does what events brought about.
func (c *client) settle() {
	for len(c.upon) > 0 {
		then := c.upon[0]
		c.upon = c.upon[1:]
		then()
	}
}

// phase does what is to be done in one phase and returns when the phase is over or, where
// it has no end, when that is done. An error is the end of the conversation.
func (c *client) phase(ctx context.Context, session *peer.Session, at int, left <-chan struct{}) error {
	select {
	case <-c.settled[at]:
	case <-left:
		return nil
	case <-ctx.Done():
		return nil
	}
	for _, action := range c.phases[at].state.Get("actions").Elements() {
		if err := c.letters(ctx, session); err != nil {
			return err
		}
		if isClosed(left) || c.isOver() || ctx.Err() != nil {
			return nil
		}
		if err := c.action(ctx, session, at, action); err != nil {
			return err
		}
	}
	for !isClosed(left) && !c.isOver() && ctx.Err() == nil {
		if err := c.letters(ctx, session); err != nil {
			return err
		}
		if c.phases[at].trigger == nil {
			return nil
		}
		if err := c.listen(ctx, session, left); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) isOver() bool { return isClosed(c.ended) }

// letters sends what on_enter has to send.
func (c *client) letters(ctx context.Context, session *peer.Session) error {
	for {
		c.mu.Lock()
		if len(c.outbox) == 0 {
			c.mu.Unlock()
			return nil
		}
		l := c.outbox[0]
		c.outbox = c.outbox[1:]
		c.mu.Unlock()
		if err := c.say(ctx, session, l.to, l.method, l.params); err != nil {
			return err
		}
	}
}

// listen waits for what the server sends unasked, until something has changed.
func (c *client) listen(ctx context.Context, session *peer.Session, left <-chan struct{}) error {
	waiting, done := c.waiting(ctx)
	defer done()
	if isClosed(left) || c.isOver() { // it was over before there was anything to interrupt
		return nil
	}
	err := session.Wait(waiting)
	c.settle()
	return err
}

// action does one action of the state.
func (c *client) action(ctx context.Context, session *peer.Session, at int, action rawjson.Value) error {
	x := c.expander(rawjson.Value{})
	method, err := x.text(action.Get("method").Text())
	params := "{}"
	if v := given(action, "params"); err == nil && v.Exists() {
		params, err = x.value(v)
	}
	c.tellMissing(at, x)
	switch {
	case err != nil:
		c.notice(Unplayed, at, "the action %q is left out: %v", action.Get("method").Text(), err)
		return nil
	case method == "":
		c.notice(Unplayed, at, "an action has no method and is left out; the form is {method, params}")
		return nil
	}
	return c.say(ctx, session, at, method, params)
}

// say sends a notification, or a request, whose answer is an event under its method. An
// error is the end of the conversation.
func (c *client) say(ctx context.Context, session *peer.Session, at int, method, params string) error {
	if params == "" || params[0] != '{' {
		params = "{}"
	}
	var tree rawjson.Tree
	if err := tree.Parse(params, 0); err != nil {
		c.notice(Unplayed, at, "%s is left out: its params are no JSON: %v", method, err)
		return nil
	}
	c.extract(at, oatf.SourceRequest, tree.Root())
	if isNotification(method) {
		if err := session.Notify(ctx, method, params); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
	waiting, done := c.waiting(ctx)
	m, err := session.Call(waiting, method, params)
	moved := errors.Is(context.Cause(waiting), errMoved)
	done()
	var refused *wire.AnswerError
	switch {
	case err == nil, errors.As(err, &refused):
		// The extractors are those of the phase that asked, also where it is over by now.
		content := enriched(m, params)
		c.extract(at, oatf.SourceResponse, content)
		if then := c.happen(ctx, method, content); then != nil {
			c.upon = append(c.upon, then)
		}
	case session.Err() != nil:
		return session.Err()
	case ctx.Err() != nil:
	case moved:
		c.notice(Trouble, at, "the answer to %s did not come before the phase was over", method)
	default:
		c.notice(Trouble, at, "%v", err)
	}
	c.settle()
	return nil
}

// requestKey is the member under which an event that is an answer has the params of its
// request, which SDK §4.1 demands without naming it. The judge of traces has the same.
const requestKey = "_request"

// enriched returns what an answer says, together with what was asked.
func enriched(m wire.Message, params string) rawjson.Value {
	tree := new(rawjson.Tree)
	text := cmp.Or(m.Result, m.Error)
	if tree.Parse(text, 0) != nil {
		return rawjson.Value{}
	}
	if v := tree.Root(); v.Kind() == rawjson.Object {
		comma := ","
		if v.Len() == 0 {
			comma = ""
		}
		raw := v.Raw()
		_ = tree.Parse(raw[:len(raw)-1]+comma+`"`+requestKey+`":`+params+"}", 0) // both parts are JSON
	}
	return tree.Root()
}
