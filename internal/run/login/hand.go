package login

import "gauntlet/internal/runtime/wire"

// Dialing hands sessions to the dialer, which knows them as [launch.Logins].
type Dialing struct{ *Sessions }

// For returns the session of a server.
func (d Dialing) For(server string) wire.Login { return d.Sessions.For(server) }
