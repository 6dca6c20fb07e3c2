package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// An event is one event of a text/event-stream. data is kept byte for byte; several data lines are joined by \n, as the format
// requires.
type event struct {
	name string // "" for the default, which is "message"
	data string
}

// eventReader splits a text/event-stream into events and bounds each. It follows the HTML standard with one concession: an event
// that the stream's end cuts off before its blank line is returned, as several MCP clients do.
type eventReader struct {
	r     *bufio.Reader
	limit int
	// buf holds the data of the event so far, followed by the line being read.
	buf   []byte
	begun bool // the event has a data line
	name  string
	after bool // the latest line ended with \r: a following \n belongs to it
	first bool // no line was read yet

	lastID string        // the latest id, which stays until another arrives
	retry  time.Duration // the latest retry, 0 if none came

	unfinished *atomic.Int64 // number of incomplete events of all readers; nil if not needed
	open       bool          // this reader has an incomplete event
}

func (e *eventReader) noteOpen() {
	if open := len(e.buf) > 0; open != e.open && e.unfinished != nil {
		e.open = open
		e.unfinished.Add(map[bool]int64{true: 1, false: -1}[open])
	}
}

// EventMessages returns the messages in an event stream held in memory.
func EventMessages(text string) (out []Message) {
	for e := newEvents(strings.NewReader(text), len(text)); ; {
		it, err := e.nextEvent()
		if err != nil {
			return out
		}
		out = append(out, it.toMessage(nil))
	}
}

// ReadEvents returns a function that returns the data of the next event of r. Its errors are io.EOF, a [LineTooLongError] for an
// event of more than limit bytes, after which nothing more can be read, and those of r.
func ReadEvents(r io.Reader, limit int) func() (data string, err error) {
	e := newEvents(r, limit)
	return func() (string, error) {
		it, err := e.nextEvent()
		return it.data, err
	}
}

func newEvents(r io.Reader, limit int) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 32<<10), limit: limit, first: true}
}

// nextEvent returns the next event that has data. Its errors are io.EOF, a LineTooLongError, after which the stream cannot be read
// further, and those of the reader, which drop an incomplete event.
func (e *eventReader) nextEvent() (event, error) {
	for {
		data := len(e.buf)
		err := e.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(e.buf) == data) {
			if errors.Is(err, io.EOF) && e.begun && len(e.buf) > 0 {
				return e.dispatch(), nil
			}
			return event{}, err
		}
		if len(e.buf) > data { // a line that is not empty
			e.takeField(data)
			e.noteOpen()
			continue
		}
		e.first = false
		if it := e.dispatch(); it.data != "" {
			return it, nil
		}
	}
}

// dispatch returns the event read so far and resets the reader.
func (e *eventReader) dispatch() event {
	it := event{e.name, string(e.buf)}
	e.buf, e.name, e.begun = e.buf[:0], "", false
	e.noteOpen()
	if cap(e.buf) > 1<<20 {
		e.buf = nil // do not hold one large answer's memory for the rest of the stream
	}
	return it
}

// readLine appends the next line without its end to buf. io.EOF means that the line was cut off.
func (e *eventReader) readLine() error {
	for {
		part, err := e.r.Peek(1)
		if len(part) == 0 {
			return err
		}
		if e.after && part[0] == '\n' {
			e.after = false
			_, _ = e.r.Discard(1)
			continue
		}
		e.after = false
		part, _ = e.r.Peek(e.r.Buffered())
		end := lineEnd(part)
		taken := part
		if end >= 0 {
			taken = part[:end]
		}
		if len(e.buf)+len(taken) > e.limit+len("data: ")+1 {
			return &LineTooLongError{Limit: e.limit, What: "an event"}
		}
		e.growData(len(taken))
		e.buf = append(e.buf, taken...)
		e.noteOpen()
		if end < 0 {
			_, _ = e.r.Discard(len(part))
			continue
		}
		e.after = part[end] == '\r'
		_, _ = e.r.Discard(end + 1)
		return nil
	}
}

// lineEnd returns the index of the first \r or \n, or -1.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n >= 0 {
		b = b[:n]
	}
	if r := bytes.IndexByte(b, '\r'); r >= 0 {
		return r
	}
	return n
}

// growData doubles buf, up to the limit of an event.
func (e *eventReader) growData(n int) {
	if need := len(e.buf) + n; need > cap(e.buf) {
		e.buf = append(make([]byte, 0, max(need, min(2*cap(e.buf), e.limit+8))), e.buf...)
	}
}

// takeField processes the line buf[at:] and drops it unless it is data.
func (e *eventReader) takeField(at int) {
	line := e.buf[at:]
	if e.first {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		e.first = false
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	e.buf = e.buf[:at]
	switch string(name) {
	case "data":
		// In place: source lies behind destination, since "data" came first. A line "data" without a colon has no value and may be
		// overwritten too.
		if e.begun {
			e.buf = append(e.buf, '\n')
		}
		e.buf = append(e.buf, value...)
		e.begun = true
	case "event":
		e.name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.lastID = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 32); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	}
}
