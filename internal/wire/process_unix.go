//go:build unix

package wire

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the server into a process group of its own, so that its children can be
// ended with it, and so that an interrupt from the terminal reaches only us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// The errors of kill are of no use: a group that has gone is what was wanted.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
