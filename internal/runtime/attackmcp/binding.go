// Package attackmcp is the MCP binding (§7.1): it plays the adversarial MCP servers and clients of attack documents.
//
// What a server shows in a phase is computed without I/O ([serverState]); package mcpserver serves it to agents, and package
// mcpclient talks to servers.
package attackmcp

import (
	"cmp"
	"context"
	"io"
	"net"
	"time"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// DefaultReadiness is the default of [Options.Readiness].
const DefaultReadiness = 30 * time.Second

// Options configure the MCP actors. A zero field means its default.
type Options struct {
	// Readiness bounds the wait for the first answer of the server under attack; default DefaultReadiness.
	Readiness time.Duration
	// Dial connects an mcp_client actor to the server it attacks; tap sees the messages. nil if there is no such server. The run
	// closes the connection.
	Dial func(ctx context.Context, actor string, tap wire.Tap) (wire.Conn, error)
	// Serve configures server actors. Its Interceptor and Tap are the binding's.
	Serve mcpserver.Options
	// Negotiate makes servers negotiate a revision with each client if the document names none; otherwise they answer initialize
	// with 2025-11-25, the default of §7.1.4.
	Negotiate bool
	// ForceElicitation sends elicitations even to clients that do not declare them.
	ForceElicitation bool
}

// New returns the MCP binding (§7.1).
func New(opt Options) attack.Binding {
	opt.Readiness = cmp.Or(opt.Readiness, DefaultReadiness)
	const asServer, asClient = "mcp_server", "mcp_client" // §7.1.1
	return attack.Binding{Modes: []string{asServer, asClient}, NewPlayer: func(a *attack.Actor) (player attack.Player, skip string, err error) {
		if a.Mode == asServer {
			player, err = newServer(a, opt)
			return player, "", err
		}
		if opt.Dial == nil {
			return nil, "no server was named for it to attack", nil
		}
		noteUnusedFaults(a)
		return &client{Actor: a, opt: opt}, "", nil
	}}
}

// Engine returns the server engine of a player of this binding, nil for any other.
func Engine(p attack.Player) *mcpserver.Server {
	if s, ok := p.(*server); ok {
		return s.engine
	}
	return nil
}

// Server is where transports attach.
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
		OpenReplay: s.openReplay,
		MadeUp:     []string{"requestState", "nextCursor"},
		Faults:     s.faults.outcomes,
	}
}
