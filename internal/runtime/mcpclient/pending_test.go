package mcpclient

import (
	"testing"
	"time"
)

// A client listens on only where something is due, or nobody knows.
func TestPatience(t *testing.T) {
	due := func(is bool) Pending { return Pending{Due: func(time.Duration) bool { return is }} }
	for _, tt := range []struct {
		name       string
		p          Pending
		idle, want time.Duration
	}{
		{"nobody knows", Pending{}, 3, 3}, {"something is due", due(true), 3, 3}, {"nothing is due", due(false), 3, 0}, {"it does not listen", due(true), -1, -1},
	} {
		if got := tt.p.Patience(tt.idle); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
