package launch

import (
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/trace"
)

// A Sealing says how the servers of one command are sealed off. The zero Sealing does not.
type Sealing struct {
	Level  sandbox.Level
	Config sandbox.Config
	// Record is given each event at once, as a message of a trace; nil for nobody.
	Record func(trace.Message)
	// Boxes keeps what happens in the sandboxes.
	Boxes *Sandboxes
}

// Seal makes a dialer start the server that messages call name, "" for its program, as s says.
func (s Sealing) Seal(d Dialer, name string) Dialer {
	d.Sandbox, d.SandboxConfig, d.Sandboxes, d.SandboxName, d.SandboxRecord = s.Level, s.Config, s.Boxes, name, s.Record
	return d
}
