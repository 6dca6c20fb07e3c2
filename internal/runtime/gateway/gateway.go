// Package gateway puts one MCP server in front of many. Whoever speaks to the front speaks
// to all of them: their lists are one list, and each call goes to the server that it is for.
// What goes over the connections to them goes unchanged but for ids and, of several servers, the names of
// tools and prompts that are not clear or that model providers do not take; see names.go.
//
// Every conversation at the front has connections of its own, so that what a server asks of
// its client reaches the client that it is about. A server that is slow, dead or coming back
// holds up nobody but those who ask it.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// An Upstream is one server behind the gateway.
type Upstream struct {
	Name string // unique among those of a gateway
	// Open starts the server or connects to it, for one conversation at the front. It is
	// called again when a connection has ended.
	Open func() (wire.Conn, error)
}

// Options say what a gateway is made of. A zero field means its default.
type Options struct {
	Upstreams []Upstream
	Name      string // of the front, where there are several servers; default "gauntlet-gateway"
	Version   string // of the front; default "dev"
	// Connect is the longest wait for a server when a conversation begins and for its lists;
	// default DefaultConnect. What comes later is there from then on.
	Connect time.Duration
	Server  mcpserver.Options // of the front; its Player is the gateway's own
	// Note is told what a person should know: servers that cannot be reached, names that had
	// to be changed. nil tells nobody. It is called from several goroutines at once.
	Note func(string)
	// Progress is told what is opened and closed, and how much is open then; nil tells nobody.
	// It is called from several goroutines at once.
	Progress func(string)
	// Guard, unless nil, is asked before anything goes to a server and shown what servers
	// answer. It is called from several goroutines at once.
	Guard Guard
	// Recording, unless nil, is asked before anything is passed on, either way. An error keeps
	// it back: whoever enforces a boundary wants nothing to pass unrecorded.
	Recording func() error
	// Connections is how many connections to one server, which for one that is started means
	// processes, there may be at a time, of all conversations together; default
	// DefaultConnections.
	Connections int
}

// DefaultConnections is more than a user has agents, and few enough for a machine.
const DefaultConnections = 64

// DefaultConnect lets a server start that is installed on the way.
const DefaultConnect = 10 * time.Second

// A Guard decides what may pass between servers.
type Guard interface {
	// Claims is told what a client says that it can do, a JSON object. An error keeps back
	// the request that says so, and lets no conversation with a server begin that would.
	Claims(capabilities string) error
	// Asks is told of a request before it goes out. An error keeps it back: the client gets
	// it for an answer, and the server never hears of it. Otherwise answered is called with
	// the answer, the value of its member "result" or "error", before the client has it; an error from that takes its place.
	Asks(server, method, params string) (answered func(member, value string) error, err error)
	// Notifies is told of a notification of the client before it goes out to a server; an error
	// keeps it back.
	Notifies(server, method, params string) error
	// Answers is told of the client's answer to a request of a server, the value of its member
	// "result" or "error"; an error keeps it back, and the server gets an error that says no more.
	Answers(server, method, member, value string) error
}

// A Gateway is one front. Its Server may be given any transport.
type Gateway struct {
	opt      Options
	prefixes []string // of the names of each server's tools, where they are qualified
	server   *mcpserver.Server
	base     *mcpserver.Prepared
	// crowded answers a client for whom there is no room, with an error to every request.
	crowded *mcpserver.Prepared

	mu       sync.Mutex
	conns    map[*Upstream]int // connections that are open or about to be
	sessions map[*mcpserver.Session]*clientSession
	closed   bool
	open     sync.WaitGroup // of client sessions
}

// maxSessions is how many conversations have servers of their own at a time. For a further one
// that ends which was not used for the longest time and has nothing under way.
const maxSessions = 256

