package fleet

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithParent asks the process of a job to end well when its time is up, and has the kernel kill it if the worker is
// killed: its job goes to another worker then.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
}

// runOnOneThread runs the command while the thread that started it lives, at whose end the kernel would kill it.
func runOnOneThread(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return cmd.Run()
}
