//go:build unix

package attackoauth

import (
	"os/exec"
	"syscall"
)

// ownGroup has a program and what it starts end together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
