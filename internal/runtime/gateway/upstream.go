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

// An upstream is one server in one client session: connected, connecting, or away.
type upstream struct {
	session *clientSession
	up      *Upstream

	mu      sync.Mutex
	conn    *upstreamConn // nil if there is no working one
	init    string
	dialing chan struct{} // closed when the current attempt ends; nil without one
	err     error         // of the latest attempt
	retryAt time.Time     // no attempt before
	backoff time.Duration
	closed  bool
	lists   [4][]string              // as last read, nil before; kept while the server is away
	mirrors map[string][]wire.Mirror // of its tools
	listens int                      // active subscriptions/listen requests
	calls   map[*pendingCall]struct{}
	lost    atomic.Int64 // messages that did not reach the client
	// unoffered are the lists that are not declared and were not there when they were asked for.
	unoffered [4]atomic.Bool
	users     int // users of the connection: it must not be ended for another
}

// A pendingCall is a client's call that the server is processing.
type pendingCall struct {
	call  *mcpserver.Call
	token string // its progress token, as JSON
}

// The delay between attempts to reach a server grows from the first to the second.
const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

var errGone = errors.New("the conversation is over")

// awaitConn returns the connection, reconnecting if necessary, and waits as long as ctx allows. The attempt continues after that.
// Until done is called the connection is not ended to make room for another.
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
			s.session.busy.Go(s.dialUpstream) // ends with the attempt, which ends with the session
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

// maxDialTime bounds an attempt; nobody waits that long for it.
const maxDialTime = time.Minute

func (s *upstream) dialUpstream() {
	ctx, cancel := context.WithTimeout(s.session.ctx, maxDialTime)
	defer cancel()
	l, err := s.openConn(ctx)
	if err == nil && s.session.ctx.Err() != nil {
		l.closeConn() // not below, where the lock is held that closing needs
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

// noteRenewal tells the client that a server behind a URL has begun a new session, e.g. after a restart.
func (s *upstream) noteRenewal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && s.conn != nil {
		s.tellListsChanged("%s ended its session; another was begun")
	}
}

// tellListsChanged reports the event and tells the client that lists may have changed. s.mu is held.
func (s *upstream) tellListsChanged(event string) {
	s.session.busy.Go(func() { // ends with the notifications, which end with the session
		s.session.noteEvent(event, s.up.Name)
		for _, l := range mcp.ChangingLists {
			s.session.noteLost(s, s.session.downstream.Notify(s.session.ctx, l.Changed, ""))
		}
	})
}

// openConn opens a session with the server in the name of the client.
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
	if _, ended := errors.AsType[*wire.EndError](err); ended && who.stateless { // some servers exit if the first message is not initialize
		_ = conn.Close() // it has ended
		if conn, err = s.up.Open(); err == nil {
			who.stateless, who.revision = false, ""
			session, err = openAs(ctx, conn, who)
		}
	}
	if err != nil {
		if conn != nil {
			_ = conn.Close() // the first error is the one to report
		}
		s.session.gateway.freeSlot(s.up)
		return nil, err
	}
	if web, ok := conn.(interface{ OnRenewal(func()) }); ok {
		web.OnRenewal(s.noteRenewal)
	}
	l := newUpstreamConn(s, conn, session)
	s.session.busy.Go(l.receiveMessages) // both end with the connection
	s.session.busy.Go(l.sendOutbox)
	return l, nil
}

// openAs opens the session in the client's era and revision, so that the client can use what they allow. A server without that era
// gets the other.
func openAs(ctx context.Context, conn wire.Conn, who clientIdentity) (*mcpclient.Session, error) {
	opt := mcpclient.Options{Info: who.info, Capabilities: who.capabilities, Timeout: maxDialTime, Era: mcpclient.InitializeFirst, Revision: who.revision}
	if who.stateless {
		opt.Era, opt.Revision = mcpclient.DiscoverFirst, ""
	}
	if web, ok := conn.(interface{ SSE() bool }); ok && web.SSE() { // the stateless era never had HTTP+SSE
		opt.Era = mcpclient.Legacy
	}
	return mcpclient.Open(ctx, conn, opt)
}

// release ends a use of the connection that awaitConn began.
func (s *upstream) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
}

// isBusy reports whether the connection is in use, or about to be.
func (s *upstream) isBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isUsedLocked()
}

func (s *upstream) isUsedLocked() bool {
	return s.users > 0 || len(s.calls) > 0 || s.dialing != nil || s.conn != nil && s.conn.asking.Load() > 0
}

func (s *upstream) isIdleLocked() bool {
	return s.conn != nil && !s.conn.isClosed() && !s.isUsedLocked()
}

// initResult returns the server's opening answer, or "".
func (s *upstream) initResult() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.init
}

func (s *upstream) closeUpstream() {
	s.mu.Lock()
	l := s.conn
	s.closed = true
	s.mu.Unlock()
	if l != nil {
		l.closeConn()
	}
}

// checkAnswer asks whether the client's answer to a server's request may go to it.
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

// queueNotification passes a notification on in order if the server is connected. Notifications the server does not read are
// dropped, which is reported once.
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
		s.session.noteOnce("%s does not read its notifications: some are lost", s.up.Name)
	}
}

// beginCall and finishCall track the calls that the server is processing.
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

// mostListens bounds the subscriptions of one session at a server.
const mostListens = 16

// listenUpstream tells stateless servers what the client subscribes to. Their notifications reach every matching subscription of
// the client.
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
		cs.busy.Go(func() { // ends with the subscription at the server, the connection, or the session
			_, _ = cs.callGuarded(cs.ctx, l, mcp.SubscriptionsListen, params) // whatever ends it, the client's subscription continues
			s.mu.Lock()
			defer s.mu.Unlock()
			s.listens--
		})
	}
}

// callByToken returns the call with a progress token, or nil.
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

// onlyCall returns the server's only call, nil if it has none or several.
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
