package attackmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

func (c *client) sendQueued(ctx context.Context, session *mcpclient.Session) error {
	for {
		c.mu.Lock()
		if len(c.outbox) == 0 {
			c.mu.Unlock()
			return nil
		}
		l := c.outbox[0]
		c.outbox = c.outbox[1:]
		c.mu.Unlock()
		if err := c.sendMessage(ctx, session, l.to, l.method, l.params); err != nil {
			return err
		}
	}
}

// waitForServer receives unsolicited messages until something has changed.
func (c *client) waitForServer(ctx context.Context, session *mcpclient.Session, left <-chan struct{}) error {
	waiting, done := c.Interruptible(ctx)
	defer done()
	if attack.IsClosed(left) || c.Over() { // it ended before there was anything to interrupt
		return nil
	}
	c.idle = true
	err := session.Wait(waiting)
	c.idle = false
	c.runDeferred()
	return err
}

// sendMessage sends a notification, or a request whose answer is an event under its method. An error is the end of the session.
func (c *client) sendMessage(ctx context.Context, session *mcpclient.Session, at int, method, params string) error {
	params = cmp.Or(params, "{}")
	content := rawjson.Read(params)
	if !content.Exists() {
		c.Notice(attack.Unplayed, at, "%s is left out: its params are not JSON", method)
		return nil
	}
	c.RunExtractors(at, oatf.SourceRequest, content)
	if isNotification(method) {
		if err := session.Notify(ctx, method, params); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
	waiting, done := c.Interruptible(ctx)
	call := session.Call
	if params[0] != '{' {
		call = session.CallVerbatim // the document asks for it
	}
	m, err := call(waiting, method, params)
	moved := errors.Is(context.Cause(waiting), attack.ErrMoved)
	done()
	var refused *wire.AnswerError
	switch {
	case err == nil, errors.As(err, &refused):
		c.observeOwnAnswer(ctx, at, method, params, m)
	case session.Err() != nil:
		return session.Err()
	case ctx.Err() != nil:
	case moved:
		c.Notice(attack.Trouble, at, "the answer to %s did not come before the phase was over", method)
	default:
		c.Notice(attack.Trouble, at, "%v", err)
	}
	c.runDeferred()
	return nil
}

// observeOwnAnswer handles the server's answer to our request as an event under its method. The extractors are those of the phase
// that sent it, even if it is over.
func (c *client) observeOwnAnswer(ctx context.Context, at int, method, params string, m wire.Message) {
	content := attack.WithRequest(parseAnswer(m), params)
	c.RunExtractors(at, oatf.SourceResponse, content)
	c.latest = attack.Exchange{Request: params, Response: cmp.Or(m.Result, m.Error)}
	c.deferEntry(c.ObserveEvent(ctx, method, content, c.latest))
}
