//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"runtime"
)

// platform is what a system needs to hold a sandbox.
type platform struct{}

func (s *Sandbox) prepare() error {
	return fmt.Errorf("%w: there is none for %s", ErrUnavailable, runtime.GOOS)
}

func (s *Sandbox) wrap(*exec.Cmd) (func(error) error, error) { return nil, ErrUnavailable }

func (s *Sandbox) report() Report { return Report{Missing: ErrUnavailable.Error()} }

func (s *Sandbox) readFile(string, int64, int) ([]byte, error) { return nil, ErrUnavailable }

func (s *Sandbox) writeFile(File) error { return ErrUnavailable }

func (s *Sandbox) takeOut(string, string) error { return ErrUnavailable }

func (s *Sandbox) dial(context.Context, string) (net.Conn, error) { return nil, ErrUnavailable }

func (s *Sandbox) listening() ([]netip.AddrPort, error) { return nil, ErrUnavailable }

func (s *Sandbox) peakMemory() (int64, error) { return 0, ErrUnavailable }

func (s *Sandbox) lookAtLimits() {}

func (s *Sandbox) certificate() []byte { return nil }

func (s *Sandbox) close() error { return nil }

// RunChild does nothing: see its documentation for Linux.
func RunChild([]string) (code int, ran bool) { return 0, false }
