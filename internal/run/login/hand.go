package login

import "gauntlet/internal/runtime/wire"

// Dialing adapts Sessions to [launch.Logins].
type Dialing struct{ *Sessions }

// For returns the session of a server.
func (d Dialing) For(server string) wire.Login { return d.Sessions.For(server) }
