package mcpserver

import (
	"container/list"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"
)

// mostSessions bounds the sessions kept. Beyond it the least recently used idle one ends; otherwise a client could fill memory by
// opening sessions. There is always an idle one, since fewer requests than that run at a time.
const mostSessions = 10_000

// Limits of one session, so that none starves the others.
const (
	sessionRequests = 32
	sessionStreams  = 4
)

// A httpSession is a session over HTTP.
type httpSession struct {
	id      string
	sse     bool // of HTTP+SSE
	session Session
	queue   chan string   // messages waiting for a stream; for HTTP+SSE also answers
	ended   chan struct{} // closed when the session ends

	requests, streams atomic.Int32 // in progress
	lastUsed          atomic.Int64 // when a request last began or ended, in nanoseconds
}

func (s *httpSession) markUsed() { s.lastUsed.Store(time.Now().UnixNano()) }

// isIdle reports whether the session has no request in progress and no stream.
func (s *httpSession) isIdle() bool {
	return s.requests.Load()+s.streams.Load() == 0 && !s.session.isBusy()
}

func (s *Server) newHTTPSession(sse bool) *httpSession {
	x := &httpSession{sse: sse, queue: make(chan string, queued)}
	s.initSession(&x.session, x.queueLine)
	return x
}

// queueLine queues a message if there is room.
func (s *httpSession) queueLine(line string) error {
	select {
	case <-s.session.over:
		return ErrSessionEnded
	default:
	}
	select {
	case s.queue <- line:
		return nil
	default:
		return ErrFull
	}
}

// httpSessions holds the open sessions. Ids never repeat: they have 128 random bits.
type httpSessions struct {
	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List // of *httpSession, most recently used first
}

func newHTTPSessions() httpSessions {
	return httpSessions{byID: map[string]*list.Element{}, order: list.New()}
}

func (s *httpSessions) addWithNewID(session *httpSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insertSession(rand.Text(), session)
}

func (s *httpSessions) insertSession(id string, session *httpSession) {
	session.id, session.ended = id, make(chan struct{})
	session.markUsed()
	if s.order.Len() >= mostSessions {
		s.removeSession(s.leastRecentlyUsedIdle())
	}
	s.byID[session.id] = s.order.PushFront(session)
}

// findSession returns an open session, or nil. Sessions of HTTP+SSE and of Streamable HTTP are separate.
func (s *httpSessions) findSession(id string, sse bool) *httpSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byID[id]; ok && e.Value.(*httpSession).sse == sse {
		return s.use(e)
	}
	return nil
}

// use marks a session as the one used last.
func (s *httpSessions) use(e *list.Element) *httpSession {
	s.order.MoveToFront(e)
	e.Value.(*httpSession).markUsed()
	return e.Value.(*httpSession)
}

func (s *httpSessions) endSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byID[id]; ok {
		s.removeSession(e)
	}
}

func (s *httpSessions) removeSession(e *list.Element) {
	session := s.order.Remove(e).(*httpSession)
	delete(s.byID, session.id)
	close(session.ended)
	session.session.endSession()
}

// findOrBegin returns the session with this id, and creates it with begin if necessary.
func (s *httpSessions) findOrBegin(id string, begin func() *httpSession) *httpSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byID[id]; ok {
		return s.use(e)
	}
	session := begin()
	s.insertSession(id, session)
	return session
}

// leastRecentlyUsedIdle returns the session to end in favour of another.
func (s *httpSessions) leastRecentlyUsedIdle() *list.Element {
	for e := s.order.Back(); e != nil; e = e.Prev() {
		if e.Value.(*httpSession).isIdle() {
			return e
		}
	}
	return s.order.Back()
}

func (s *httpSessions) endIdle(before time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.order.Back(); e != nil; {
		older := e
		e = e.Prev()
		if x := older.Value.(*httpSession); x.lastUsed.Load() < before.UnixNano() && x.isIdle() {
			s.removeSession(older)
		}
	}
}

func (s *httpSessions) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() > 0 {
		s.removeSession(s.order.Back())
	}
}
