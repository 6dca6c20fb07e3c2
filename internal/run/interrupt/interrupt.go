// Package interrupt lets a run end at once although the work it is doing knows no context.
package interrupt

import (
	"context"
	"errors"
)

// Err is the error of a run that was interrupted.
var Err = errors.New("interrupted")

// Do runs work that knows no context, and returns Err as soon as ctx ends. The work is left
// behind then: the process is about to end, and the work with it.
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

// Try is Do for work that can fail; its error is that of the work, or Err.
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

// Run is Try for work that returns nothing else.
func Run(ctx context.Context, work func() error) error {
	_, err := Try(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
