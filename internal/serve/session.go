package serve

import (
	"container/list"
	"crypto/rand"
	"sync"
)

// mostSessions is how many are remembered. Beyond that the one that was used longest ago
// ends, or a client could fill the memory by opening sessions.
const mostSessions = 10_000

// A session is a conversation of the legacy era over HTTP.
type session struct {
	id    string
	talk  talk
	queue chan string   // of HTTP+SSE: answers for the stream; nil otherwise
	ended chan struct{} // closed when it is over
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
	session.id, session.ended = rand.Text(), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.order.Len() >= mostSessions {
		s.remove(s.order.Back())
	}
	s.byID[session.id] = s.order.PushFront(session)
}

// get returns a session, nil if it has ended or never was. Those of HTTP+SSE and of
// Streamable HTTP do not know each other.
func (s *sessions) get(id string, sse bool) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byID[id]
	if !ok || (e.Value.(*session).queue != nil) != sse {
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
}
