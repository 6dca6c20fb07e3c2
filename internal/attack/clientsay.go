package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gauntlet/internal/peer"
	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

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
