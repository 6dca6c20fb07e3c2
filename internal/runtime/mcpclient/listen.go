package mcpclient

import (
	"context"
	"errors"
	"slices"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// Wait receives what the server sends unsolicited until ctx ends, which is no error, or the session does: notifications and, where
// the revision has them, requests.
func (s *Session) Wait(ctx context.Context) error {
	if s.conv.meta == "" || s.announces() {
		s.conv.awaitChange(ctx, ctx)
	}
	if err := s.Err(); err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done() // nothing can arrive any more
	return nil
}

func (c *conversation) noteNotification(m wire.Message) {
	c.opt.Heard(m)
	for _, l := range mcp.ChangingLists {
		if m.Method == l.Changed {
			c.changed = l.Changed
			if c.stop != nil {
				c.stop()
			}
		}
	}
}

// Changed returns the notification, received since the latest Changed, that a list changed, or "". If there is none but the server
// announces such notifications, it waits for one at most the given time. Listening depends on the revision: nothing is needed over
// stdio, a stream over HTTP, and a request in the stateless era.
func (s *Session) Changed(ctx context.Context, wait time.Duration) string {
	if !s.announces() {
		wait = 0
	}
	return s.Idle(ctx, wait)
}

// Hear opens the stream on which a handshake-era server may send at any time over HTTP, so that nothing sent between calls is lost.
// Otherwise it does nothing. A server without such a stream is no error.
func (s *Session) Hear(ctx context.Context) {
	if s.conv.meta == "" {
		s.conv.openListenStream(ctx)
	}
}

// Idle is Changed for a client that also listens to servers that announce nothing, and meanwhile answers their requests. Without
// time to wait it only returns what was received.
func (s *Session) Idle(ctx context.Context, wait time.Duration) string {
	c := s.conv
	if c.changed == "" && wait > 0 && c.client.Err() == nil {
		inTime, cancel := context.WithTimeoutCause(ctx, wait, errWaited)
		defer cancel()
		c.stop = cancel
		c.awaitChange(ctx, inTime)
		c.stop = nil
	}
	heard := c.changed
	c.changed = ""
	return heard
}

var errWaited = errors.New("enough waited")

// announces reports whether the server announces list changes.
func (s *Session) announces() bool { return len(s.conv.announcedFilters()) > 0 }

func (c *conversation) announcedFilters() (filters []string) {
	caps := rawjson.LastMember(c.out.Init, "capabilities")
	if caps == "" || caps[0] != '{' {
		return nil
	}
	for _, l := range mcp.ChangingLists {
		if of := rawjson.LastMember(caps, l.Capability); of != "" && of[0] == '{' && rawjson.LastMember(of, "listChanged") == "true" {
			filters = append(filters, l.Filter)
		}
	}
	return slices.Clip(filters)
}

// awaitChange receives until inTime ends; Heard ends it when the awaited notification arrives.
func (c *conversation) awaitChange(ctx, inTime context.Context) {
	if c.meta != "" {
		c.subscribe(ctx, inTime)
		return
	}
	if !c.openListenStream(inTime) {
		return
	}
	for inTime.Err() == nil && c.client.Next(inTime) == nil {
	}
}

// openListenStream opens the stream for unsolicited messages, once, and reports whether there is one.
func (c *conversation) openListenStream(ctx context.Context) bool {
	web, ok := c.conn.(interface {
		SSE() bool
		Listen(context.Context) error
	})
	if ok && !web.SSE() && !c.listens && web.Listen(ctx) != nil {
		return false
	}
	c.listens = true
	return true
}

// subscribe subscribes to notifications in the stateless era. The request is answered when the server has nothing more to send,
// which is not awaited.
func (c *conversation) subscribe(ctx, inTime context.Context) {
	var wanted []string
	for _, f := range c.announcedFilters() {
		wanted = append(wanted, f, "true")
	}
	_, err := c.client.Call(inTime, mcp.SubscriptionsListen, c.params(`"notifications":`+rawjson.Build(wanted...)))
	if none, ok := errors.AsType[*wire.NoAnswerError](err); ok && !c.http { // over HTTP the end of the stream has ended the request
		_ = c.client.Notify(ctx, mcp.NotifyCancelled, `{"requestId":`+none.ID+`}`)
	}
}
