package attack

import (
	"context"
	"errors"
	"slices"
	"sync"

	"gauntlet/internal/serve"
)

// A conversation is what a server actor remembers of one client.
type conversation struct {
	talk *serve.Talk
	open bool // the client has begun in earnest: it may be sent what it did not ask for; guarded by server.mu

	mu    sync.Mutex
	under map[string]asked // requests that have no answer yet
	alone map[string]int   // requests of ours that belong to none of the client's and are about to go out
}

// asked is a request of a client's.
type asked struct {
	phase  int // that it came in
	method string
}

// maxUnder is how many requests without an answer are remembered. The engine has fewer
// under way; more are those of a client that cancels.
const maxUnder = 1000

func (c *conversation) asks(id, method string, phase int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.under) >= maxUnder {
		clear(c.under)
	}
	c.under[id] = asked{phase, method}
}

// answers returns the phase of the request that is being answered.
func (c *conversation) answers(id string) (phase int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.under[id]
	delete(c.under, id)
	return a.phase, ok
}

// asked returns the phase and the method of the request that an answer is for; now and no
// method if there is none.
func (c *conversation) asked(id string, now int) (phase int, method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.under[id]; ok {
		return a.phase, a.method
	}
	return now, ""
}

// violates reports whether a request of ours that goes out is one that was announced to
// belong to none of the client's.
func (c *conversation) violates(method, params string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := letterKey(method, params)
	if c.alone[key] == 0 {
		return false
	}
	if c.alone[key]--; c.alone[key] == 0 {
		delete(c.alone, key)
	}
	return true
}

func (c *conversation) announce(method, params string, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := letterKey(method, params)
	if c.alone[key] += by; c.alone[key] <= 0 {
		delete(c.alone, key)
	}
}

func letterKey(method, params string) string {
	if compact, err := serve.Compact(params); err == nil {
		params = compact
	}
	return method + " " + params
}

// meet returns what is remembered of a client, nothing at first.
func (s *server) meet(t *serve.Talk) (c *conversation, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c = s.talks[t]
	if begins = c == nil; begins {
		if len(s.talks) >= maxTalks {
			s.forgetOldest()
		}
		c = &conversation{talk: t, under: map[string]asked{}, alone: map[string]int{}}
		s.talks[t] = c
	}
	return c, begins
}

// conversation returns what is remembered of a client, nil for nothing.
func (s *server) conversation(t *serve.Talk) *conversation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talks[t]
}

// forgetOldest makes room. s.mu is held.
func (s *server) forgetOldest() {
	var oldest *serve.Talk
	for t := range s.talks {
		if oldest == nil || t.Number() < oldest.Number() {
			oldest = t
		}
	}
	delete(s.talks, oldest)
}

// opens reports whether a client that sends this has begun in earnest: what comes before
// is the handshake and whatever may precede it.
func opens(method string) bool {
	return method != "initialize" && method != "server/discover" && method != "ping"
}

// deliverable returns the letters of a phase that waited for a client, if what it sends
// shows that it has begun in earnest.
func (s *server) deliverable(at int, method string) []letter {
	if !opens(method) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(func(l letter) bool { return l.to == at })
}

// open notes that a client has begun in earnest, and returns the letters that still wait
// for one.
func (s *server) open(c *conversation, method string) []letter {
	if !opens(method) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.open = true
	return s.take(func(l letter) bool { return !isClosed(l.left) })
}

// take takes letters out of those that wait. s.mu is held.
func (s *server) take(which func(letter) bool) (out []letter) {
	s.unsent = slices.DeleteFunc(s.unsent, func(l letter) bool {
		if which(l) {
			out = append(out, l)
			return true
		}
		return false
	})
	return out
}

// sendAll does a send action: every client gets the message that has begun in earnest, each
// on its own conversation. Where there is none, the first that comes while the phase lasts.
func (s *server) sendAll(ctx context.Context, e entry, method, params string) {
	l := letter{e, method, params}
	s.mu.Lock()
	var open []*conversation
	for _, c := range s.talks {
		if c.open {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		s.unsent = append(s.unsent, l)
	}
	s.mu.Unlock()
	slices.SortFunc(open, func(a, b *conversation) int { return a.talk.Number() - b.talk.Number() })
	for _, c := range open {
		s.post(ctx, c, l)
	}
}

// dropUnsent tells of letters whose phase is over.
func (s *server) dropUnsent() {
	s.mu.Lock()
	late := s.take(func(l letter) bool { return isClosed(l.left) })
	s.mu.Unlock()
	for _, l := range late {
		s.notice(Unplayed, l.to, "%s was not sent: no client came while the phase lasted", l.method)
	}
}

// post sends one letter to one client: a notification, or a request whose answer is not
// waited for here.
func (s *server) post(ctx context.Context, c *conversation, l letter) {
	s.run.witness.expects(l.method, 1)
	if isNotification(l.method) {
		err := c.talk.Notify(ctx, l.method, l.params)
		if err != nil {
			s.run.witness.expects(l.method, -1)
		}
		s.lost(c, l, err)
		return
	}
	if standalone(l.method) {
		c.announce(l.method, l.params, 1)
		s.notice(Violation, l.to, "%s is sent on its own, though it must belong to a request of the client's (SEP-2260)", l.method)
	}
	s.run.spawn(func() { // ends with the answer, with the engine's patience or with the run
		m, err := c.talk.Ask(ctx, l.method, l.params)
		if err != nil {
			s.run.witness.expects(l.method, -1) // unless it went out
			if standalone(l.method) {
				c.announce(l.method, l.params, -1) // unless it went out and was seen
			}
			s.lost(c, l, err)
			return
		}
		s.hearAnswer(ctx, l.to, l.method, m)
	})
}

// lost tells why a letter came to nothing.
func (s *server) lost(c *conversation, l letter, err error) {
	switch {
	case err == nil, errors.Is(err, errOver):
	case errors.Is(err, serve.ErrOver): // the client has left
		s.mu.Lock()
		delete(s.talks, c.talk)
		s.mu.Unlock()
	case errors.Is(err, serve.ErrUnheard) && c.talk.Revision() >= statelessEra && !isNotification(l.method):
		s.notice(Unplayed, l.to, "%s was not sent: in %s a server makes no requests of its own", l.method, c.talk.Revision())
	default:
		s.notice(Unplayed, l.to, "%s: %v", l.method, err)
	}
}
