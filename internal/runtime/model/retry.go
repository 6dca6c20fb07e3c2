package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	// retries is how often a call is made again.
	retries = 3
	// firstPause is how long to wait before the first retry where the provider does not say;
	// each further pause is twice as long.
	firstPause = time.Second
	// longestPause is the longest wait that a provider may ask for. With a longer one the call fails.
	longestPause = time.Minute
)

// retryAfter reads how long a provider wants us to wait: seconds or a date (RFC 9110, 10.2.3),
// or the milliseconds that some send beside it. 0 for no word about it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// worthRetrying reports whether the same call may fare better later. A wrong key, a wrong request
// and an answer that makes no sense do not change by waiting, and a call that took all its time
// already would take it again.
func worthRetrying(err error) bool {
	var status *HTTPError
	var answer *AnswerError
	var late *TimeoutError
	switch {
	case errors.As(err, &status):
		return status.Status == http.StatusTooManyRequests || status.Status == http.StatusRequestTimeout || status.Status >= 500
	case errors.As(err, &answer), errors.As(err, &late):
		return false
	}
	return true
}

// pauseBefore is how long to wait before the n-th retry, not ok where that is too long.
func pauseBefore(n int, err error) (time.Duration, bool) {
	var status *HTTPError
	if errors.As(err, &status) && status.after > 0 {
		return status.after, status.after <= longestPause
	}
	return firstPause << (n - 1), true
}

// waitFor waits for a time or for the end of ctx.
func waitFor(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// exchangePatiently asks, and again where that may help.
func (c *Client) exchangePatiently(ctx context.Context, r *Request) (Answer, error) {
	for n := 1; ; n++ {
		answer, err := c.exchange(ctx, r)
		if err == nil || ctx.Err() != nil || n > retries || !worthRetrying(err) {
			return answer, err
		}
		pause, ok := pauseBefore(n, err)
		if !ok {
			return Answer{}, err
		}
		if waited := c.opt.Wait(ctx, pause); waited != nil {
			return Answer{}, waited
		}
	}
}

// Hopeless reports whether an error would meet every other question to the model as well: a key
// or an id that is not accepted, a ceiling that is reached.
func Hopeless(err error) bool {
	var status *HTTPError
	if errors.As(err, &status) {
		return status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden || status.Status == http.StatusNotFound
	}
	return errors.Is(err, ErrCeiling)
}
