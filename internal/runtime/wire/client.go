package wire

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gauntlet/rawjson"
)

// A Client is the requesting end of a connection. It reads only while a request is pending, so a peer that floods is stopped by its
// own full pipe. A Client is not safe for concurrent use and does not own its Conn.
type Client struct {
	// Answer, if not nil, answers requests of the peer: it returns the raw result, or false for "method not found". params is raw
	// and may be "". ping is always answered.
	Answer func(method, params string) (result string, ok bool)
	// Heard, if not nil, is called with every notification.
	Heard func(Message)

	conn   Conn
	limits Limits
	last   int64 // id of the latest request
	seen   Strays
	taken  []taken // recent answers, to recognise a second one
	spread []byte  // recent lines that may form one message
	redact func(string) string
	broken error // why the connection is unusable
}

// A taken is an answer that a request has got.
type taken struct {
	method, id string
	loose      bool   // it came under the id in another type
	content    uint64 // a hash of what it says
}

// maxTaken bounds Client.taken.
const maxTaken = 100

// contentSeed makes hashes of answers unpredictable to a peer.
var contentSeed = maphash.MakeSeed()

func contentOf(m *Message) uint64 {
	return maphash.String(contentSeed, string(m.Kind)+m.Result+m.Error)
}

// NewClient returns a client over conn. It applies the limits on strays; conn applies the others. Secrets that conn knows (see
// [Process.Redact]) are removed from the peer's text in errors and noise before it is shortened, since half a secret would not be
// recognised.
func NewClient(conn Conn, limits Limits) *Client {
	c := &Client{conn: conn, limits: limits.withDefaults(), redact: func(s string) string { return s }}
	if r, ok := conn.(interface{ Redact(string) string }); ok {
		c.redact = r.Redact
	}
	return c
}

// Strays returns the messages so far that answered no request.
func (c *Client) Strays() Strays { return c.seen }

// Err returns why the connection ended, or nil while it is usable. After that every Call and Notify fails with it.
func (c *Client) Err() error { return c.broken }

// Call sends a request and returns its answer, a Response. params is JSON text. Other outcomes are errors: an [AnswerError], an
// [InvalidError], a [NoAnswerError] when ctx ends, a [LineTooLongError] or [FloodError] for this request, or the end of the
// connection, after which Err is set.
func (c *Client) Call(ctx context.Context, method, params string) (Message, error) {
	one := []Asked{{Method: method, Params: params}}
	c.CallTogether(ctx, one)
	return one[0].Answer, one[0].Err
}

// An Asked is a request and its outcome: Answer or Err, as [Client.Call] returns them.
type Asked struct {
	Method, Params string
	Answer         Message
	Err            error

	id   string
	done bool
	sent error
}

// CallTogether sends all requests before reading, and returns when each has its outcome. Together they share the time limit and the
// stray limit of one request.
func (c *Client) CallTogether(ctx context.Context, asked []Asked) {
	before, unfinished := c.seen, c.unfinished()
	for i := range asked {
		a := &asked[i]
		if a.Err = c.broken; a.Err != nil {
			a.done = true
			continue
		}
		c.last++
		a.id = strconv.FormatInt(c.last, 10)
		a.sent = c.conn.Send(ctx, []byte(EncodeRequest(a.id, a.Method, a.Params)))
	}
	// After a failed Send, still wait for the answer: the end of the connection is usually the cause and says more than a broken
	// pipe.
	err := c.awaitAnswers(ctx, asked)
	cause := context.Cause(ctx)
	if errors.Is(err, ErrIdle) {
		cause = err
	}
	flooded := c.broken != nil
	for i := range asked {
		a := &asked[i]
		var failed *RequestError
		switch {
		case a.done && errors.As(a.Err, &failed):
			failed.Ignored = c.seen.since(before)
		case a.done:
		case cause == nil && flooded:
			a.Err = err
		case cause == nil:
			a.Err = c.explainLost(a.Method, err)
		case a.sent != nil && !errors.Is(a.sent, cause):
			a.Err = fmt.Errorf("%s: %w", a.Method, a.sent)
		default:
			a.Err = &NoAnswerError{Method: a.Method, ID: a.id, Cause: cause, Ignored: c.seen.since(before), Begun: c.seen.misdirected() > before.misdirected() || c.unfinished() > unfinished}
		}
	}
}

// notifyWait is how long a notification waits for room in the send queue, which is full if a server sends requests without reading.
// A request needs no such limit: it has a deadline.
const notifyWait = time.Second

