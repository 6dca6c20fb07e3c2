package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/wire"
)

const (
	// lastWords is how long the end of ctx waits for a client to take what is written.
	lastWords = time.Second
	// lingering is how long calls under way go on when a client has said its last.
	lingering = 5 * time.Second
	// patience is how long an answer may keep those behind it waiting, where a Player may
	// make it slow.
	patience = 100 * time.Millisecond
	// mostListening is how many subscriptions a client may have at a time.
	mostListening = 100
)

// Stdio serves one client that writes to in and reads from out, one message a line, until
// in ends or ctx does. Both ends are no errors. in and out are not closed, and may be files
// whose Read and Write cannot be interrupted: when ctx ends, one that waits is left behind.
//
// Calls under way when in ends have five seconds more, and what they ask the client has no
// answer; when ctx ends they are cancelled.
//
// Answers come in the order of their requests, but for calls that ask the client something
// or take long.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &pipe{
		server: s, lines: make(chan string, mostQueued), ended: ctx.Done(),
		over: make(chan error, 1), last: make(chan struct{}), gone: make(chan struct{}), copied: make(chan struct{}),
	}
	s.newTalk(&c.talk, c.post)
	fromClient, feed := io.Pipe()
	go func() { // ends with in, or when the stream has closed its end and in says a last thing
		_, err := io.Copy(feed, in)
		feed.CloseWithError(err)
	}()
	go c.write(out) // ends with c.last, or with the Write that it is in
	c.stream = wire.NewStream(fromClient, nowhere{}, wire.Limits{Message: s.opt.HTTP.Body, Total: math.MaxInt64})
	go c.converse(ctx)
	err := <-c.over
	c.finish(ctx)
	_ = c.stream.Close()
	return err
}

// nowhere is the other half of a stream that is only read.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }

// pipe is one conversation over stdio.
type pipe struct {
	server *Server
	stream *wire.Stream // of what the client says
	talk   Talk
	lines  chan string     // to be written, in order
	ended  <-chan struct{} // closed when there is no time left to wait for the client
	over   chan error      // gets how the client ended
	last   chan struct{}   // closed when no line is added any more
	gone   chan struct{}   // closed when the client takes nothing any more
	copied chan struct{}   // closed when nothing is written any more
	left   atomic.Bool     // behind, in the Write that it is in
	calls  sync.WaitGroup
}

// write gives the client its lines.
func (c *pipe) write(out io.Writer) {
	defer close(c.copied)
	for {
		select {
		case line := <-c.lines:
			if c.put(out, line) != nil {
				return
			}
		case <-c.last:
			for {
				select {
				case line := <-c.lines:
					if c.put(out, line) != nil {
						return
					}
				default:
					return
				}
			}
		}
	}
}

func (c *pipe) put(out io.Writer, line string) error {
	if c.left.Load() {
		return ErrOver
	}
	taken, err := false, error(nil)
	if c.server.opt.Deliver != nil {
		o := &Outgoing{Talk: &c.talk, Text: line, server: c.server, out: out, cut: c.hangUp}
		taken, err = o.hand(context.Background()) // who leaves is not noticed before its end is written to
	}
	if !taken {
		c.server.tapOut(&c.talk, line, nil, 0)
		_, err = io.WriteString(out, line+"\n")
	}
	if err != nil {
		close(c.gone)
	}
	return err
}

// hangUp ends the conversation from our side.
func (c *pipe) hangUp() {
	select {
	case c.over <- nil:
	default: // it has ended
	}
}

