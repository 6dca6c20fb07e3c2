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

// Wait takes what the server sends unasked until ctx ends, which is no error, or the
// conversation does: notifications, and where the revision has them, requests.
func (s *Session) Wait(ctx context.Context) error {
	if s.conv.meta == "" || s.announces() {
		s.conv.awaitChange(ctx, ctx)
	}
	if err := s.Err(); err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done() // nothing can come, or nothing does any more
	return nil
}

// noteNotification takes note of a notification.
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

// Changed returns the notification by which the server said since the latest call of
// Changed that a list is not what it was, "" if it did not. Where none has come yet and the
// server announces that it sends them, it waits for one, for the given time at most. How a
// server is listened to is its revision's: over stdio nothing more is needed, over HTTP a
// stream is opened, and the stateless era has a request for it.
func (s *Session) Changed(ctx context.Context, wait time.Duration) string {
	if !s.announces() {
		wait = 0
	}
	return s.Idle(ctx, wait)
}

// Hear opens the stream on which a server of the handshake's era may speak at any time
// over HTTP, so that nothing is lost that it says between calls. Elsewhere it does nothing.
// A server without such a stream is no error: then nothing can come.
func (s *Session) Hear(ctx context.Context) {
	if s.conv.meta == "" {
		s.conv.openListenStream(ctx)
	}
}

// Idle is Changed for a client that also listens to servers that announce nothing, and
// meanwhile answers what they ask. With no time to wait it only tells what was heard.
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

// announces reports whether the server says that it tells when a list changes.
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

// awaitChange receives until inTime ends, which heard sees to when what is waited for has come.
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

// openListenStream opens the stream for what comes unasked, once, and reports whether there is one.
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

// subscribe asks for the notifications of the stateless era. The request is answered when
// the server has no more to say, which is not waited for.
func (c *conversation) subscribe(ctx, inTime context.Context) {
	wanted := ""
	for _, f := range c.announcedFilters() {
		if wanted != "" {
			wanted += ","
		}
		wanted += `"` + f + `":true`
	}
	_, err := c.client.Call(inTime, mcp.SubscriptionsListen, c.params(`"notifications":{`+wanted+`}`))
	var none *wire.NoAnswerError
	if errors.As(err, &none) && !c.http { // over HTTP the end of the stream has said it
		_ = c.client.Notify(ctx, mcp.NotifyCancelled, `{"requestId":`+none.ID+`}`)
	}
}
