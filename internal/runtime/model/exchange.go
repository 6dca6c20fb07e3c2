package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/redact"
)

const (
	// longestAnswer bounds what is read of an answer, in bytes. An honest one of 32,000 tokens takes 200 KB.
	longestAnswer = 8 << 20
	// longestComplaint bounds a provider's quoted error, in bytes.
	longestComplaint = 300
)

// An HTTPError is a provider's response with a status other than 200. Its text contains no key.
type HTTPError struct {
	Status int
	Text   string // the provider's text, shortened
	after  time.Duration
	body   string // the whole body, keys removed
}

func (e *HTTPError) Error() string {
	s := fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// A TimeoutError says that one call took too long.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// An AnswerError says that the response is not in the expected form.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string { return e.Err.Error() }

func (e *AnswerError) Unwrap() error { return e.Err }

// newTransport returns a transport that verifies TLS and uses the environment's proxy, as the providers' own clients do.
func newTransport(idle int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost, t.MaxResponseHeaderBytes = idle, 64<<10
	return t
}

// exchange sends the request without retries, except that it omits parameters the endpoint rejects.
func (c *Client) exchange(ctx context.Context, r *Request) (Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opt.Timeout, &TimeoutError{c.opt.Timeout})
	defer cancel()
	for {
		omit := c.adapt.current()
		answer, err := c.post(ctx, r, omit)
		if bad, ok := errors.AsType[*HTTPError](err); ok && bad.Status == http.StatusBadRequest && c.adapt.learn(omit, bad.body) {
			continue // terminates, since each attempt omits one more parameter
		}
		return answer, err
	}
}

func (c *Client) post(ctx context.Context, r *Request, omit omitted) (Answer, error) {
	encode := encodeChat
	if c.provider.Form == Messages {
		encode = encodeMessages
	}
	body, err := encode(c.provider.Model, r, omit)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.provider.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, errors.New("the address of the model is no URL")
	}
	c.setHeaders(req.Header)
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, c.networkError(ctx, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer+1))
	switch {
	case res.StatusCode != http.StatusOK:
		return Answer{}, c.httpError(res, text)
	case err != nil:
		return Answer{}, c.networkError(ctx, err)
	case len(text) > longestAnswer:
		return Answer{}, &AnswerError{fmt.Errorf("the answer is longer than %d MB", longestAnswer>>20)}
	}
	var answer Answer
	if c.provider.Form == Messages {
		answer, err = decodeMessages(text, r.Schema != "")
	} else {
		answer, err = decodeChat(text)
	}
	if err != nil {
		return Answer{}, &AnswerError{err}
	}
	return c.withoutKey(answer), nil
}

func (c *Client) setHeaders(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", c.opt.Agent)
	p := &c.provider
	switch {
	case p.Form == Messages:
		h.Set("Anthropic-Version", messagesVersion)
		if p.Key != "" {
			h.Set("X-Api-Key", p.Key)
		}
	case p.Key != "":
		h.Set("Authorization", "Bearer "+p.Key)
		if p.Organization != "" {
			h.Set("OpenAI-Organization", p.Organization)
		}
	}
}

// networkError explains a missing response without the address, which net/http's errors contain.
func (c *Client) networkError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Errorf("%s: %s", c.provider.Host(), c.redactor.Replace(err.Error()))
}

func (c *Client) httpError(res *http.Response, body []byte) error {
	e := &HTTPError{Status: res.StatusCode, after: retryAfter(res.Header, c.opt.Now())}
	e.body = c.redactor.CutEnd(string(body[:min(len(body), 64<<10)]))
	e.Text = excerpt.Clip(strings.Join(strings.Fields(complaint([]byte(e.body))), " "), longestComplaint)
	return e
}

// complaint returns the error message from either form's body, or the body itself.
func complaint(body []byte) string {
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &in) == nil && json.Unmarshal(in.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(body)
}

// withoutKey removes our key from an answer: a user's endpoint may echo what it was sent.
func (c *Client) withoutKey(a Answer) Answer {
	a.Text, a.Refusal, a.Model = c.redactor.Replace(a.Text), c.redactor.Replace(a.Refusal), c.redactor.Replace(a.Model)
	for i := range a.Calls {
		call := &a.Calls[i]
		call.ID, call.Name, call.Arguments = c.redactor.Replace(call.ID), c.redactor.Replace(call.Name), c.redactor.ReplaceJSON(call.Arguments)
	}
	return a
}

func newRedactor(p *Provider) *redact.Redactor {
	if p.Key == "" {
		return nil
	}
	return redact.New([]string{p.KeyName + "=" + p.Key})
}
