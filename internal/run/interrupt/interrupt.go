// Package interrupt lets a run end at once although its work takes no context.
package interrupt

import (
	"context"
	"errors"
	"sync"
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

// Each calls do with 0 to n-1, at most parallel at a time, and returns when all calls have returned: do ends with what it is given.
func Each(n, parallel int, do func(i int)) {
	slots := make(chan struct{}, max(1, parallel))
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	all.Wait()
}
