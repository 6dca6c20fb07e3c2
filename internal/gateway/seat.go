package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"gauntlet/internal/peer"
	"gauntlet/internal/serve"
	"gauntlet/rawjson"
)

// A seat is one server as one conversation has it: connected, on the way, or away.
type seat struct {
	house *house
	up    *Upstream

	mu      sync.Mutex
	link    *link // nil where there is none that works
	init    string
	dialing chan struct{} // closed when the attempt under way is over; nil without one
	err     error         // of the latest attempt
	again   time.Time     // not to be tried before
	pause   time.Duration
	closed  bool
	lists   [4][]string // as last read; they stay while the server is away
	calls   map[*pending]struct{}
}

// A pending call is one of the client's that the server has.
type pending struct {
	call  *serve.Call
	token string // its progress token, as JSON
}

// The time between attempts to reach a server grows from the first to the second.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

var errGone = errors.New("the conversation is over")

// connected returns the connection, made anew where there is none, and waits for it as long
// as ctx allows. The attempt goes on without whoever waited.
func (s *seat) connected(ctx context.Context) (*link, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, errGone
		case s.link != nil && !s.link.ended():
			defer s.mu.Unlock()
			return s.link, nil
		case s.dialing == nil && s.err != nil && time.Now().Before(s.again):
			defer s.mu.Unlock()
			return nil, s.err
		case s.dialing == nil:
			s.dialing = make(chan struct{})
			s.house.busy.Add(1)
			go s.dial() // ends with the attempt, which the end of the house ends
		}
		dialing := s.dialing
		s.mu.Unlock()
		select {
		case <-dialing:
			s.mu.Lock()
			err := s.err
			s.mu.Unlock()
			if err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, errors.New("it does not answer yet")
		}
	}
}

// mostDial is the longest an attempt may take; nobody waits for it that long.
const mostDial = time.Minute

func (s *seat) dial() {
	defer s.house.busy.Done()
	ctx, cancel := context.WithTimeout(s.house.ctx, mostDial)
	defer cancel()
	l, err := s.open(ctx)
	if err == nil && s.house.ctx.Err() != nil {
		l.close() // not below, where the lock is held that the end of a link takes
		err = errGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	back := s.init != "" && err == nil
	if s.err = err; err != nil {
		s.pause = min(max(2*s.pause, firstPause), lastPause)
		s.again = time.Now().Add(s.pause)
	} else {
		s.link, s.init, s.pause = l, l.init, 0
	}
	close(s.dialing)
	s.dialing = nil
	if back && !s.closed {
		s.house.busy.Add(1)
		go func() { // what it lists now may be something else
			defer s.house.busy.Done()
			s.house.note("%s is back", s.up.Name)
			for _, m := range []string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"} {
				s.house.passOn(s, s.house.talk.Notify(s.house.ctx, m, ""))
			}
		}()
	}
}

// open begins a conversation with the server, in the name of the client at the front.
func (s *seat) open(ctx context.Context) (*link, error) {
	who := s.house.introduced()
	if err := s.house.claims(who.capabilities); err != nil {
		return nil, err
	}
	conn, err := s.up.Open()
	if err != nil {
		return nil, err
	}
	session, err := peer.Open(ctx, conn, peer.Options{Name: who.name, Version: who.version, Capabilities: who.capabilities, Timeout: mostDial})
	if err != nil {
		_ = conn.Close() // the first error is the one to tell
		return nil, err
	}
	l := newLink(s, conn, session)
	for _, work := range []func(){l.receive, l.post} {
		s.house.busy.Add(1)
		go func() { // ends with the connection
			defer s.house.busy.Done()
			work()
		}()
	}
	return l, nil
}

// opening returns what the server answered when the conversation began, "" before.
func (s *seat) opening() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.init
}

// close ends the connection, for good.
func (s *seat) close() {
	s.mu.Lock()
	l := s.link
	s.closed = true
	s.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// notify passes a notification on if the server is there. They go in their order; those that
// a server does not take are lost, and it is said once.
func (s *seat) notify(method, params string) {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil || l.ended() {
		return
	}
	select {
	case l.outbox <- [2]string{method, params}:
	default:
		s.house.once("%s does not take its notifications: some are lost", s.up.Name)
	}
}

// begin and finish keep the calls that the server has.
func (s *seat) begin(c *serve.Call) *pending {
	p := &pending{c, rawjson.LastMember(rawjson.LastMember(c.Params, "_meta"), "progressToken")}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[*pending]struct{}{}
	}
	s.calls[p] = struct{}{}
	return p
}

func (s *seat) finish(p *pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, p)
}

// waiting returns the call with a progress token, nil if there is none.
func (s *seat) waiting(token string) *serve.Call {
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
func (s *seat) onlyCall() *serve.Call {
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

// lost says that the connection has ended.
func (s *seat) lost(l *link, err error) {
	s.mu.Lock()
	mine := s.link == l
	closed := s.closed
	if mine {
		s.link = nil
	}
	s.mu.Unlock()
	if mine && !closed && s.house.ctx.Err() == nil {
		s.house.note("%s has gone: %v", s.up.Name, err)
	}
}
