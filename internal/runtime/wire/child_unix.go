//go:build unix && !linux

package wire

import (
	"os/exec"
	"syscall"
)

// ownSession puts the child into a session of its own: it has no controlling terminal, and
// leads a process group that can be ended as a whole.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
