package proberun

import (
	"context"
	"net/http"
	"sync"
	"time"

	"gauntlet/internal/leaf/probe"
)

// burstAtOnce bounds the concurrent requests of a burst.
const burstAtOnce = 8

// probeBurst sends many pings at once, if requested.
func (p *httpProber) probeBurst(ctx context.Context) {
	if p.Burst <= 0 || p.ended {
		return
	}
	p.begin(ctx, initialize)
	b := &probe.Burst{Sent: p.Burst}
	var wg sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, p.Burst)
	for range p.Burst {
		turns <- struct{}{}
	}
	close(turns)
	began := time.Now()
	for range min(burstAtOnce, p.Burst) {
		wg.Go(func() {
			for range turns {
				got := p.send(ctx, http.MethodPost, p.URL, burstPing, p.inSession())
				mu.Lock()
				countAnswer(b, &got)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	b.Seconds = time.Since(began).Seconds()
	p.out.Burst = b
}

const burstPing = `{"jsonrpc":"2.0","id":"burst","method":"ping"}`

// countAnswer counts one answer. Only one that mentions a limit counts as limited.
func countAnswer(b *probe.Burst, got *probe.Exchange) {
	if got.Status == 0 {
		return
	}
	b.Answered++
	if got.Status == http.StatusTooManyRequests || got.Status == http.StatusServiceUnavailable && got.Answer["Retry-After"] != "" {
		b.Limited++
	}
}
