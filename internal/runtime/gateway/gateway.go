// Package gateway puts one MCP server in front of many: their lists are merged, and each call goes to its server. Messages to the
// servers are unchanged except for ids and, with several servers, names of tools and prompts that are ambiguous or not accepted by
// model providers; see names.go.
//
// Every client session has its own connections, so that a server's questions reach the right client. A slow, dead or restarting
// server delays only those who call it.
package gateway

import (
	"cmp"
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

// An Upstream is a server behind the gateway.
type Upstream struct {
	Name string // unique within a gateway
	// Open starts the server or connects to it, for one client session. It is called again when a connection has ended.
	Open func() (wire.Conn, error)
}

// Options configure a gateway. A zero field means its default.
type Options struct {
	Upstreams []Upstream
	Name      string // of the front if there are several servers; default "gauntlet-gateway"
	Version   string // of the front; default "dev"
	// Connect bounds the wait for a server when a session begins and for its lists; default DefaultConnect. A server that arrives
	// later is used from then on.
	Connect time.Duration
	Server  mcpserver.Options // of the front; its Interceptor is the gateway's own
	// Note, if not nil, is called with what a person should know: unreachable servers, changed names. It must be safe for
	// concurrent use.
	Note func(string)
	// Progress, if not nil, is told what is opened and closed, and the number then open. It must be safe for concurrent use.
	Progress func(string)
	// Guard, if not nil, is asked before anything goes to a server and shown what servers answer. It must be safe for concurrent
	// use.
	Guard Guard
	// Recording, if not nil, is called before anything is passed on in either direction. An error blocks it: an enforced boundary
	// lets nothing pass unrecorded.
	Recording func() error
	// Connections bounds the concurrent connections (for started servers: processes) to one server across all sessions; default
	// DefaultConnections.
	Connections int
}

// DefaultConnections is more than a user's agents need, and few enough for one machine.
const DefaultConnections = 64

// DefaultConnect is enough for a server that is installed on first use.
const DefaultConnect = 10 * time.Second

// A Guard decides what may pass between servers.
type Guard interface {
	// Claims is told the capabilities a client claims, a JSON object. An error blocks the request that claims them, and no server
	// session begins with them.
	Claims(capabilities string) error
	// Asks is told of a request before it is sent. An error blocks it: the client gets it as the answer, and the server never sees
	// the request. Otherwise answered is called with the answer's member "result" or "error" and its value before the client gets
	// it; an error from it replaces the answer.
	Asks(server, method, params string) (answered func(member, value string) error, err error)
	// Notifies is told of a client's notification before it goes to a server; an error blocks it.
	Notifies(server, method, params string) error
	// Answers is told of the client's answer to a server's request, the value of its member "result" or "error"; an error blocks
	// it, and the server gets an error without details.
	Answers(server, method, member, value string) error
}

// A Gateway is one front. Its Server may use any transport.
type Gateway struct {
	opt      Options
	prefixes []string // prefixes of each server's qualified tool names
	server   *mcpserver.Server
	base     *mcpserver.Prepared
	// overloaded answers every request of a client without a slot with an error.
	overloaded *mcpserver.Prepared

	mu       sync.Mutex
	conns    map[*Upstream]int // connections open or being opened
	sessions map[*mcpserver.Session]*clientSession
	closed   bool
	open     sync.WaitGroup // client sessions
}

// maxSessions bounds the sessions with their own servers. Beyond it the least recently used idle session ends.
const maxSessions = 256

// New returns a gateway. No server starts before a client connects.
func New(opt Options) (*Gateway, error) {
	opt.Name = cmp.Or(opt.Name, "gauntlet-gateway")
	opt.Version = cmp.Or(opt.Version, "dev")
	opt.Connect = cmp.Or(opt.Connect, DefaultConnect)
	if opt.Note == nil {
		opt.Note = func(string) {}
	}
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	opt.Connections = cmp.Or(opt.Connections, DefaultConnections)
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
	overloaded := state
	overloaded.Relay = func(context.Context, mcpserver.Call) (string, error) {
		return "", &mcpserver.Error{Code: codeUnreachable, Message: fmt.Sprintf("gateway: %d conversations are open, the most there may be, and all of them are busy: try again later", maxSessions)}
	}
	if g.overloaded, err = mcpserver.Prepare(overloaded); err != nil {
		return nil, err
	}
	g.server, err = mcpserver.New(state, opt.Server)
	return g, err
}

// Server returns the front's server.
func (g *Gateway) Server() *mcpserver.Server { return g.server }

// Close ends all connections to servers and waits for that. The front's transports must have ended.
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

// Intercept implements [mcpserver.Interceptor]. Only the request that begins a session waits for the servers, for at most Connect.
func (g *Gateway) Intercept(ctx context.Context, t *mcpserver.Session, m wire.Message) mcpserver.Decision {
	cs, err := g.sessionFor(t)
	switch {
	case errors.Is(err, errCrowded):
		return mcpserver.Decision{State: g.overloaded}
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

var errCrowded = errors.New("there is no room for another session")

// sessionFor returns the client session of t and creates it if needed. It fails with errCrowded, or if the gateway is closed.
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
	g.open.Go(func() { // ends with the session or the gateway
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

// leastRecentlyUsedIdle returns the session to end for another, nil if all are busy. g.mu is held.
func (g *Gateway) leastRecentlyUsedIdle() *clientSession {
	var found *clientSession
	for _, cs := range g.sessions {
		if !cs.isBusy() && (found == nil || cs.lastUsed.Load() < found.lastUsed.Load()) {
			found = cs
		}
	}
	return found
}
