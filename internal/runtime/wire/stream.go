package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	sendQueue = 64          // messages
	flush     = time.Second // how long Close waits for the peer to read the queue
)

// A Stream is a Conn over two byte streams with one message per line, the framing of MCP over stdio. It serves either end.
type Stream struct {
	r   io.ReadCloser
	w   io.WriteCloser
	tap Tap

	lines *Lines
	in    chan received
	out   chan []byte

	finishOnce sync.Once
	closing    chan struct{} // closed by finish: nothing is sent or received any more
	stopOnce   sync.Once
	stop       chan struct{} // closed by Close
	readDone   chan struct{}
	writeDone  chan struct{}
	writeErr   error // set before writeDone is closed
}

type received struct {
	msg Message
	err error
}

// NewStream starts a connection over r and w and owns both. Closing r must end a blocked Read, as it does for pipes and sockets;
// otherwise Close would wait for the peer. tap may be nil.
func NewStream(r io.ReadCloser, w io.WriteCloser, limits Limits, tap Tap) *Stream {
	s := &Stream{
		r: r, w: w, tap: tap,
		lines: NewLines(r, limits),
		in:    make(chan received), out: make(chan []byte, sendQueue),
		closing: make(chan struct{}), stop: make(chan struct{}),
		readDone: make(chan struct{}), writeDone: make(chan struct{}),
	}
	// Both end by Close, which waits for them: closing r and w unblocks them.
	go s.readLines(s.lines)
	go s.writeQueued()
	return s
}

func (s *Stream) readLines(l *Lines) {
	defer close(s.readDone)
	defer close(s.in)
	for {
		line, err := l.Next()
		var tooLong *LineTooLongError
		final := err != nil && !errors.As(err, &tooLong)
		it := received{err: err}
		if err == nil {
			it.msg = Decode(line)
		}
		if l.cut && it.msg.Kind == Invalid {
			// That the peer has ended says more than where its last line stops being JSON.
			it.msg.ID, it.msg.Note = "", "cut off by the end of the output"
		}
		switch {
		case err == nil:
			s.tap.showReceived(it.msg)
		case !final:
			s.tap.showLost(err.Error(), nil)
		}
		select {
		case s.in <- it:
		case <-s.closing:
			// Keep reading and discard: a peer blocked in a write would never notice that its input has ended.
		}
		if final {
			return
		}
		select {
		case <-s.stop:
			return
		default:
		}
	}
}

func (s *Stream) writeQueued() {
	defer close(s.writeDone)
	defer s.w.Close()
	for {
		select {
		case line := <-s.out:
			if s.writeLine(line) != nil {
				return
			}
		case <-s.closing:
			for len(s.out) > 0 { // was queued before
				if s.writeLine(<-s.out) != nil {
					return
				}
			}
			return
		}
	}
}

func (s *Stream) writeLine(line []byte) error {
	if s.tap != nil {
		if err := s.tap.showSent(string(line[:len(line)-1]), nil); err != nil {
			s.writeErr = err
			s.finish() // otherwise a waiting request would wait for ever
			return err
		}
	}
	if _, err := s.w.Write(line); err != nil {
		s.writeErr = fmt.Errorf("the server no longer accepts messages: %w", err)
		return err
	}
	return nil
}

// Send queues a message; see [Conn]. A failed write is reported by later Sends.
func (s *Stream) Send(ctx context.Context, msg []byte) error {
	if bytes.IndexByte(msg, '\n') >= 0 {
		return errors.New("a message with a line break cannot be framed as a line")
	}
	select {
	case <-s.closing:
		return ErrClosed
	case <-s.writeDone:
		return s.unwritable()
	default:
	}
	line := append(append(make([]byte, 0, len(msg)+1), msg...), '\n')
	select {
	case s.out <- line:
		return nil
	default:
	}
	select {
	case s.out <- line:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.closing:
		return ErrClosed
	case <-s.writeDone:
		return s.unwritable()
	}
}

