package gateway

import (
	"context"
	"fmt"
	"time"

	"gauntlet/internal/runtime/mcpserver"
)

// isBusy reports whether a request of the client is in progress.
func (cs *clientSession) isBusy() bool {
	if cs.underWay.Load() > 0 {
		return true
	}
	for _, s := range cs.upstreams {
		if s.isBusy() {
			return true
		}
	}
	return false
}

// takeSlot makes room for a connection to a server. At the limit it ends the unused connection whose client has been silent
// longest; if all are in use it waits for one, as nothing in progress is ended. It waits slightly less than its caller, so that the
// caller learns the reason.
func (g *Gateway) takeSlot(ctx context.Context, s *upstream) error {
	ctx, cancel := context.WithTimeout(ctx, g.opt.Connect*3/4)
	defer cancel()
	for {
		g.mu.Lock()
		if n := g.conns[s.up]; n < g.opt.Connections {
			g.conns[s.up]++
			g.mu.Unlock()
			g.opt.Progress(fmt.Sprintf("conversation %d connects to %s: %d of at most %d connections", s.session.downstream.Number(), s.up.Name, n+1, g.opt.Connections))
			return nil
		}
		conn, of := g.detachIdle(s)
		g.mu.Unlock()
		if conn == nil {
			if !sleepUntil(ctx, slotPause) {
				return fmt.Errorf("%d connections to it are open, which is the limit, and all of them are in use", g.opt.Connections)
			}
			continue
		}
		g.opt.Progress(fmt.Sprintf("conversation %d, which was idle, loses its connection to %s to conversation %d", of, s.up.Name, s.session.downstream.Number()))
		conn.closeConn()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// slotPause is the polling interval for an unused connection.
const slotPause = 20 * time.Millisecond

// sleepUntil waits for d, and reports whether ctx is still live.
func sleepUntil(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// detachIdle removes an unused connection to the same server from another session, and returns it with that session's number. g.mu
// is held.
func (g *Gateway) detachIdle(s *upstream) (conn *upstreamConn, of int) {
	var found *upstream
	for _, cs := range g.sessions {
		if found != nil && cs.lastUsed.Load() >= found.session.lastUsed.Load() {
			continue
		}
		for _, other := range cs.upstreams {
			if other.up == s.up && other != s && other.hasIdleConn() {
				found = other
			}
		}
	}
	if found == nil {
		return nil, 0
	}
	found.mu.Lock()
	defer found.mu.Unlock()
	if !found.isIdleLocked() { // it was used between the two checks
		return nil, 0
	}
	conn, found.conn = found.conn, nil
	return conn, found.session.downstream.Number()
}

func (s *upstream) hasIdleConn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isIdleLocked()
}

// freeSlot records that a connection to a server has ended.
func (g *Gateway) freeSlot(up *Upstream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[up]--
}

// checkRecording returns why nothing may be passed on, or nil.
func (g *Gateway) checkRecording() error {
	if g.opt.Recording == nil {
		return nil
	}
	if err := g.opt.Recording(); err != nil {
		return &mcpserver.Error{Code: codeForbidden, Message: "gateway: nothing is passed on unrecorded: " + err.Error()}
	}
	return nil
}
