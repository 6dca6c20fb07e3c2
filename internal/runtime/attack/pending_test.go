package attack

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What is pending is settled when everything that began has ended, each once, and not before.
func TestPendingWork(t *testing.T) {
	var p pendingWork
	if !IsClosed(p.settled()) {
		t.Error("something is pending before anything began")
	}
	first := p.begin()
	settled := p.settled()
	second := p.begin()
	first()
	first()
	if IsClosed(settled) || IsClosed(p.settled()) {
		t.Error("one is still under way, and an end that is told twice counts once")
	}
	second()
	if !IsClosed(settled) || !IsClosed(p.settled()) {
		t.Error("nothing is under way any more")
	}
	p.begin()
	if !IsClosed(settled) || IsClosed(p.settled()) {
		t.Error("what begins later is pending for who asks later")
	}
}

// The end of a run waits for what is pending and for no longer than its grace.
func TestAwaitPending(t *testing.T) {
	for name, tt := range map[string]struct {
		ends, want time.Duration
	}{
		"it ends":       {3 * time.Second, 3 * time.Second},
		"it never does": {time.Hour, PendingGrace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Run{}
				end := r.pending.begin()
				timer := time.AfterFunc(tt.ends, end)
				defer timer.Stop()
				start := time.Now()
				r.pending.await(context.Background())
				if took := time.Since(start); took != tt.want {
					t.Errorf("waited %s, want %s", took, tt.want)
				}
			})
		})
	}
}
