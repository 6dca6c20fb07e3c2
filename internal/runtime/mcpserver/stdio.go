package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

const (
	// lastWords is how long the end of ctx waits for a client to take what is written.
	endGrace = time.Second
	// lingering is how long calls under way go on when a client has said its last.
	callGrace = 5 * time.Second
	// patience is how long an answer may keep those behind it waiting, where an Interceptor may
	// make it slow.
	slowAnswer = 100 * time.Millisecond
	// stallGrace is how long a client that has said its last may take nothing before it counts as
	// gone, though it keeps its end open.
	stallGrace = 3 * time.Second
	// writeChunk is how much of a line is written at a time, so that a slow client is seen to read.
	writeChunk = 16 << 10
	// readAhead is how much of what a client says is read before it is answered, in bytes.
	readAhead = 1 << 20
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
	c := &stdioConn{
		server: s, lines: make(chan string, mostQueued), ended: ctx.Done(),
		over: make(chan error, 1), last: make(chan struct{}), gone: make(chan struct{}), copied: make(chan struct{}), stalled: make(chan struct{}),
	}
	s.initSession(&c.session, c.tryQueueLine)
	fromClient, feed := io.Pipe()
	c.readAhead(in, feed)
	go c.writeLines(out) // ends with c.last, or with the Write that it is in
	c.stream = wire.NewStream(fromClient, discardWriter{}, wire.Limits{Message: s.opt.HTTP.Body, Total: math.MaxInt64})
	go c.readMessages(ctx)
	err := <-c.over
	c.endConversation(ctx)
	_ = c.stream.Close()
	return err
}

// readAhead feeds what the client says to a pipe, by way of a buffer: that the client has said
// its last is to be seen while an answer still waits for it to be taken.
func (c *stdioConn) readAhead(in io.Reader, feed *io.PipeWriter) {
	ahead := make(chan []byte, readAhead/writeChunk)
	var end error
	go func() { // ends with in, which may be never: then it is left behind in its Read
		defer c.watchWriting() // ends with the writing
		defer close(ahead)
		for {
			b := make([]byte, writeChunk)
			n, err := in.Read(b)
			if n > 0 {
				ahead <- b[:n]
			}
			if err != nil {
				end = err
				return
			}
		}
	}()
	go func() { // ends with the other one
		for b := range ahead {
			_, _ = feed.Write(b) // fails when nobody listens any more, and what is left is dropped
		}
		feed.CloseWithError(end) // io.EOF is the end of what is read from the pipe
	}()
}

// discardWriter is the other half of a stream that is only read.
type discardWriter struct{}

