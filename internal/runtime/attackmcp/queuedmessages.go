package attackmcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// A clientState is what a server actor keeps about one client.
type clientState struct {
	session *mcpserver.Session
	open    bool // past the handshake: may be sent unsolicited messages; guarded by server.mu

	mu                 sync.Mutex
	pendingRequests    map[string]clientRequest // unanswered requests
	standaloneRequests map[string]int           // our requests outside any of the client's, about to be sent
	unreadChanges      map[string][]func()      // by list method: ends of announced changes that are not read yet
}

type clientRequest struct {
	phase  int // it arrived in
	method string
}

// maxPendingRequests bounds the unanswered requests kept. The engine runs fewer; the rest are from a client that cancels.
const maxPendingRequests = 1000

func (c *clientState) rememberRequest(id, method string, phase int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pendingRequests) >= maxPendingRequests {
		clear(c.pendingRequests)
	}
	c.pendingRequests[id] = clientRequest{phase, method}
}

func (c *clientState) takeRequestPhase(id string) (phase int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.pendingRequests[id]
	delete(c.pendingRequests, id)
	return a.phase, ok
}

// peekRequest returns the phase and method of the request that an answer is for, or now and "".
func (c *clientState) peekRequest(id string, now int) (phase int, method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.pendingRequests[id]; ok {
		return a.phase, a.method
	}
	return now, ""
}

// takeStandalone reports whether an outgoing request of ours was announced as outside any of the client's.
func (c *clientState) takeStandalone(method, params string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := messageKey(method, params)
	if c.standaloneRequests[key] == 0 {
		return false
	}
	if c.standaloneRequests[key]--; c.standaloneRequests[key] == 0 {
		delete(c.standaloneRequests, key)
	}
	return true
}

func (c *clientState) countStandalone(method, params string, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := messageKey(method, params)
	if c.standaloneRequests[key] += by; c.standaloneRequests[key] <= 0 {
		delete(c.standaloneRequests, key)
	}
}

func messageKey(method, params string) string {
	if compact, err := mcpserver.Compact(params); err == nil {
		params = compact
	}
	return method + " " + params
}

// clientOf returns the state of a client and creates it if needed.
func (s *server) clientOf(t *mcpserver.Session) (c *clientState, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c = s.sessions[t]
	if begins = c == nil; begins {
		if len(s.sessions) >= maxTalks {
			s.forgetOldest()
		}
		c = &clientState{session: t, pendingRequests: map[string]clientRequest{}, standaloneRequests: map[string]int{}}
		s.sessions[t] = c
	}
	return c, begins
}

// stateOf returns the state of a client, or nil.
func (s *server) stateOf(t *mcpserver.Session) *clientState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[t]
}

// forgetOldest makes room. s.mu is held.
func (s *server) forgetOldest() {
	var oldest *mcpserver.Session
	for t := range s.sessions {
		if oldest == nil || t.Number() < oldest.Number() {
			oldest = t
		}
	}
	delete(s.sessions, oldest)
}

// startsInEarnest reports whether this message shows that a client is past the handshake and what may precede it.
func startsInEarnest(method string) bool {
	return method != mcp.Initialize && method != mcp.Discover && method != mcp.Ping
}

// openClient marks a client as past the handshake if this message shows that, and then returns the messages queued: first those of the
// phase that answers.
func (s *server) openClient(c *clientState, at int, method string) []queuedMessage {
	if !startsInEarnest(method) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.open = true
	own := s.takeUnsent(func(l queuedMessage) bool { return l.to == at })
	return append(own, s.takeUnsent(func(l queuedMessage) bool { return !attack.IsClosed(l.left) })...)
}

// takeUnsent removes and returns matching queued messages. s.mu is held.
func (s *server) takeUnsent(which func(queuedMessage) bool) (out []queuedMessage) {
	s.unsent = slices.DeleteFunc(s.unsent, func(l queuedMessage) bool {
		if which(l) {
			out = append(out, l)
			return true
		}
		return false
	})
	return out
}

