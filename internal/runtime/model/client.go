package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gauntlet/internal/leaf/redact"
)

// DefaultTimeout bounds one call.
const DefaultTimeout = 2 * time.Minute

// DefaultParallel bounds the concurrent calls to one model.
const DefaultParallel = 4

// Options configure clients. The zero value has no cache and no ceilings.
type Options struct {
	Timeout  time.Duration // per call, without retries; default DefaultTimeout
	Parallel int           // concurrent calls; default DefaultParallel
	Cache    *Cache        // nil for none
	Offline  bool          // answer from the cache only
	Ledger   *Ledger       // shared by all clients of a run; nil creates one
	Agent    string        // the User-Agent; default "gauntlet"
	// Now and Wait are the clock; nil for the real one.
	Now  func() time.Time
	Wait func(context.Context, time.Duration) error
	// Transport makes the requests; nil means one that verifies TLS.
	Transport http.RoundTripper
}

// A Client asks one model. It is safe for concurrent use.
type Client struct {
	provider Provider
	opt      Options
	http     *http.Client
	adapt    *adaptation
	redactor *redact.Redactor
	slots    chan struct{}
}

// ErrNotRecorded says that an answer is not in the cache and the client is offline.
var ErrNotRecorded = errors.New("offline: this question is not in the cache")

// NewClient returns a client for a provider. It sends nothing yet.
func NewClient(p Provider, opt Options) *Client {
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	if opt.Parallel <= 0 {
		opt.Parallel = DefaultParallel
	}
	if opt.Ledger == nil {
		opt.Ledger = NewLedger(Ceiling{}, nil)
	}
	opt.Agent = cmp.Or(opt.Agent, "gauntlet")
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == nil {
		opt.Wait = waitFor
	}
	if opt.Transport == nil {
		opt.Transport = newTransport(opt.Parallel)
	}
	return &Client{
		provider: p, opt: opt, adapt: newAdaptation(p.Model), redactor: newRedactor(&p), slots: make(chan struct{}, opt.Parallel),
		// A redirect would send the question, and perhaps the key, elsewhere.
		http: &http.Client{Transport: opt.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Model returns the model's id.
func (c *Client) Model() string { return c.provider.Model }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask asks a question. lane names the caller, and sample distinguishes answers to the same question, which the cache keeps
// separately. An error means that there is no answer; refusals and truncated answers are answers.
func (c *Client) Ask(ctx context.Context, lane string, sample int, r Request) (Answer, error) {
	key := CacheKey(c.provider.Model, lane, sample, &r)
	if answer, ok := c.opt.Cache.Load(key); ok {
		answer.Cached = true
		c.opt.Ledger.addCached(c.provider.Model)
		return answer, nil
	}
	if c.opt.Offline {
		return Answer{}, ErrNotRecorded
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	reserved, err := c.opt.Ledger.reserve(c.provider.Model, &r)
	if err != nil {
		return Answer{}, err
	}
	answer, err := c.exchangePatiently(ctx, &r)
	reserved.settle(answer.Usage, err == nil)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", c.provider.Model, err)
	}
	if err := c.opt.Cache.Store(key, Record{Model: c.provider.Model, Lane: lane, Sample: sample, Recorded: c.opt.Now().UTC().Truncate(time.Second), Answer: answer}); err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// Recorded reports whether the cache has the answer, so that asking costs nothing.
func (c *Client) Recorded(lane string, sample int, r *Request) bool {
	_, ok := c.opt.Cache.Load(CacheKey(c.provider.Model, lane, sample, r))
	return ok
}
