package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// An upstream is one server as one conversation has it: connected, on the way, or away.
type upstream struct {
	session *clientSession
	up      *Upstream

	mu      sync.Mutex
	conn    *upstreamConn // nil where there is none that works
	init    string
	dialing chan struct{} // closed when the attempt under way is over; nil without one
	err     error         // of the latest attempt
	retryAt time.Time     // not to be tried before
	backoff time.Duration
	closed  bool
	lists   [4][]string              // as last read, nil before; they stay while the server is away
	mirrors map[string][]wire.Mirror // of its tools
	listens int                      // subscriptions/listen under way
	calls   map[*pendingCall]struct{}
	lost    atomic.Int64 // messages that did not reach the client
	users   int          // that hold the connection: it is not to be ended for another
}

// A pendingCall is one of the client's that the server has.
type pendingCall struct {
	call  *mcpserver.Call
	token string // its progress token, as JSON
}

// The time between attempts to reach a server grows from the first to the second.
const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

var errGone = errors.New("the conversation is over")

// awaitConn returns the connection, made anew where there is none, and waits for it as long
// as ctx allows. The attempt goes on without whoever waited. Until done is called the connection
// is not ended to make room for another.
func (s *upstream) awaitConn(ctx context.Context) (conn *upstreamConn, done func(), err error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, nil, errGone
		case s.conn != nil && !s.conn.isClosed():
			defer s.mu.Unlock()
			s.users++
			return s.conn, s.release, nil
		case s.dialing == nil && s.err != nil && time.Now().Before(s.retryAt):
			defer s.mu.Unlock()
			return nil, nil, s.err
		case s.dialing == nil:
			s.dialing = make(chan struct{})
			s.session.busy.Add(1)
			go s.dialUpstream() // ends with the attempt, which the end of the client session ends
		}
		dialing := s.dialing
		s.mu.Unlock()
		select {
		case <-dialing:
			s.mu.Lock()
			err := s.err
			s.mu.Unlock()
			if err != nil {
				return nil, nil, err
			}
		case <-ctx.Done():
			return nil, nil, errors.New("it does not answer yet")
		}
	}
}

// maxDialTime is the longest an attempt may take; nobody waits for it that long.
const maxDialTime = time.Minute

func (s *upstream) dialUpstream() {
	defer s.session.busy.Done()
	ctx, cancel := context.WithTimeout(s.session.ctx, maxDialTime)
	defer cancel()
	l, err := s.openConn(ctx)
	if err == nil && s.session.ctx.Err() != nil {
		l.closeConn() // not below, where the lock is held that the end of a link takes
		err = errGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	back := s.init != "" && err == nil
	if s.err = err; err != nil {
		s.backoff = min(max(2*s.backoff, firstBackoff), maxBackoff)
		s.retryAt = time.Now().Add(s.backoff)
	} else {
		s.conn, s.init, s.backoff = l, l.init, 0
	}
	close(s.dialing)
	s.dialing = nil
	if back && !s.closed {
		s.tellListsChanged("%s is back")
	}
}

// noteRenewal tells the client that a server behind a URL has begun another session, as one
// that restarted does.
func (s *upstream) noteRenewal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.conn != nil {
		s.tellListsChanged("%s ended its session; another was begun")
	}
}

// tellListsChanged says what happened, and to the client that the lists may be others now.
// s.mu is held.
func (s *upstream) tellListsChanged(event string) {
	s.session.busy.Add(1)
	go func() { // ends with the notifications, which the end of the client session ends
		defer s.session.busy.Done()
		s.session.noteEvent(event, s.up.Name)
		for _, l := range mcp.ChangingLists {
			s.session.noteLost(s, s.session.downstream.Notify(s.session.ctx, l.Changed, ""))
		}
	}()
}

// openConn begins a conversation with the server, in the name of the client at the front.
func (s *upstream) openConn(ctx context.Context) (*upstreamConn, error) {
	who := s.session.clientIdentity()
	if err := s.session.checkClaims(who.capabilities); err != nil {
		return nil, err
	}
	if err := s.session.gateway.takeSlot(ctx, s); err != nil {
		return nil, err
	}
	conn, err := s.up.Open()
	if err != nil {
		s.session.gateway.freeSlot(s.up)
		return nil, err
	}
	session, err := openAs(ctx, conn, who)
	var ended *wire.EndError
	if err != nil && who.stateless && errors.As(err, &ended) { // some servers end at a first message that is not initialize
		_ = conn.Close() // it has ended
		if conn, err = s.up.Open(); err == nil {
			who.stateless, who.revision = false, ""
			session, err = openAs(ctx, conn, who)
		}
	}
	if err != nil {
		if conn != nil {
			_ = conn.Close() // the first error is the one to tell
		}
		s.session.gateway.freeSlot(s.up)
		return nil, err
	}
	if web, ok := conn.(interface{ OnRenewal(func()) }); ok {
		web.OnRenewal(s.noteRenewal)
	}
	l := newUpstreamConn(s, conn, session)
	for _, work := range []func(){l.receiveMessages, l.sendOutbox} {
		s.session.busy.Add(1)
		go func() { // ends with the connection
			defer s.session.busy.Done()
			work()
		}()
	}
	return l, nil
}

