package wire

import (
	"os/exec"
	"runtime"
	"sync"
)

// children lists the processes this package started and has not reaped. The lock is held while one starts, so that a reader of the
// process table knows them all.
var children = struct {
	sync.Mutex
	pids map[int]struct{}
}{pids: map[int]struct{}{}}

// startChild starts cmd in its own session and closes exited once it has ended and its output was read.
func startChild(cmd *exec.Cmd, exited chan<- struct{}) error {
	started := make(chan error)
	// Ends with the process, which Close or Wait kill if necessary.
	go func() {
		// The parent-death signal is tied to the thread that started the child, not to the process: the thread must outlive the
		// child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		ownSession(cmd)
		children.Lock()
		err := cmd.Start()
		if err == nil {
			children.pids[cmd.Process.Pid] = struct{}{}
		}
		children.Unlock()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // the result is in ProcessState, or is ErrWaitDelay
		children.Lock()
		delete(children.pids, cmd.Process.Pid)
		children.Unlock()
		close(exited)
	}()
	return <-started
}
