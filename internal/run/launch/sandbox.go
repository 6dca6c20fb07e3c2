package launch

import (
	"errors"
	"fmt"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// startProcess starts a server, in a sandbox if requested. With level on, it starts without one if none is available.
func (d *Dialer) startProcess(s *Server, command wire.Command, o *Opened) (*wire.Process, error) {
	if !d.Sandbox.Wanted() {
		return wire.Start(command)
	}
	p, err := d.startSealed(s, command, o)
	if d.Sandbox == sandbox.On && errors.Is(err, sandbox.ErrUnavailable) {
		o.Sandbox, o.SandboxReport = nil, sandbox.Report{Missing: err.Error()}
		return wire.Start(command)
	}
	return p, err
}

func (d *Dialer) startSealed(s *Server, command wire.Command, o *Opened) (*wire.Process, error) {
	config := d.SandboxConfig
	config.Environ, config.Dir, config.Args = d.Environ, s.Dir, s.Command
	sb, err := sandbox.New(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Program(), err)
	}
	d.Sandboxes.hear(d, s.Program(), sb)
	command.Wrap, command.Tap = sb.Wrap, tieCalls(sb, command.Tap)
	p, err := wire.Start(command)
	if err != nil {
		return nil, errors.Join(err, sb.Close())
	}
	o.Sandbox = sb
	return p, nil
}

// sealed ends the sandbox with the connection.
type sealed struct {
	*wire.Process
	sandbox *sandbox.Sandbox
}

func (s *sealed) Close() error {
	s.sandbox.Settle()
	return errors.Join(s.Process.Close(), s.sandbox.Close())
}

func (s *sealed) Kill() error { return errors.Join(s.Process.Kill(), s.sandbox.Close()) }