// send queues a line, and waits while there is no room.
func (c *pipe) send(ctx context.Context, line string) error {
	select {
	case c.lines <- line:
		return nil
	default:
	}
	select {
	case c.lines <- line:
		return nil
	case <-c.gone:
		return ErrOver
	case <-c.ended:
		return ErrOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// say queues a line, and drops it where the client takes nothing any more.
func (c *pipe) say(line string) { _ = c.send(context.Background(), line) }

// post queues a line if there is room.
func (c *pipe) post(line string) error {
	if c.isGone() {
		return ErrOver
	}
	select {
	case <-c.last:
		return ErrOver
	case c.lines <- line:
		return nil
	default:
		return ErrFull
	}
}

func (c *pipe) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// converse reads and answers until the client has said its last, or takes nothing any more.
// A call that keeps others waiting hands the reading over to another goroutine, and with
// it what is said at the end.
func (c *pipe) converse(ctx context.Context) {
	for {
		m, err := c.stream.Receive(ctx)
		var tooLong *wire.LineTooLongError
		switch {
		case errors.As(err, &tooLong):
			c.server.arrive(ctx, &c.talk, heard{Message: wire.Message{Note: tooLong.Error()}}, nil)
			r := fail("", 0, &Error{Code: invalidRequest, Message: fmt.Sprintf("Invalid Request: a message of more than %d bytes", tooLong.Limit)})
			c.say(r.body)
		case err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil):
			c.over <- nil
			return
		case err != nil:
			c.over <- err
			return
		default:
			if !c.take(ctx, m) {
				return
			}
		}
		if c.isGone() {
			c.over <- nil
			return
		}
	}
}

// take answers a message, and reports whether the caller is still who reads.
func (c *pipe) take(ctx context.Context, m wire.Message) bool {
	h := c.server.arrive(ctx, &c.talk, open(m, nil), nil)
	t := &ticket{pipe: c, id: m.ID, heard: h}
	if m.Kind == wire.Notification && m.Method == "notifications/cancelled" {
		c.cancel(m)
	}
	if !h.takesTime() {
		t.say(c.server.reply(ctx, &c.talk, h, nil))
		return true
	}
	c.calls.Add(1)
	defer c.calls.Done()
	t.next = func() { go c.converse(ctx) } // ends as converse does
	if c.server.opt.Player != nil {
		// What a snapshot says it says at once, and in order.
		defer time.AfterFunc(patience, t.free).Stop()
	}
	c.server.answerWith(ctx, &c.talk, m.ID, t, func(ctx context.Context, run *running) reply {
		return c.server.reply(ctx, &c.talk, h, run)
	})
	return t.freed.CompareAndSwap(false, true)
}

// cancel ends the subscription that the message names, which then has no answer.
func (c *pipe) cancel(m wire.Message) {
	for _, id := range values(m.Params, "requestId") {
		if s := c.talk.listening(id); s != nil {
			c.talk.deaf(s)
		}
	}
}

// finish ends the conversation. Who ends its input first and reads then gets everything.
func (c *pipe) finish(ctx context.Context) {
	c.talk.hush()
	c.linger(ctx)
	c.talk.end()
	c.calls.Wait()
	for _, s := range c.talk.subscriptions() {
		c.say(s.last) // who has gone does not miss it
	}
	close(c.last)
	select {
	case <-c.copied:
		return
	case <-ctx.Done():
	}
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-c.copied:
	case <-timer.C:
		c.left.Store(true)
	}
}

// linger lets calls under way come to their end, for a while.
func (c *pipe) linger(ctx context.Context) {
	ended := make(chan struct{})
	go func() { // ends with the calls, which finish waits for
		c.calls.Wait()
		close(ended)
	}()
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	case <-c.gone:
	}
}

// A ticket is the carrier of a request over stdio.
type ticket struct {
	*pipe
	id    string
	heard heard
	next  func()      // lets another goroutine read; nil if nobody has to
	freed atomic.Bool // somebody else reads
}

// free lets the messages behind this one be read.
func (t *ticket) free() {
	if t.next != nil && t.freed.CompareAndSwap(false, true) {
		t.next()
	}
}

func (t *ticket) owner(*running) {}

// say hands the answer over. While it does, nothing else of the conversation is heard.
func (t *ticket) say(r reply) {
	t.talk.order.Lock()
	defer t.talk.order.Unlock()
	t.speak(r)
	t.heard.said()
}

func (t *ticket) speak(r reply) {
	if r.sub != nil && (t.talk.listening(t.id) != nil || len(t.talk.subscriptions()) >= mostListening) {
		r = fail(t.id, 0, &Error{Code: invalidRequest, Message: "Invalid Request: the id is in use, or there are too many subscriptions"})
	}
	if r.sub != nil {
		t.pipe.say(r.listen)
		if !r.over {
			r.sub.post = t.post
			t.talk.listen(r.sub)
			return
		}
	}
	if r.body != "" {
		t.pipe.say(r.body)
	}
}
