package mcpserver

import (
	"bytes"
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
	// endGrace is how long a client may take, after ctx ends, to read what is written.
	endGrace = time.Second
	// callGrace is how long calls continue after the client has closed its end.
	callGrace = 5 * time.Second
	// slowAnswer is how long an answer may delay later ones if an Interceptor can make it slow.
	slowAnswer = 100 * time.Millisecond
	// stallGrace is how long a client that has closed its input may read nothing before it counts as gone, even if it keeps its end
	// open.
	stallGrace = 3 * time.Second
	// writeChunk is written at a time, so that a slow reader is seen to read.
	writeChunk = 16 << 10
	// readAhead bounds, in bytes, the input read before it is answered.
	readAhead     = 1 << 20
	mostListening = 100
)

// Stdio serves one client that writes to in and reads from out, one message per line, until in or ctx ends; neither is an error. in
// and out are not closed, and may be files whose Read and Write cannot be interrupted: a blocked one is left behind when ctx ends.
//
// When in ends, calls in progress have five more seconds and their questions get no answer; when ctx ends they are cancelled.
//
// Answers keep the order of their requests, except for calls that ask the client something or take long.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &stdioConn{
		server: s, lines: make(chan string, mostQueued), ended: ctx.Done(),
		over: make(chan error, 1), last: make(chan struct{}), gone: make(chan struct{}), copied: make(chan struct{}), stalled: make(chan struct{}),
	}
	s.initSession(&c.session, c.tryQueueLine)
	fromClient, feed := io.Pipe()
	c.readAhead(in, feed)
	go c.writeLines(out) // ends with c.last, or with a blocked Write
	c.stream = wire.NewStream(fromClient, discardWriter{}, wire.Limits{Message: s.opt.HTTP.Body, Total: math.MaxInt64}, nil)
	go c.readMessages(ctx)
	err := <-c.over
	c.endConversation(ctx)
	_ = c.stream.Close()
	return err
}

