// Package gateway puts one MCP server in front of many. Whoever speaks to the front speaks
// to all of them: their lists are one list, and each call goes to the server that it is for.
// What goes over the connections to them goes unchanged but for ids and, where two servers
// have a tool or a prompt of the same name, that name.
//
// Every conversation at the front has connections of its own, so that what a server asks of
// its client reaches the client that it is about. A server that is slow, dead or coming back
// holds up nobody but those who ask it.
package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/serve"
	"gauntlet/internal/wire"
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
	Server  serve.Options // of the front; its Player is the gateway's own
	// Note is told what a person should know: servers that cannot be reached, names that had
	// to be changed. nil tells nobody. It is called from several goroutines at once.
	Note func(string)
	// Guard, unless nil, is asked before a request goes to a server and shown what servers
	// answer. It is called from several goroutines at once.
	Guard Guard
}

// DefaultConnect lets a server start that is installed on the way.
const DefaultConnect = 10 * time.Second

// A Guard decides what may pass between servers.
type Guard interface {
	// Claims is told what a client says that it can do, a JSON object. An error keeps back
	// the request that says so, and lets no conversation with a server begin that would.
	Claims(capabilities string) error
	// Asks is told of a request before it goes out. An error keeps it back: the client gets
	// it for an answer, and the server never hears of it. Otherwise answered is called with
	// the result, if there is one, before the client has it; an error from that takes its place.
	Asks(server, method, params string) (answered func(result string) error, err error)
}

// A Gateway is one front. Its Server may be given any transport.
type Gateway struct {
	opt    Options
	server *serve.Server
	base   *serve.Prepared

	mu     sync.Mutex
	houses map[*serve.Talk]*house
	closed bool
	open   sync.WaitGroup // of houses
}

// mostHouses is how many conversations have servers of their own at a time. The oldest ends
// for a new one.
const mostHouses = 256

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
	seen := map[string]bool{}
	for _, u := range opt.Upstreams {
		if seen[u.Name] {
			return nil, fmt.Errorf("two servers are called %q", u.Name)
		}
		seen[u.Name] = true
	}
	g := &Gateway{opt: opt, houses: map[*serve.Talk]*house{}}
	opt.Server.Player = g
	var err error
	state := serve.State{Name: opt.Name, Identity: []string{g.identity()}, Capabilities: []string{"{}"}}
	if g.base, err = serve.Prepare(state); err != nil {
		return nil, err
	}
	g.server, err = serve.New(state, opt.Server)
	return g, err
}

// Server returns the front.
func (g *Gateway) Server() *serve.Server { return g.server }

// Close ends all conversations with servers and waits for that. The front's transports have
// to be over.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	for _, h := range g.houses {
		h.end()
	}
	g.mu.Unlock()
	g.open.Wait()
}

func (g *Gateway) identity() string {
	return `{"name":` + quote(g.opt.Name) + `,"version":` + quote(g.opt.Version) + `}`
}

// Hear is [serve.Player]. Only the request that begins a conversation waits: for the
// servers, as long as Connect allows.
func (g *Gateway) Hear(ctx context.Context, t *serve.Talk, m wire.Message) serve.Turn {
	h := g.house(t)
	if h == nil {
		return serve.Turn{State: g.base}
	}
	switch {
	case m.Kind == wire.Request && (m.Method == "initialize" || m.Method == "server/discover"):
		h.greet(ctx, m)
	case m.Kind == wire.Notification:
		h.relayNotification(m)
	}
	return serve.Turn{State: h.current()}
}

// house returns that of a conversation, nil where the gateway is closed.
func (g *Gateway) house(t *serve.Talk) *house {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.houses[t]; h != nil {
		return h
	}
	if g.closed {
		return nil
	}
	if len(g.houses) >= mostHouses {
		g.oldest().end()
	}
	h := newHouse(g, t)
	g.houses[t] = h
	g.open.Go(func() { // ends with the conversation or the gateway
		select {
		case <-t.Done():
		case <-h.ctx.Done():
		}
		h.end()
		g.mu.Lock()
		if g.houses[t] == h {
			delete(g.houses, t)
		}
		g.mu.Unlock()
		h.wait()
	})
	return h
}

// oldest returns the conversation that began first.
func (g *Gateway) oldest() *house {
	var old *house
	for _, h := range g.houses {
		if old == nil || h.talk.Number() < old.talk.Number() {
			old = h
		}
	}
	delete(g.houses, old.talk)
	return old
}
