package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"gauntlet/internal/wire"
)

const (
	// lastWords is how long the end of ctx waits for a client to take what is written.
	lastWords = time.Second
	// mostListening is how many subscriptions a client may have at a time.
	mostListening = 100
)

// Stdio serves one client that writes to in and reads from out, one message a line, until
// in ends or ctx does. Both ends are no errors. in and out are not closed, and may be files
// whose Read and Write cannot be interrupted: when ctx ends, one that waits is left behind.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &pipe{server: s, listening: map[string]string{}, copied: make(chan struct{}), progress: make(chan struct{}, 1)}
	fromClient, feed := io.Pipe()
	toClient, drain := io.Pipe()
	go func() { // ends with in, or when the stream has closed its end and in says a last thing
		_, err := io.Copy(feed, in)
		feed.CloseWithError(err)
	}()
	go func() { // ends when the stream closes its end, or with the Write that it is in
		defer close(c.copied)
		_, err := io.Copy(&taken{c, out}, toClient)
		toClient.CloseWithError(err)
	}()
	c.stream = wire.NewStream(fromClient, drain, wire.Limits{Message: s.opt.HTTP.Body, Total: math.MaxInt64})
	err := c.converse(ctx)
	for _, last := range c.listening {
		_ = c.send(ctx, last) // who has gone does not miss it
	}
	c.flush(ctx)
	_ = c.stream.Close()
	c.wait(ctx, c.copied)
	return err
}

// pipe is one conversation over stdio.
type pipe struct {
	server    *Server
	stream    *wire.Stream
	talk      talk
	listening map[string]string // the answers to come, by their requests' ids
	sent      int64             // bytes given to the stream
	written   atomic.Int64      // of those, taken by the client
	progress  chan struct{}     // has an element when written has grown
	copied    chan struct{}     // closed when nothing is written any more
}

// taken counts what a client took.
type taken struct {
	*pipe
	w io.Writer
}

func (t *taken) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	t.written.Add(int64(n))
	select {
	case t.progress <- struct{}{}:
	default:
	}
	return n, err
}

func (c *pipe) converse(ctx context.Context) error {
	for {
		m, err := c.stream.Receive(ctx)
		var tooLong *wire.LineTooLongError
		switch {
		case errors.As(err, &tooLong):
			r := fail("", 0, &Error{Code: invalidRequest, Message: fmt.Sprintf("Invalid Request: a message of more than %d bytes", tooLong.Limit)})
			if c.send(ctx, r.body) != nil {
				return nil
			}
			continue
		case err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil):
			return nil
		case err != nil:
			return err
		}
		if m.Kind == wire.Notification && m.Method == "notifications/cancelled" {
			c.cancel(m)
			continue
		}
		if c.say(ctx, m.ID, c.server.answer(ctx, &c.talk, m, nil)) != nil {
			return nil // the client does not read any more
		}
	}
}

// say sends what there is to say to a message.
func (c *pipe) say(ctx context.Context, id string, r reply) error {
	if r.listen != "" {
		if _, ok := c.listening[id]; ok || len(c.listening) >= mostListening {
			r = fail(id, 0, &Error{Code: invalidRequest, Message: "Invalid Request: the id is in use, or there are too many subscriptions"})
		}
	}
	if r.listen != "" {
		if err := c.send(ctx, r.listen); err != nil {
			return err
		}
		if !r.over {
			c.listening[id] = r.body
			return nil
		}
	}
	if r.body == "" {
		return nil
	}
	return c.send(ctx, r.body)
}

func (c *pipe) send(ctx context.Context, line string) error {
	err := c.stream.Send(ctx, []byte(line))
	if err == nil {
		c.sent += int64(len(line)) + 1
	}
	return err
}

// cancel ends a subscription, which then has no answer.
func (c *pipe) cancel(m wire.Message) {
	for _, id := range values(m.Params, "requestId") {
		delete(c.listening, id)
	}
}

// flush waits until the client has taken what was sent: who ends its input first and
// reads then gets everything.
func (c *pipe) flush(ctx context.Context) {
	for c.written.Load() < c.sent {
		select {
		case <-c.progress:
		case <-c.copied:
			return
		case <-ctx.Done():
			return
		}
	}
}

// wait gives done a last moment after the end of ctx.
func (c *pipe) wait(ctx context.Context, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