// Notify sends a notification; params is JSON text. It waits at most notifyWait.
func (c *Client) Notify(ctx context.Context, method, params string) error {
	if c.broken != nil {
		return c.broken
	}
	ctx, cancel := context.WithTimeoutCause(ctx, notifyWait, errors.New("the server does not read what it is sent"))
	defer cancel()
	return c.conn.Send(ctx, []byte(EncodeRequest("", method, params)))
}

// Next receives one message while no request is pending. It fails with the end of the connection, after which Err is set, or with
// ctx's error.
func (c *Client) Next(ctx context.Context) error {
	if c.broken != nil {
		return c.broken
	}
	m, err := c.conn.Receive(ctx)
	if _, ok := errors.AsType[*RequestError](err); ok && ctx.Err() == nil {
		c.countRefused()
		return nil
	}
	var tooLong *LineTooLongError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &tooLong):
		return nil // skipped; what follows is whole
	case err != nil:
		c.broken = err
		return err
	}
	strays := 0
	for part := range m.Parts() {
		c.noteStray(part)
		if strays++; strays > c.limits.Strays {
			break
		}
	}
	return c.checkFlood()
}

// countRefused counts failures of messages that nobody waits for, such as notifications.
func (c *Client) countRefused() {
	c.seen.Total++
	c.seen.Refused++
}

// checkFlood ends the connection after too many stray messages.
func (c *Client) checkFlood() error {
	if c.seen.Total > c.limits.TotalStrays {
		c.broken = &FloodError{fmt.Sprintf("the server sent more than %d messages that answer nothing", c.limits.TotalStrays)}
	}
	return c.broken
}

// Idle is how long is waited for more after an answer that reaches no request, as with the id "request-1" or null: it was most
// likely meant for ours, and no other comes.
const Idle = 5 * time.Second

// ErrIdle is the cause of a [NoAnswerError] after [Idle].
var ErrIdle = errors.New("nothing else came")

// receive is Receive of the connection. It gives up with ErrIdle when nothing follows a misdirected answer that is not among the
// first ones.
func (c *Client) receive(ctx context.Context, first int) (Message, error) {
	if c.seen.misdirected() > first {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, Idle, ErrIdle)
		defer cancel()
	}
	return c.conn.Receive(ctx)
}

// awaitAnswers reads until every request has its outcome. The error is why the remaining ones have none.
func (c *Client) awaitAnswers(ctx context.Context, asked []Asked) error {
	first := c.seen.misdirected()
	for strays := 0; slices.ContainsFunc(asked, func(a Asked) bool { return !a.done }); {
		m, err := c.receive(ctx, first)
		if failed, ok := errors.AsType[*RequestError](err); ok && ctx.Err() == nil {
			if a := waitingFor(asked, &Message{Kind: Error, ID: failed.ID}); a != nil {
				failed.Method = a.Method
				a.done, a.Err = true, c.checkAnswer(a.Method, failed.answer, failed)
			} else {
				c.countRefused()
			}
			continue
		}
		if _, ok := errors.AsType[*LineTooLongError](err); ok && ctx.Err() == nil {
			// It is unclear which request this answers: take the first pending one, as servers answer in order.
			first := &asked[slices.IndexFunc(asked, func(a Asked) bool { return !a.done })]
			first.done, first.Err = true, fmt.Errorf("%w instead of an answer to %s", err, first.Method)
			continue
		}
		if err != nil {
			return err
		}
		found := false
		for part := range m.Parts() {
			if a := waitingFor(asked, &part); a != nil {
				found, a.done = true, true
				c.taken = append(c.taken[max(0, len(c.taken)-maxTaken+1):], taken{a.Method, a.id, part.ID != a.id, contentOf(&part)})
				a.Answer, a.Err = part, c.checkAnswer(a.Method, part, nil) // an error is an answer as well
				continue
			}
			c.noteStray(part)
			if a, before := c.gluedAnswer(asked, &part); a != nil {
				a.done, a.Err = true, &InvalidError{a.Method, before}
				found = true
			}
			if strays++; strays > c.limits.Strays {
				break // a batch may have millions of parts
			}
		}
		if found {
			continue
		}
		if err := c.checkFlood(); err != nil {
			return err
		}
		if strays > c.limits.Strays {
			return errStrays
		}
	}
	return nil
}

// waitingFor returns the pending request that m answers, or nil.
func waitingFor(asked []Asked, m *Message) *Asked {
	for i := range asked {
		if a := &asked[i]; !a.done && m.answers(a.id) {
			return a
		}
	}
	return nil
}

