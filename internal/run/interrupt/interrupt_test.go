package interrupt

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

// Whoever is interrupted does not wait for the work, whatever it would have said.
func TestInterruption(t *testing.T) {
	broken := errors.New("broken")
	stuck := make(chan struct{})
	defer close(stuck)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Try(t.Context(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("work that is done: %d, %v", got, err)
	}
	if got, err := Try(t.Context(), func() (int, error) { return 7, broken }); got != 7 || !errors.Is(err, broken) {
		t.Errorf("work that fails: %d, %v", got, err)
	}
	if _, err := Try(gone, func() (int, error) { <-stuck; return 7, broken }); !errors.Is(err, Err) {
		t.Errorf("work that hangs: %v", err)
	}
	if err := Run(t.Context(), func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Run: %v", err)
	}
	if err := Run(gone, func() error { <-stuck; return nil }); !errors.Is(err, Err) {
		t.Errorf("Run of work that hangs: %v", err)
	}
}

func TestEach(t *testing.T) {
	for _, parallel := range []int{-1, 0, 1, 3} {
		var running, most atomic.Int32
		called := make([]bool, 20)
		Each(len(called), parallel, func(i int) {
			now := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			called[i] = true
		})
		if slices.Contains(called, false) || running.Load() != 0 || int(most.Load()) > max(1, parallel) {
			t.Errorf("parallel %d: called %v, %d at once, %d still run", parallel, called, most.Load(), running.Load())
		}
	}
	Each(0, 1, func(int) { t.Error("there is nothing to do") })
}
