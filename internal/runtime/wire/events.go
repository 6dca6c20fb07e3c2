package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/excerpt"
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
		end := bytes.IndexAny(part, "\r\n")
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

// Listen opens the stream on which a server of 2025-03-26 to 2025-11-25 may send unsolicited messages; they are received like all
// others. It is not needed for listings. A server without such a stream answers HTTP 405. ctx and Grace bound the opening only.
func (h *HTTP) Listen(ctx context.Context) error {
	err := h.startExchange(ctx, "no event stream was opened", func(*reply, *eventReader) error { return nil })
	h.mu.Lock()
	h.opening.listening = err == nil
	h.mu.Unlock()
	return err
}

// openStream opens the stream of HTTP+SSE and reads the POST endpoint from its first event.
func (h *HTTP) openStream(ctx context.Context) error {
	return h.startExchange(ctx, "no event with the endpoint came", h.takeEndpoint)
}

// startExchange opens a stream that lives as long as h, once first has read its beginning. missing names what did not arrive if
// that takes longer than Grace.
func (h *HTTP) startExchange(ctx context.Context, missing string, first func(*reply, *eventReader) error) error {
	x := h.newExchange(nil)
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if !h.enter(x, cancel) {
		cancel(ErrClosed)
		return ErrClosed
	}
	stop := context.AfterFunc(ctx, func() { x.giveUp(context.Cause(ctx)) })
	defer stop()
	timer := time.AfterFunc(h.grace, func() { x.giveUp(fmt.Errorf("%s within %v", missing, h.grace)) })
	defer timer.Stop()
	r, err := h.openGetStream(own, nil)
	if err != nil {
		h.removeExchange(x, nil)
		return err
	}
	ev := newEvents(h.metered(r.Body), h.limits.Message)
	if err := first(r, ev); err != nil {
		r.Body.Close()
		if own.Err() != nil {
			err = context.Cause(own)
		}
		h.removeExchange(x, nil)
		return err
	}
	x.mu.Lock()
	x.answered = true // from here on ctx no longer applies
	x.mu.Unlock()
	// Ends with the stream or by Close.
	go h.follow(own, x, r, ev)
	return nil
}

// follow delivers the messages of a stream. When an HTTP+SSE stream ends, so does the connection.
func (h *HTTP) follow(ctx context.Context, x *exchange, r *reply, ev *eventReader) {
	err := x.readEvents(ctx, ev, answerOf(r), "")
	r.Body.Close()
	var flood *FloodError
	switch {
	case errors.As(err, &flood):
		h.endConn(flood)
	case h.SSE() && err != nil:
		h.endConn(&EndError{How: "ended its event stream (" + h.describeError(err) + ")"})
	case h.SSE():
		h.endConn(&EndError{How: "ended its event stream"})
	}
	h.removeExchange(x, nil)
}

// SSE reports whether the server is known to speak HTTP+SSE of 2024-11-05.
func (h *HTTP) SSE() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sse
}

func (h *HTTP) takeEndpoint(r *reply, ev *eventReader) error {
	e, err := ev.nextEvent()
	switch {
	case err != nil:
		return fmt.Errorf("the event stream ended without naming an endpoint: %s", h.describeError(err))
	case e.name != "endpoint":
		return fmt.Errorf("the first event of the stream is of the type %q and not an endpoint", excerpt.Clip(e.name, 40))
	}
	target, err := r.Request.URL.Parse(e.data)
	switch {
	case err != nil:
		return errors.New("the endpoint that the stream names is no URL")
	case !sameOrigin(r.Request.URL, target):
		return &foreignEndpointError{redactURL(target)}
	}
	target.User, target.Fragment = nil, ""
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target, h.sse, h.stream = target, true, true
	return nil
}

// A foreignEndpointError says that an HTTP+SSE server names an endpoint of another origin, to which the user's credentials must not
// go.
type foreignEndpointError struct{ place string }

func (e *foreignEndpointError) Error() string {
	return "the stream names an endpoint on another origin, " + e.place + ", which was not used"
}