// readAhead copies the input through a buffer to a pipe: the end of the input must be seen even while an answer waits for the
// client to read it.
func (c *stdioConn) readAhead(in io.Reader, feed *io.PipeWriter) {
	ahead := make(chan []byte, readAhead/writeChunk)
	var end error
	go func() { // ends with in; if it never ends, its Read is left behind
		defer c.watchWriting() // ends with the writing
		defer close(ahead)
		for {
			b := make([]byte, writeChunk)
			n, err := in.Read(b)
			if n > 0 {
				c.arrived.Add(int64(bytes.Count(b[:n], []byte{'\n'})))
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
			_, _ = feed.Write(b) // fails once nobody reads, and the rest is dropped
		}
		feed.CloseWithError(end) // the reader of the pipe sees io.EOF
	}()
}

// discardWriter is the unused write half of a stream that is only read.
type discardWriter struct{}

func (discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (discardWriter) Close() error                { return nil }

// stdioConn is one session over stdio.
type stdioConn struct {
	server  *Server
	stream  *wire.Stream // the client's input
	session Session
	lines   chan string     // to be written, in order
	ended   <-chan struct{} // closed when there is no time left to wait for the client
	over    chan error      // gets the reason of the client's end
	last    chan struct{}   // closed when no more lines are queued
	gone    chan struct{}   // closed when the client reads nothing more
	copied  chan struct{}   // closed when nothing more is written
	stalled chan struct{}   // closed when a client that closed its input reads nothing
	written atomic.Int64    // bytes that the client accepted
	arrived atomic.Int64    // lines that the client sent
	waiting atomic.Int64    // arrived when our latest line was written
	read    int64           // lines that were received of these; the reader's
	left    atomic.Bool     // a blocked Write was left behind
	calls   sync.WaitGroup
}

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
	c.waiting.Store(c.arrived.Load())
	taken, err := false, error(nil)
	if c.server.opt.Deliver != nil {
		o := &Outgoing{Session: &c.session, Text: line, server: c.server, out: out, cut: c.hangUp}
		taken, err = o.offerToDeliver(context.Background()) // a client's leaving is noticed only when writing to it
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

// watchWriting waits until nothing more is written, or until a client that has closed its input reads nothing, so that nobody waits
// for it.
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
		if now == before && len(c.lines) > 0 || now == before && wire.IsClosed(c.last) {
			close(c.stalled)
			return
		}
		before = now
	}
}

// hangUp ends the session from our side.
func (c *stdioConn) hangUp() {
	select {
	case c.over <- nil:
	default: // it has ended
	}
}

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

// queueOrDrop queues a line, or drops it if the client reads nothing more.
func (c *stdioConn) queueOrDrop(line string) { _ = c.queueLine(context.Background(), line) }

// tryQueueLine queues a line if there is room.
func (c *stdioConn) tryQueueLine(line string) error {
	if wire.IsClosed(c.gone) || wire.IsClosed(c.last) { // first: otherwise a flood would keep the end from being written
		return ErrSessionEnded
	}
	select {
	case c.lines <- line:
		return nil
	default:
		return ErrFull
	}
}

// readMessages reads and answers until the input ends or the client reads nothing more. A call that delays others passes the
// reading on to another goroutine, together with the session's final steps.
func (c *stdioConn) readMessages(ctx context.Context) {
	for {
		m, err := c.stream.Receive(ctx)
		c.read++
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
		if wire.IsClosed(c.gone) {
			c.over <- nil
			return
		}
	}
}

// answerMessage answers a message, and reports whether the caller is still the reader.
func (c *stdioConn) answerMessage(ctx context.Context, m wire.Message) bool {
	h := readIncoming(m, nil)
	h.early = c.read <= c.waiting.Load()
	h = c.server.receive(ctx, &c.session, h, nil)
	t := &stdioResponder{stdioConn: c, id: m.ID, heard: h}
	if m.Kind == wire.Notification && m.Method == mcp.NotifyCancelled {
		for _, id := range memberValues(m.Params, "requestId") {
			if s := c.session.findSubscription(id); s != nil {
				c.session.removeSubscription(s) // without an answer
			}
		}
	}
	if !h.mayTakeTime() {
		t.sendAnswer(c.server.answerMessage(ctx, &c.session, h, nil))
		return true
	}
	c.calls.Add(1)
	defer c.calls.Done()
	t.next = func() { go c.readMessages(ctx) } // ends as readMessages does
	if c.server.opt.Interceptor != nil {
		// Answers from a snapshot are immediate and in order.
		defer time.AfterFunc(slowAnswer, t.letOthersPass).Stop()
	}
	c.server.runRequest(ctx, &c.session, m.ID, t, func(ctx context.Context, run *runningRequest) reply {
		return c.server.answerMessage(ctx, &c.session, h, run)
	})
	return t.freed.CompareAndSwap(false, true)
}

// endConversation ends the session. A client that closes its input first and keeps reading gets everything.
func (c *stdioConn) endConversation(ctx context.Context) {
	c.session.stopWaiting()
	c.awaitCalls(ctx)
	c.session.endSession()
	c.calls.Wait()
	for _, s := range c.session.subscriptions() {
		c.queueOrDrop(s.last) // a client that has left does not miss it
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
	select {
	case <-c.copied:
	case <-time.After(endGrace):
		c.left.Store(true)
	}
}

// awaitCalls gives calls in progress time to finish.
func (c *stdioConn) awaitCalls(ctx context.Context) {
	ended := make(chan struct{})
	go func() { // ends with the calls, which endConversation waits for
		c.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(callGrace):
	case <-ctx.Done():
	case <-c.gone:
	}
}

// A stdioResponder answers a request over stdio.
type stdioResponder struct {
	*stdioConn
	id    string
	heard incoming
	next  func()      // starts another reader; nil if not needed
	freed atomic.Bool // another goroutine reads
}

// letOthersPass starts reading the next messages.
func (t *stdioResponder) letOthersPass() {
	if t.next != nil && t.freed.CompareAndSwap(false, true) {
		t.next()
	}
}

// sendBefore queues a message that belongs to the request: lines are sent in queueing order.
func (t *stdioResponder) sendBefore(ctx context.Context, line string) error {
	return t.queueLine(ctx, line)
}

func (t *stdioResponder) setRunning(*runningRequest) {}

// sendAnswer queues the answer. Meanwhile no other message of the session is processed.
func (t *stdioResponder) sendAnswer(r reply) {
	t.session.order.Lock()
	defer t.session.order.Unlock()
	t.queueReply(r)
	t.heard.afterAnswer()
}

func (t *stdioResponder) queueReply(r reply) {
	if r.sub != nil && (t.session.findSubscription(t.id) != nil || len(t.session.subscriptions()) >= mostListening) {
		r = failReply(t.id, 0, &Error{Code: mcp.CodeInvalidRequest, Message: "Invalid Request: the id is in use, or there are too many subscriptions"})
	}
	if r.sub != nil && !r.over {
		t.beginSubscription(r)
		return
	}
	if r.sub != nil {
		t.stdioConn.queueOrDrop(r.listen)
	}
	if r.body != "" {
		t.stdioConn.queueOrDrop(r.body)
	}
}

// beginSubscription acknowledges a subscription. The subscription is registered first, since a client may rely on it once
// acknowledged; notifications posted meanwhile follow the acknowledgement.
func (t *stdioResponder) beginSubscription(r reply) {
	var acknowledging sync.Mutex
	acknowledging.Lock()
	defer acknowledging.Unlock()
	r.sub.post = func(line string) error {
		acknowledging.Lock()
		defer acknowledging.Unlock()
		return t.tryQueueLine(line)
	}
	t.session.addSubscription(r.sub)
	t.stdioConn.queueOrDrop(r.listen)
}
