package interrupt

import (
	"context"
	"errors"
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
