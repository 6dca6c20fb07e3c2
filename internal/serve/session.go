package serve

import (
	"container/list"
	"crypto/rand"
	"sync"
	"sync/atomic"
)

// mostSessions is how many are remembered. Beyond that the one that was used longest ago
// ends, or a client could fill the memory by opening sessions. One with something under way
// is spared if it is among few.
const (
	mostSessions = 10_000
	mostSpared   = 100
)

// What one session may hold at a time, so that none takes what the others need.
const (
	sessionRequests = 32
	sessionStreams  = 4
)

// A session is a conversation over HTTP.
type session struct {
	id    string
	sse   bool // of HTTP+SSE
	talk  Talk
	queue chan string   // what waits for a stream: of HTTP+SSE answers too
	ended chan struct{} // closed when it is over

	requests, streams atomic.Int32 // under way
}

func (s *Server) newSession(sse bool) *session {
	x := &session{sse: sse, queue: make(chan string, queued)}
	s.newTalk(&x.talk, x.post)
	return x
}

// post queues a message if there is room.
func (s *session) post(line string) error {
	select {
	case <-s.talk.over:
		return ErrOver
	default:
	}
	select {
	case s.queue <- line:
		return nil
	default:
		return ErrFull
	}
}

// sessions are the ones that have not ended. The same id never comes twice: it has 128
// random bits.
type sessions struct {
	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List // of *session, the one used last in front
}

func newSessions() sessions {
	return sessions{byID: map[string]*list.Element{}, order: list.New()}
}

func (s *sessions) add(session *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(rand.Text(), session)
}

func (s *sessions) put(id string, session *session) {
	session.id, session.ended = id, make(chan struct{})
	if s.order.Len() >= mostSessions {
		s.remove(s.dullest())
	}
	s.byID[session.id] = s.order.PushFront(session)
}

// get returns a session, nil if it has ended or never was. Those of HTTP+SSE and of
// Streamable HTTP do not know each other.
func (s *sessions) get(id string, sse bool) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[id]
	if !ok || e.Value.(*session).sse != sse {
		return nil
	}
	s.order.MoveToFront(e)
	return e.Value.(*session)
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byID[id]; ok {
		s.remove(e)
	}
}

func (s *sessions) remove(e *list.Element) {
	session := s.order.Remove(e).(*session)
	delete(s.byID, session.id)
	close(session.ended)
	session.talk.end()
}

// of returns the one with this id, which begin makes if there is none.
func (s *sessions) of(id string, begin func() *session) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byID[id]; ok {
		s.order.MoveToFront(e)
		return e.Value.(*session)
	}
	session := begin()
	s.put(id, session)
	return session
}

// dullest returns the session to end for another: the one used longest ago of those with
// nothing under way.
func (s *sessions) dullest() *list.Element {
	e := s.order.Back()
	for range mostSpared {
		if e == nil {
			break
		}
		x := e.Value.(*session)
		if x.requests.Load()+x.streams.Load() == 0 && !x.talk.busy() {
			return e
		}
		e = e.Prev()
	}
	return s.order.Back()
}

// endAll ends all.
func (s *sessions) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() > 0 {
		s.remove(s.order.Back())
	}
}
