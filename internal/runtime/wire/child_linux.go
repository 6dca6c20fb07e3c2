package wire

import (
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownSession puts the child into a session of its own: it has no controlling terminal, so
// that /dev/tty cannot be opened and an interrupt from the terminal reaches only us, and it
// leads a process group that can be ended as a whole. If we end without being able to clean
// up, the kernel kills the child; what the child started is not covered by that.
func ownSession(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
}

// ProtectProcess keeps the processes that this one starts, and others of the same user, from
// reading its memory and environment, where secrets are, and makes orphans of servers its
// own children, so that they are found when the servers end. It is meant for programs: a
// library leaves such decisions to its caller. It does nothing but on Linux. A process with
// CAP_SYS_PTRACE, such as one of root, is not kept from anything.
func ProtectProcess() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	return setDumpable(0)
}

// WhileReadable undoes the first part of ProtectProcess while start runs. Without root, a
// process can write the id maps of a user namespace that a child of it begins only while
// its own files in /proc belong to it: the child has that from it until it runs a program.
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

// readable is held while the process can be read, so that the first to end does not hide it from
// another.
var readable sync.Mutex

func setDumpable(value int) error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, uintptr(value), 0, 0, 0)
}
