//go:build unix

package wire

import (
	"os"
	"syscall"
)

// terminateGroup asks a process and its children to end. The errors of kill are of no use: a group that has gone is what was wanted.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
