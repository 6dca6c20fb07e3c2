package attackmcp

import (
	"context"
	"io"
	"net"
	"time"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// DefaultReadiness is how long the server under attack may take to answer for the first time.
const DefaultReadiness = 30 * time.Second

// Options say how the actors of MCP speak. A zero field means its default.
type Options struct {
	// Readiness is how long the server under attack may take to answer for the first time;
	// default DefaultReadiness.
	Readiness time.Duration
	// Dial connects to the server that an mcp_client actor attacks, over a connection whose
	// messages tap sees; nil where there is none. The run closes the connection.
	Dial func(ctx context.Context, actor string, tap wire.Tap) (wire.Conn, error)
	// Serve says how server actors speak. Its Interceptor and Tap are the binding's.
	Serve mcpserver.Options
	// Negotiate has servers agree on a revision with each client where the document names none; else they
	// answer initialize with 2025-11-25, as the specification has it.
	Negotiate bool
	// ForceElicitation sends elicitations also to clients that do not claim to take them.
	ForceElicitation bool
}

// New returns the binding of MCP (§7.1).
func New(opt Options) attack.Binding {
	if opt.Readiness == 0 {
		opt.Readiness = DefaultReadiness
	}
	return binding{opt}
}

type binding struct{ Options }

// Modes are those of §7.1.1.
func (binding) Modes() []string { return []string{"mcp_server", "mcp_client"} }

// NewPlayer makes a server, or a client where there is a server to attack.
func (b binding) NewPlayer(a *attack.Actor) (player attack.Player, skip string, err error) {
	if a.Mode == "mcp_server" {
		s, err := newServer(a, b.Options)
		return s, "", err
	}
	if b.Dial == nil {
		return nil, "no server was named for it to attack", nil
	}
	noteUnusedFaults(a)
	return newClient(a, b.Options), "", nil
}

// Engine returns what answers for a server of this binding, nil for any other player.
func Engine(p attack.Player) *mcpserver.Server {
	if s, ok := p.(*server); ok {
		return s.engine
	}
	return nil
}

// Server is where transports are attached.
func (s *server) Server() attack.Server {
	return attack.Server{
		Actor: s.Name, Protocol: "mcp", Path: mcpserver.Path,
		Stdio: func(ctx context.Context, in io.Reader, out io.Writer) error {
			defer s.closeUpstream()
			return s.engine.Stdio(ctx, in, out)
		},
		HTTP: func(ctx context.Context, ln net.Listener) error {
			defer s.closeUpstream()
			return s.engine.HTTP(ctx, ln)
		},
	}
}
