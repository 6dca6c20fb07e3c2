//go:build unix && !linux

package wire

import (
	"os/exec"
	"syscall"
)

// ownSession puts the child into its own session: it has no controlling terminal, and its process group can be ended as a whole.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
