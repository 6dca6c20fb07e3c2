package model

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	retries = 3
	// firstPause is the wait before the first retry unless the provider says; it doubles each time.
	firstPause = time.Second
	// longestPause is the longest wait that a provider may ask for; beyond it the call fails.
	longestPause = time.Minute
)

// retryAfter returns the wait a provider asks for: seconds or a date (RFC 9110, 10.2.3), or the milliseconds that some send beside
// it; 0 if unspecified.
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

// worthRetrying reports whether the same call may succeed later. Waiting does not fix a wrong key, a wrong request or a malformed
// answer, and a call that timed out would time out again.
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

// pauseBefore returns the wait before the n-th retry, or false if it is too long.
func pauseBefore(n int, err error) (time.Duration, bool) {
	if status, ok := errors.AsType[*HTTPError](err); ok && status.after > 0 {
		return status.after, status.after <= longestPause
	}
	return firstPause << (n - 1), true
}

// waitFor waits for d or the end of ctx.
func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// exchangePatiently sends a request, with retries if they may help.
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

// Hopeless reports whether every other question to the model would fail with the same error: a rejected key or model id, a ceiling
// reached.
func Hopeless(err error) bool {
	if status, ok := errors.AsType[*HTTPError](err); ok {
		return status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden || status.Status == http.StatusNotFound
	}
	return errors.Is(err, ErrCeiling)
}