func (discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (discardWriter) Close() error                { return nil }

// stdioConn is one conversation over stdio.
type stdioConn struct {
	server  *Server
	stream  *wire.Stream // of what the client says
	session Session
	lines   chan string     // to be written, in order
	ended   <-chan struct{} // closed when there is no time left to wait for the client
	over    chan error      // gets how the client ended
	last    chan struct{}   // closed when no line is added any more
	gone    chan struct{}   // closed when the client takes nothing any more
	copied  chan struct{}   // closed when nothing is written any more
	stalled chan struct{}   // closed when a client that has said its last takes nothing
	written atomic.Int64    // bytes that the client took
	left    atomic.Bool     // behind, in the Write that it is in
	calls   sync.WaitGroup
}

// writeLines gives the client its lines.
func (c *stdioConn) writeLines(out io.Writer) {
	defer close(c.copied)
	for {
		select {
		case line := <-c.lines:
			if c.writeLine(out, line) != nil {
				return
			}
		case <-c.last:
			for {
				select {
				case line := <-c.lines:
					if c.writeLine(out, line) != nil {
						return
					}
				default:
					return
				}
			}
		}
	}
}

func (c *stdioConn) writeLine(out io.Writer, line string) error {
	if c.left.Load() {
		return ErrSessionEnded
	}
	taken, err := false, error(nil)
	if c.server.opt.Deliver != nil {
		o := &Outgoing{Session: &c.session, Text: line, server: c.server, out: out, cut: c.hangUp}
		taken, err = o.offerToDeliver(context.Background()) // who leaves is not noticed before its end is written to
	}
	if !taken {
		c.server.tapOut(&c.session, line, nil, 0)
		err = c.writeChunks(out, line+"\n")
	}
	if err != nil {
		close(c.gone)
	}
	return err
}

func (c *stdioConn) writeChunks(out io.Writer, text string) error {
	for text != "" {
		n, err := io.WriteString(out, text[:min(len(text), writeChunk)])
		c.written.Add(int64(n))
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// watchWriting waits until nothing is written any more, or until a client that has said its last
// takes nothing: whoever waits for it then goes on.
func (c *stdioConn) watchWriting() {
	ticker := time.NewTicker(stallGrace)
	defer ticker.Stop()
	for before := int64(-1); ; {
		select {
		case <-c.copied:
			return
		case <-c.gone:
			return
		case <-ticker.C:
		}
		now := c.written.Load()
		if now == before && len(c.lines) > 0 || now == before && isClosed(c.last) {
			close(c.stalled)
			return
		}
		before = now
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// hangUp ends the conversation from our side.
func (c *stdioConn) hangUp() {
	select {
	case c.over <- nil:
	default: // it has ended
	}
}

// queueLine queues a line, and waits while there is no room.
func (c *stdioConn) queueLine(ctx context.Context, line string) error {
	select {
	case c.lines <- line:
		return nil
	default:
	}
	select {
	case c.lines <- line:
		return nil
	case <-c.gone:
		return ErrSessionEnded
	case <-c.ended:
		return ErrSessionEnded
	case <-c.stalled:
		return ErrSessionEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// queueOrDrop queues a line, and drops it where the client takes nothing any more.
func (c *stdioConn) queueOrDrop(line string) { _ = c.queueLine(context.Background(), line) }

// tryQueueLine queues a line if there is room.
func (c *stdioConn) tryQueueLine(line string) error {
	if isClosed(c.gone) || isClosed(c.last) { // before all else, or a flood would never let the end be written
		return ErrSessionEnded
	}
	select {
	case c.lines <- line:
		return nil
	default:
		return ErrFull
	}
}

// readMessages reads and answers until the client has said its last, or takes nothing any more.
// A call that keeps others waiting hands the reading over to another goroutine, and with
// it what is said at the end.
func (c *stdioConn) readMessages(ctx context.Context) {
	for {
		m, err := c.stream.Receive(ctx)
		var tooLong *wire.LineTooLongError
		switch {
		case errors.As(err, &tooLong):
			c.server.receive(ctx, &c.session, incoming{Message: wire.Message{Note: tooLong.Error()}}, nil)
			r := failReply("", 0, &Error{Code: mcp.CodeInvalidRequest, Message: fmt.Sprintf("Invalid Request: a message of more than %d bytes", tooLong.Limit)})
			c.queueOrDrop(r.body)
		case err != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil):
			c.over <- nil
			return
		case err != nil:
			c.over <- err
			return
		default:
			if !c.answerMessage(ctx, m) {
				return
			}
		}
		if isClosed(c.gone) {
			c.over <- nil
			return
		}
	}
}

// answerMessage answers a message, and reports whether the caller is still who reads.
func (c *stdioConn) answerMessage(ctx context.Context, m wire.Message) bool {
	h := c.server.receive(ctx, &c.session, readIncoming(m, nil), nil)
	t := &stdioResponder{stdioConn: c, id: m.ID, heard: h}
	if m.Kind == wire.Notification && m.Method == mcp.NotifyCancelled {
		c.cancelSubscription(m)
	}
	if !h.mayTakeTime() {
		t.sendAnswer(c.server.answerMessage(ctx, &c.session, h, nil))
		return true
	}
	c.calls.Add(1)
	defer c.calls.Done()
	t.next = func() { go c.readMessages(ctx) } // ends as converse does
	if c.server.opt.Interceptor != nil {
		// What a snapshot says it says at once, and in order.
		defer time.AfterFunc(slowAnswer, t.letOthersPass).Stop()
	}
	c.server.runRequest(ctx, &c.session, m.ID, t, func(ctx context.Context, run *runningRequest) reply {
		return c.server.answerMessage(ctx, &c.session, h, run)
	})
	return t.freed.CompareAndSwap(false, true)
}

// cancelSubscription ends the subscription that the message names, which then has no answer.
func (c *stdioConn) cancelSubscription(m wire.Message) {
	for _, id := range memberValues(m.Params, "requestId") {
		if s := c.session.findSubscription(id); s != nil {
			c.session.removeSubscription(s)
		}
	}
}

// endConversation ends the conversation. Who ends its input first and reads then gets everything.
func (c *stdioConn) endConversation(ctx context.Context) {
	c.session.stopWaiting()
	c.awaitCalls(ctx)
	c.session.endSession()
	c.calls.Wait()
	for _, s := range c.session.subscriptions() {
		c.queueOrDrop(s.last) // who has gone does not miss it
	}
	close(c.last)
	select {
	case <-c.copied:
		return
	case <-c.stalled:
		c.left.Store(true)
		return
	case <-ctx.Done():
	}
	timer := time.NewTimer(endGrace)
	defer timer.Stop()
	select {
	case <-c.copied:
	case <-timer.C:
		c.left.Store(true)
	}
}

// awaitCalls lets calls under way come to their end, for a while.
func (c *stdioConn) awaitCalls(ctx context.Context) {
	ended := make(chan struct{})
	go func() { // ends with the calls, which finish waits for
		c.calls.Wait()
		close(ended)
	}()
	timer := time.NewTimer(callGrace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	case <-c.gone:
	}
}
