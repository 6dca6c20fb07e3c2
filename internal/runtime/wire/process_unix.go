//go:build unix

package wire

import (
	"os"
	"syscall"
)

// terminateGroup asks a process and its children to end. Errors of kill are ignored: a group that no longer exists is the desired
// result.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// groupLives reports whether anything of a process that has ended still runs in its group.
func groupLives(p *os.Process) bool { return syscall.Kill(-p.Pid, 0) == nil }