// New returns a gateway. No server is started before a client comes.
func New(opt Options) (*Gateway, error) {
	if opt.Name == "" {
		opt.Name = "gauntlet-gateway"
	}
	if opt.Version == "" {
		opt.Version = "dev"
	}
	if opt.Connect == 0 {
		opt.Connect = DefaultConnect
	}
	if opt.Note == nil {
		opt.Note = func(string) {}
	}
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	if opt.Connections == 0 {
		opt.Connections = DefaultConnections
	}
	seen := map[string]bool{}
	for _, u := range opt.Upstreams {
		if seen[u.Name] {
			return nil, fmt.Errorf("two servers are called %q", u.Name)
		}
		seen[u.Name] = true
	}
	g := &Gateway{opt: opt, prefixes: prefixesOf(opt.Upstreams), conns: map[*Upstream]int{}, sessions: map[*mcpserver.Session]*clientSession{}}
	opt.Server.Interceptor = g
	var err error
	state := mcpserver.State{Name: opt.Name, Identity: []string{g.serverInfo()}, Capabilities: []string{"{}"}}
	if g.base, err = mcpserver.Prepare(state); err != nil {
		return nil, err
	}
	crowded := state
	crowded.Relay = func(context.Context, mcpserver.Call) (string, error) {
		return "", &mcpserver.Error{Code: codeUnreachable, Message: fmt.Sprintf("gateway: %d conversations are open, the most there may be, and all of them are busy: try again later", maxSessions)}
	}
	if g.crowded, err = mcpserver.Prepare(crowded); err != nil {
		return nil, err
	}
	g.server, err = mcpserver.New(state, opt.Server)
	return g, err
}

// Server returns the front.
func (g *Gateway) Server() *mcpserver.Server { return g.server }

// Close ends all conversations with servers and waits for that. The front's transports have
// to be over.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	for _, cs := range g.sessions {
		cs.end()
	}
	g.mu.Unlock()
	g.open.Wait()
}

func (g *Gateway) serverInfo() string {
	return `{"name":` + rawjson.Quote(g.opt.Name) + `,"version":` + rawjson.Quote(g.opt.Version) + `}`
}

// Intercept is [mcpserver.Interceptor]. Only the request that begins a conversation waits: for the
// servers, as long as Connect allows.
func (g *Gateway) Intercept(ctx context.Context, t *mcpserver.Session, m wire.Message) mcpserver.Decision {
	cs, err := g.sessionFor(t)
	switch {
	case errors.Is(err, errCrowded):
		return mcpserver.Decision{State: g.crowded}
	case err != nil:
		return mcpserver.Decision{State: g.base}
	}
	cs.lastUsed.Store(time.Now().UnixNano())
	switch {
	case m.Kind == wire.Request && (m.Method == mcp.Initialize || m.Method == mcp.Discover):
		cs.connectUpstreams(ctx, m)
	case m.Kind == wire.Notification:
		cs.relayNotification(m)
	case m.Kind == wire.Request:
		if cs.meets(m); m.Method == mcp.SubscriptionsListen {
			cs.listenUpstream(m.Params)
		}
	}
	return mcpserver.Decision{State: cs.preparedState()}
}

var errCrowded = errors.New("there is no room for a further conversation")

// sessionFor returns the session of a conversation, begun where there is none. It fails with
// errCrowded, or where the gateway is closed.
func (g *Gateway) sessionFor(t *mcpserver.Session) (*clientSession, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cs := g.sessions[t]; cs != nil {
		return cs, nil
	}
	if g.closed {
		return nil, errGone
	}
	if len(g.sessions) >= maxSessions {
		idle := g.leastRecentlyUsedIdle()
		if idle == nil {
			return nil, errCrowded
		}
		delete(g.sessions, idle.downstream)
		idle.end()
	}
	cs := newClientSession(g, t)
	g.sessions[t] = cs
	g.opt.Progress(fmt.Sprintf("conversation %d begins: %d open", t.Number(), len(g.sessions)))
	g.open.Go(func() { // ends with the conversation or the gateway
		select {
		case <-t.Done():
		case <-cs.ctx.Done():
		}
		cs.end()
		g.mu.Lock()
		if g.sessions[t] == cs {
			delete(g.sessions, t)
		}
		left := len(g.sessions)
		g.mu.Unlock()
		cs.awaitClosed()
		g.opt.Progress(fmt.Sprintf("conversation %d has ended: %d open", t.Number(), left))
	})
	return cs, nil
}

// leastRecentlyUsedIdle returns the conversation to end for another, nil if all are busy. g.mu
// is held.
func (g *Gateway) leastRecentlyUsedIdle() *clientSession {
	var found *clientSession
	for _, cs := range g.sessions {
		if !cs.isBusy() && (found == nil || cs.lastUsed.Load() < found.lastUsed.Load()) {
			found = cs
		}
	}
	return found
}