// unwritable returns why the writer has ended: closed, or a failed write.
func (s *Stream) unwritable() error {
	if IsClosed(s.closing) {
		return ErrClosed
	}
	return s.writeErr
}

// Unfinished returns the bytes received of an incomplete line.
func (s *Stream) Unfinished() int64 { return s.lines.begun.Load() }

// Receive returns the next line as a message; see [Conn]. The end of the input is io.EOF.
func (s *Stream) Receive(ctx context.Context) (Message, error) {
	select {
	case it, ok := <-s.in:
		switch {
		case ok:
			return it.msg, it.err
		case IsClosed(s.closing):
			return Message{}, ErrClosed
		}
		return Message{}, io.EOF
	case <-s.closing:
		return Message{}, ErrClosed
	case <-ctx.Done():
		return Message{}, context.Cause(ctx)
	}
}

// finish ends the writing side once the queue is written, without waiting.
func (s *Stream) finish() { s.finishOnce.Do(func() { close(s.closing) }) }

// Close writes what is queued (at most one second), closes both streams and waits until no goroutine of s runs.
func (s *Stream) Close() error {
	s.finish()
	select {
	case <-s.writeDone:
	case <-time.After(flush):
	}
	s.stopOnce.Do(func() { close(s.stop) })
	s.w.Close()
	s.r.Close()
	<-s.writeDone
	<-s.readDone
	return nil
}

// Lines splits a stranger's text into lines and bounds both.
type Lines struct {
	r     *bufio.Reader
	limit int          // longest line
	left  int64        // bytes that may still arrive
	total int64        // initial value of left
	skip  bool         // inside a line that was too long
	cut   bool         // the stream ended before the latest line did
	begun atomic.Int64 // bytes after the latest whole line
}

// NewLines returns the lines of r; limits bound one line (Message) and their sum (Total).
func NewLines(r io.Reader, limits Limits) *Lines {
	l := limits.withDefaults()
	lines := &Lines{limit: l.Message, left: l.Total, total: l.Total}
	lines.r = bufio.NewReaderSize(&counter{r, &lines.begun}, 64<<10)
	return lines
}

type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Next returns the next line without its end. After a [LineTooLongError] it continues with the next line; every other error is
// final. A last line that the stream's end cuts off is returned, and io.EOF only after it. Beside the reader's fixed buffer, at most
// limit bytes of a line are in memory.
func (l *Lines) Next() (string, error) {
	if l.skip {
		if err := l.skipLine(); err != nil {
			return "", err
		}
	}
	var line strings.Builder
	before := l.left
	for {
		part, err := l.readPart()
		if len(part) > 0 && part[len(part)-1] == '\n' {
			part = part[:len(part)-1]
		}
		if line.Len()+len(part) > l.limit {
			l.skip = errors.Is(err, bufio.ErrBufferFull)
			return "", &LineTooLongError{Limit: l.limit}
		}
		growBuilder(&line, len(part), l.limit)
		line.Write(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF) && line.Len() > 0:
			l.cut = err != nil
			l.begun.Add(l.left - before)
			return strings.TrimSuffix(line.String(), "\r"), nil
		default:
			return "", err
		}
	}
}

// readPart reads to the end of the line or of the buffer.
func (l *Lines) readPart() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if l.left -= int64(len(part)); l.left < 0 {
		return nil, &FloodError{fmt.Sprintf("the server sent more than %d bytes", l.total)}
	}
	return part, err
}

func (l *Lines) skipLine() error {
	for {
		_, err := l.readPart()
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.skip = err != nil
		return err
	}
}

// growBuilder doubles like append but stays within limit: otherwise a line just below it would take twice the memory.
func growBuilder(b *strings.Builder, n, limit int) {
	if need := b.Len() + n; need > b.Cap() {
		b.Grow(max(need, min(2*b.Cap(), limit)) - b.Len())
	}
}
