package attackmcp

import "gauntlet/internal/leaf/mcp"

// announceChange records that a client is told of a change of a list, which is pending until the client reads the list or leaves.
// announced ends it if the message could not be sent.
func (s *server) announceChange(c *clientState, method string) (announced func()) {
	list := listOf(method)
	if list == "" {
		return func() {}
	}
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

// listOf returns the method that reads the list named in a list_changed notification, or "".
func listOf(notification string) string {
	for _, l := range mcp.ChangingLists {
		if l.Changed == notification {
			return l.Method
		}
	}
	return ""
}
