// Package interrupt lets a run end at once although its work takes no context.
package interrupt

import (
	"context"
	"errors"
)

// Err is the error of an interrupted run.
var Err = errors.New("interrupted")

// Do runs work that takes no context, and returns Err as soon as ctx ends. The work is left running then: the process is about to
// end.
func Do[T any](ctx context.Context, work func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case t := <-done:
		return t, nil
	case <-ctx.Done():
		var none T
		return none, Err
	}
}

// Try is Do for work that can fail; the error is the work's, or Err.
func Try[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	got, err := Do(ctx, func() answer {
		value, err := work()
		return answer{value, err}
	})
	if err != nil {
		return got.value, err
	}
	return got.value, got.err
}

// Run is Try for work that returns only an error.
func Run(ctx context.Context, work func() error) error {
	_, err := Try(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