// Send performs a send action: every client past the handshake gets the message on its own session. If there is none, the first one
// during the phase does.
func (s *server) Send(ctx context.Context, e attack.Entry, method, params string) {
	l := queuedMessage{e.Phase(), e.Left(), method, params}
	s.mu.Lock()
	var open []*clientState
	for _, c := range s.sessions {
		if c.open {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		s.unsent = append(s.unsent, l)
	}
	s.mu.Unlock()
	slices.SortFunc(open, func(a, b *clientState) int { return a.session.Number() - b.session.Number() })
	for _, c := range open {
		s.postMessage(ctx, c, l)
	}
}

// Moved reports queued messages whose phase is over.
func (s *server) Moved() {
	s.mu.Lock()
	late := s.takeUnsent(func(l queuedMessage) bool { return attack.IsClosed(l.left) })
	s.mu.Unlock()
	for _, l := range late {
		s.Notice(attack.Unplayed, l.to, "%s was not sent: no client connected during the phase", l.method)
	}
}

// postMessage sends one message to one client: a notification, or a request whose answer is not awaited here.
func (s *server) postMessage(ctx context.Context, c *clientState, l queuedMessage) {
	s.Progress().ExpectMessages(l.method, 1)
	if isNotification(l.method) {
		announced := s.announceChange(c, l.method)
		err := c.session.Notify(ctx, l.method, l.params)
		if err != nil {
			s.Progress().ExpectMessages(l.method, -1)
			announced()
		}
		s.reportUndelivered(c, l, err)
		return
	}
	if needsClientRequest(l.method) {
		c.countStandalone(l.method, l.params, 1)
		s.Notice(attack.Violation, l.to, "%s is sent on its own, although it must belong to a client's request (SEP-2260)", l.method)
	}
	var then func(string)
	answered := s.BeginPending()
	wait, err := c.session.Post(ctx, l.method, l.params, func(m wire.Message) {
		then = s.observeClientAnswer(ctx, l.to, l.method, l.params, m)
	})
	if err != nil {
		answered()
		s.forgetRequest(c, l, err)
		return
	}
	s.Spawn(func() { // ends with the answer, the engine's wait limit, or the run
		defer answered()
		if _, err := wait(ctx); err != nil {
			s.forgetRequest(c, l, err)
			return
		}
		if then != nil {
			then("")
		}
	})
}

// forgetRequest records that a request of ours has no answer, or was not even sent.
func (s *server) forgetRequest(c *clientState, l queuedMessage, err error) {
	s.Progress().ExpectMessages(l.method, -1)
	if needsClientRequest(l.method) {
		c.countStandalone(l.method, l.params, -1)
	}
	s.reportUndelivered(c, l, err)
}

// reportUndelivered reports why a message was not delivered.
func (s *server) reportUndelivered(c *clientState, l queuedMessage, err error) {
	switch {
	case err == nil, errors.Is(err, attack.ErrOver):
	case errors.Is(err, mcpserver.ErrSessionEnded): // the client has left
		s.mu.Lock()
		delete(s.sessions, c.session)
		s.mu.Unlock()
	case errors.Is(err, mcpserver.ErrNoChannel) && c.session.Revision() >= mcp.FirstStateless && !isNotification(l.method):
		s.Notice(attack.Unplayed, l.to, "%s was not sent: in %s a server makes no requests of its own", l.method, c.session.Revision())
	default:
		s.Notice(attack.Unplayed, l.to, "%s: %v", l.method, err)
	}
}

func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

// needsClientRequest reports whether a server request must belong to a request of the client (SEP-2260).
func needsClientRequest(method string) bool {
	return method == mcp.ElicitationCreate || method == mcp.SamplingCreateMessage || method == mcp.RootsList
}

// announceChange records that a client is told of a change of a list, which is pending until the client reads the list or leaves.
// announced ends it if the message could not be sent.
func (s *server) announceChange(c *clientState, method string) (announced func()) {
	l := slices.IndexFunc(mcp.ChangingLists, func(l mcp.List) bool { return l.Changed == method })
	if l < 0 {
		return func() {}
	}
	list := mcp.ChangingLists[l].Method
	end := s.BeginPending()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unreadChanges == nil {
		c.unreadChanges = map[string][]func(){}
		s.Spawn(func() { s.forgetChanges(c) }) // ends with the client or the run
	}
	c.unreadChanges[list] = append(c.unreadChanges[list], end)
	return end
}

// forgetChanges ends the pending changes of a client once it has left.
func (s *server) forgetChanges(c *clientState) {
	select {
	case <-c.session.Done():
	case <-s.AwaitBegin().Done():
	}
	for i := range mcp.ChangingLists {
		c.takeChanges(mcp.ChangingLists[i].Method)()
	}
}

// takeChanges returns a function that ends the changes a request reads.
func (c *clientState) takeChanges(method string) (read func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ends := c.unreadChanges[method]
	delete(c.unreadChanges, method)
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
