package launch

import (
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/trace"
)

// A Sealing says how one command's servers are sandboxed. The zero Sealing does not sandbox.
type Sealing struct {
	Level  sandbox.Level
	Config sandbox.Config
	// Record, if not nil, receives each event at once as a trace message.
	Record func(trace.Message)
	// Boxes keeps the sandboxes' events.
	Boxes *Sandboxes
}

// Seal makes a dialer sandbox the server called name, "" for its program, as s says.
func (s Sealing) Seal(d Dialer, name string) Dialer {
	d.Sandbox, d.SandboxConfig, d.Sandboxes, d.SandboxName, d.SandboxRecord = s.Level, s.Config, s.Boxes, name, s.Record
	return d
}
