package wire

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"gauntlet/rawjson"
)

// A Client is the asking end of a conversation: it sends one request at a time and reads
// until the answer is there. Between requests it reads nothing, so a peer that floods is
// stopped by its own full pipe. A Client is not safe for concurrent use and does not own
// its Conn.
type Client struct {
	// Answer, if not nil, says what a request of the peer is answered with: the raw result;
	// not ok for "method not found". Params is raw and may be "". ping is answered anyway.
	Answer func(method, params string) (result string, ok bool)
	// Heard, if not nil, is shown every notification.
	Heard func(Message)

	conn   Conn
	limits Limits
	last   int64 // id of the latest request
	seen   Strays
	redact func(string) string
	broken error // why the connection is of no use any more
}

// NewClient returns a client over conn. Of limits it heeds those on strays; conn has the
// rest. If conn knows secrets (see [Process.Redact]) they are taken out of what the peer
// says in errors and noise, before that is shortened: half a secret is not recognised.
func NewClient(conn Conn, limits Limits) *Client {
	c := &Client{conn: conn, limits: limits.withDefaults(), redact: func(s string) string { return s }}
	if r, ok := conn.(interface{ Redact(string) string }); ok {
		c.redact = r.Redact
	}
	return c
}

// Strays returns what came so far without being an answer.
func (c *Client) Strays() Strays { return c.seen }

// Err returns why the connection ended, nil while it is of use. After that every Call and
// Notify fails with it.
func (c *Client) Err() error { return c.broken }

// Call sends a request and returns its answer, a Response. params is JSON text. Other
// outcomes are errors: an [AnswerError], an [InvalidError], a [NoAnswerError] when ctx
// ends, a [LineTooLongError] or [FloodError] for this request, or the end of the
// connection, after which Err is set.
func (c *Client) Call(ctx context.Context, method, params string) (Message, error) {
	if c.broken != nil {
		return Message{}, c.broken
	}
	c.last++
	id := strconv.FormatInt(c.last, 10)
	before := c.seen
	sent := c.conn.Send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, id, rawjson.Quote(method), params))
	// After a failed Send the answer is still waited for: the end of the conversation,
	// which most often is the reason, says more than a broken pipe.
	m, err := c.awaitAnswer(ctx, id, method)
	var failed *RequestError
	if errors.As(err, &failed) {
		failed.Ignored = c.seen.since(before)
	}
	switch {
	case err == nil:
		return m, nil
	case ctx.Err() == nil:
		return m, err
	case sent != nil && !errors.Is(sent, context.Cause(ctx)):
		return m, fmt.Errorf("%s: %w", method, sent)
	}
	return m, &NoAnswerError{Method: method, ID: id, Cause: context.Cause(ctx), Ignored: c.seen.since(before)}
}

// Notify sends a notification; params is JSON text.
func (c *Client) Notify(ctx context.Context, method, params string) error {
	if c.broken != nil {
		return c.broken
	}
	return c.conn.Send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%s,"params":%s}`, rawjson.Quote(method), params))
}

// Next takes one message while no request is under way. It fails with the end of the
// connection, after which Err is set, or with that of ctx.
func (c *Client) Next(ctx context.Context) error {
	if c.broken != nil {
		return c.broken
	}
	m, err := c.conn.Receive(ctx)
	var failed *RequestError
	if errors.As(err, &failed) && ctx.Err() == nil {
		c.countRefused()
		return nil
	}
	var tooLong *LineTooLongError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &tooLong):
		return nil // skipped; what comes behind it is whole
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

// countRefused counts what we sent earlier and nobody waits for, such as a notification.
func (c *Client) countRefused() {
	c.seen.Total++
	c.seen.Refused++
}

// checkFlood ends the connection where too much came that answers nothing.
func (c *Client) checkFlood() error {
	if c.seen.Total > c.limits.TotalStrays {
		c.broken = &FloodError{fmt.Sprintf("the server sent more than %d messages that answer nothing", c.limits.TotalStrays)}
	}
	return c.broken
}

// awaitAnswer reads until the answer to the request, whose id nobody else uses.
func (c *Client) awaitAnswer(ctx context.Context, id, method string) (Message, error) {
	for strays := 0; ; {
		m, err := c.conn.Receive(ctx)
		var failed *RequestError
		if ctx.Err() == nil && errors.As(err, &failed) {
			if failed.ID == id {
				failed.Method = method
				return Message{}, c.checkAnswer(method, failed.answer, failed)
			}
			c.countRefused()
			continue
		}
		if err != nil {
			return Message{}, c.explainLost(ctx, method, err)
		}
		var answer Message
		found := false
		for part := range m.Parts() {
			if !found && part.answers(id) {
				answer, found = part, true
				continue
			}
			c.noteStray(part)
			if strays++; strays > c.limits.Strays {
				break // a batch may have millions of parts
			}
		}
		if found {
			return answer, c.checkAnswer(method, answer, nil)
		}
		if err := c.checkFlood(); err != nil {
			return Message{}, err
		}
		if strays > c.limits.Strays {
			return Message{}, &FloodError{fmt.Sprintf("more than %d messages came, but no answer to %s", c.limits.Strays, method)}
		}
	}
}

// answers reports whether m is meant as the answer to a request: also one that is broken
// is, so that its request fails at once and does not wait for its time limit. A line of a
// structured log may have an "id" too; only what has the form of an answer counts.
func (m *Message) answers(id string) bool {
	switch m.Kind {
	case Response, Error:
		return m.ID == id
	case Invalid:
		return m.ID == id && m.Note != notRPC
	}
	return false
}

// explainLost says what a failed Receive means for the request.
func (c *Client) explainLost(ctx context.Context, method string, err error) error {
	var tooLong *LineTooLongError
	var end *EndError
	switch {
	case ctx.Err() != nil:
		return err
	case errors.As(err, &tooLong):
		return fmt.Errorf("%w instead of an answer to %s", err, method)
	case errors.As(err, &end):
		c.broken = end
		here := *end
		here.Before = method
		return &here
	}
	c.broken = err
	return fmt.Errorf("no answer to %s: %w", method, err)
}

// checkAnswer tells a result from what only carries its id. A request that failed over HTTP may
// have been answered all the same: by an error without an id, in the body of its refusal.
func (c *Client) checkAnswer(method string, m Message, failed *RequestError) error {
	switch {
	case m.Kind == Error:
		e := answerError(method, m)
		e.Message = c.redact(e.Message)
		return e
	case failed != nil:
		return failed
	case m.Kind == Invalid:
		return &InvalidError{method, m.Note}
	}
	return nil
}

func answerError(method string, m Message) *AnswerError {
	object := m.Error
	e := &AnswerError{Method: method, HTTP: m.HTTP}
	_ = rawjson.EachMember(object, 0, func(name, value rawjson.Span) bool {
		text := object[value.Start:value.End]
		switch rawjson.Unquote(object[name.Start:name.End]) {
		case "code":
			// Some servers write -32601.0. What is no whole number is 0.
			if code, err := strconv.ParseFloat(text, 64); err == nil && code == math.Trunc(code) && math.Abs(code) < 1<<53 {
				e.Code = int64(code)
			}
		case "message":
			if text[0] == '"' {
				e.Message = rawjson.Unquote(text)
			}
		case "data":
			e.Data = text
		}
		return true
	})
	return e
}