// gluedAnswer finds an answer that follows other text on its line, as after a print without a newline, or is spread over several
// lines. It returns the request and what is wrong: no client reads such an answer, and waiting longer would be in vain.
func (c *Client) gluedAnswer(asked []Asked, m *Message) (*Asked, string) {
	const mostText, mostTries = 4 << 10, 8
	if m.Kind != Invalid {
		return nil, ""
	}
	at := 0
	for range mostTries {
		next := strings.IndexByte(m.Raw[min(at+1, len(m.Raw)):], '{')
		if at += 1 + next; next < 0 || at > mostText {
			return c.spreadAnswer(asked, m.Raw), "it is spread over several lines, but clients read one message per line"
		}
		answer := Decode(m.Raw[at:])
		if a := waitingFor(asked, &answer); a != nil && answer.Kind != Invalid {
			before := m.Raw[:at]
			if before == "\ufeff" {
				return a, "a byte order mark stands before it, which clients do not accept"
			}
			return a, quoteBody(c.redact(before)) + " stands before it on its line, so that clients do not read it: what is not a message belongs on standard error"
		}
	}
	return nil, ""
}

// mostSpread bounds, in bytes, how much of a message over several lines is kept.
const mostSpread = 1 << 20

// spreadAnswer returns the request that the latest lines answer if they are joined from a line beginning with a brace to one ending
// with it, as in pretty-printed JSON.
func (c *Client) spreadAnswer(asked []Asked, line string) *Asked {
	line = strings.TrimRight(line, " \t\r\n")
	switch {
	case strings.HasPrefix(line, "{") || len(c.spread)+len(line) > mostSpread:
		c.spread = append(c.spread[:0], line[:min(len(line), mostSpread)]...)
		return nil
	case len(c.spread) == 0:
		return nil
	}
	c.spread = append(append(c.spread, '\n'), line...)
	if !strings.HasPrefix(line, "}") {
		return nil
	}
	answer := Decode(string(c.spread))
	c.spread = nil
	if answer.Kind == Invalid {
		return nil
	}
	return waitingFor(asked, &answer)
}

// Answers returns the id of the request that m is meant to answer, as [AnswerID] writes it, or "". A broken answer counts too, so
// that its request fails at once instead of timing out. A structured log line may also have an "id": only what has the form of an
// answer counts.
func (m *Message) Answers() string {
	if m.Kind != Response && m.Kind != Error && (m.Kind != Invalid || m.Note == notRPC) {
		return ""
	}
	return AnswerID(m.ID)
}

// answers reports whether m is meant as the answer to the request with this id.
func (m *Message) answers(id string) bool { return m.ID != "" && m.Answers() == AnswerID(id) }

// AnswerID returns the id of the request that an answer with this id belongs to. Request ids are whole numbers, and SDKs accept "7"
// and 7.0 as answers to 7.
func AnswerID(id string) string {
	if n, ok := rawjson.WholeNumber(id); ok {
		return n
	}
	return id
}

// unfinished exceeds before if the connection has begun to receive something that is not complete yet.
func (c *Client) unfinished() int64 {
	if conn, ok := c.conn.(interface{ Unfinished() int64 }); ok {
		return conn.Unfinished()
	}
	return 0
}

var errStrays = errors.New("too many messages that answer no request")

// explainLost turns a failed Receive into the request's error.
func (c *Client) explainLost(method string, err error) error {
	var end *EndError
	switch {
	case errors.Is(err, errStrays):
		return &FloodError{fmt.Sprintf("more than %d messages came, but no answer to %s", c.limits.Strays, method)}
	case errors.As(err, &end):
		c.broken = end
		here := *end
		here.Before = method
		return &here
	}
	c.broken = err
	return fmt.Errorf("no answer to %s: %w", method, err)
}

// checkAnswer returns an error unless m is a result. A request that failed over HTTP may still have been answered by an error
// without an id in the response body.
func (c *Client) checkAnswer(method string, m Message, failed *RequestError) error {
	switch {
	case m.Kind == Error:
		e := AnswerErrorOf(method, m)
		e.Message = c.redact(e.Message)
		return e
	case failed != nil:
		return failed
	case m.Kind == Invalid:
		return &InvalidError{method, m.Note}
	}
	return nil
}

// AnswerErrorOf reads the JSON-RPC error of m, which answers a request of the method.
func AnswerErrorOf(method string, m Message) *AnswerError {
	e := &AnswerError{Method: method, HTTP: m.HTTP, Message: rawjson.LastText(m.Error, "message"), Data: rawjson.LastMember(m.Error, "data")}
	// Some servers write -32601.0. Anything that is no whole number becomes 0.
	if code, err := strconv.ParseFloat(rawjson.LastMember(m.Error, "code"), 64); err == nil && code == math.Trunc(code) && math.Abs(code) < 1<<53 {
		e.Code = int64(code)
	}
	return e
}