// openAs begins the conversation in the era and revision of the client at the front, so that what it may do there it may do with
// the server. A server without that era is spoken to in the other one.
func openAs(ctx context.Context, conn wire.Conn, who clientIdentity) (*mcpclient.Session, error) {
	opt := mcpclient.Options{Info: who.info, Capabilities: who.capabilities, Timeout: maxDialTime, Era: mcpclient.InitializeFirst, Revision: who.revision}
	if who.stateless {
		opt.Era, opt.Revision = mcpclient.DiscoverFirst, ""
	}
	if web, ok := conn.(interface{ SSE() bool }); ok && web.SSE() { // which the stateless era never had
		opt.Era = mcpclient.Legacy
	}
	return mcpclient.Open(ctx, conn, opt)
}

// release ends the use of the connection that awaitConn began.
func (s *upstream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
}

// isBusy reports whether the connection is used, or about to be.
func (s *upstream) isBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isUsedLocked()
}

func (s *upstream) isUsedLocked() bool {
	return s.users > 0 || len(s.calls) > 0 || s.dialing != nil || s.conn != nil && s.conn.asking.Load() > 0
}

// isIdleLocked reports whether there is a connection and nothing uses it.
func (s *upstream) isIdleLocked() bool {
	return s.conn != nil && !s.conn.isClosed() && !s.isUsedLocked()
}

// initResult returns what the server answered when the conversation began, "" before.
func (s *upstream) initResult() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.init
}

// closeUpstream ends the connection, for good.
func (s *upstream) closeUpstream() {
	s.mu.Lock()
	l := s.conn
	s.closed = true
	s.mu.Unlock()
	if l != nil {
		l.closeConn()
	}
}

// checkAnswer asks whether the client's answer to a request of the server may go to it.
func (s *upstream) checkAnswer(method, member, value string) error {
	g := s.session.gateway.opt.Guard
	if g == nil {
		return nil
	}
	if err := g.Answers(s.up.Name, method, member, value); err != nil {
		return s.session.refuseForbidden("the answer to "+method+" of "+s.up.Name, err)
	}
	return nil
}

// queueNotification passes a notification on if the server is there. They go in their order; those that
// a server does not take are lost, and it is said once.
func (s *upstream) queueNotification(method, params string) {
	if g := s.session.gateway.opt.Guard; g != nil {
		if err := g.Notifies(s.up.Name, method, params); err != nil {
			_ = s.session.refuseForbidden(s.up.Name+" "+method, err) // nobody waits for an answer
			return
		}
	}
	s.mu.Lock()
	l := s.conn
	s.mu.Unlock()
	if l == nil || l.isClosed() || s.session.gateway.checkRecording() != nil {
		return
	}
	select {
	case l.outbox <- [2]string{method, params}:
	default:
		s.session.noteOnce("%s does not take its notifications: some are lost", s.up.Name)
	}
}

// beginCall and finish keep the calls that the server has.
func (s *upstream) beginCall(c *mcpserver.Call) *pendingCall {
	p := &pendingCall{c, rawjson.LastMember(rawjson.LastMember(c.Params, "_meta"), "progressToken")}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[*pendingCall]struct{}{}
	}
	s.calls[p] = struct{}{}
	return p
}

func (s *upstream) finishCall(p *pendingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, p)
}

// mostListens is how many subscriptions of one conversation a server is told of.
const mostListens = 16

// listenUpstream tells servers of the stateless era what the client listens to. What they send comes to every subscription of the
// client that asked for it.
func (cs *clientSession) listenUpstream(params string) {
	for _, s := range cs.upstreams {
		s.mu.Lock()
		l := s.conn
		wanted := l != nil && l.meta != "" && s.listens < mostListens
		if wanted {
			s.listens++
		}
		s.mu.Unlock()
		if !wanted {
			continue
		}
		cs.busy.Add(1)
		go func() { // ends with the subscription at the server, the connection, or the client session
			defer cs.busy.Done()
			_, _ = cs.callGuarded(cs.ctx, l, mcp.SubscriptionsListen, params) // whatever ends it, the client's own goes on
			s.mu.Lock()
			defer s.mu.Unlock()
			s.listens--
		}()
	}
}

// callByToken returns the call with a progress token, nil if there is none.
func (s *upstream) callByToken(token string) *mcpserver.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.calls {
		if p.token == token && token != "" {
			return p.call
		}
	}
	return nil
}

// onlyCall returns the call that the server has, nil if it has none or several.
func (s *upstream) onlyCall() *mcpserver.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) != 1 {
		return nil
	}
	for p := range s.calls {
		return p.call
	}
	return nil
}

// connLost says that the connection has ended.
func (s *upstream) connLost(l *upstreamConn, err error) {
	s.mu.Lock()
	mine := s.conn == l
	closed := s.closed
	if mine {
		s.conn = nil
	}
	s.mu.Unlock()
	if mine && !closed && s.session.ctx.Err() == nil {
		s.session.noteEvent("%s has gone: %v", s.up.Name, err)
	}
}
