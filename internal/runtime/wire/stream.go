package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
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
			s.writeRest()
			return
		}
	}
}

// writeRest writes what was queued before closing.
func (s *Stream) writeRest() {
	for {
		select {
		case line := <-s.out:
			if s.writeLine(line) != nil {
				return
			}
		default:
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
