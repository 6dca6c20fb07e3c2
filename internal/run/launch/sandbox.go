package launch

import (
	"errors"
	"fmt"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// openSandbox prepares the sandbox that a server is to be started in, if one is wanted.
func (d *Dialer) openSandbox(s *Server, command *wire.Command, o *Opened) error {
	if !d.Sandbox.Wanted() {
		return nil
	}
	config := d.SandboxConfig
	config.Environ, config.Dir, config.Args = d.Environ, s.Dir, s.Command
	sb, err := sandbox.New(config)
	switch {
	case err == nil:
		o.Sandbox, command.Wrap = sb, sb.Wrap
		return nil
	case d.Sandbox == sandbox.On && errors.Is(err, sandbox.ErrUnavailable):
		o.SandboxReport.Missing = err.Error()
		return nil
	}
	return fmt.Errorf("%s: %w", s.Program(), err)
}

func (o *Opened) closeSandbox() {
	if o.Sandbox != nil {
		_ = o.Sandbox.Close() // the error of the start is the one to report
	}
}

// sealed ends the sandbox with the connection.
type sealed struct {
	*wire.Process
	sandbox *sandbox.Sandbox
}

func (s *sealed) Close() error { return errors.Join(s.Process.Close(), s.sandbox.Close()) }

func (s *sealed) Kill() error { return errors.Join(s.Process.Kill(), s.sandbox.Close()) }
