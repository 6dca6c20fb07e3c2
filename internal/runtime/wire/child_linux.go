package wire

import (
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession puts the child into its own session: without a controlling terminal it cannot open /dev/tty, an interrupt from the
// terminal reaches only us, and its process group can be ended as a whole. If we die without cleaning up, the kernel kills the
// child, but not what the child started.
func ownSession(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
}

// ProtectProcess keeps child processes and others of the same user from reading this process's memory and environment, which hold
// secrets. It also makes orphans of servers our children, so that they are found when the servers end. It is for programs: a
// library leaves such decisions to its caller. It has an effect on Linux only, and none against processes with CAP_SYS_PTRACE, such
// as root's.
func ProtectProcess() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	return setDumpable(0)
}

// WhileReadable lifts ProtectProcess's read protection while start runs. Without root, a process can write the id maps of a child's
// user namespace only while its own files in /proc belong to it; the child inherits that state until it executes a program.
func WhileReadable(start func() error) error {
	readable.Lock()
	defer readable.Unlock()
	old, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil || old != 0 {
		return start()
	}
	if err := setDumpable(1); err != nil {
		return err
	}
	defer setDumpable(old) //nolint:errcheck // it was this before
	return start()
}

// readable is held during WhileReadable, so that the first of two callers to finish does not hide the process from the other.
var readable sync.Mutex

func setDumpable(value int) error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(value), 0, 0, 0)
}
