//go:build unix

package attackoauth

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a program and its children end together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
