package wire

import (
	"os/exec"
	"runtime"
	"sync"
)

// children are the processes that this package started and that are not reaped yet. Its lock
// is held while one starts, so that whoever looks at the process table knows all of them.
var children = struct {
	sync.Mutex
	pids map[int]struct{}
}{pids: map[int]struct{}{}}

// startChild starts cmd in a session of its own and closes exited when it is gone and its
// output was read.
func startChild(cmd *exec.Cmd, exited chan<- struct{}) error {
	started := make(chan error)
	// Ends with the process, which Close or Wait kill if need be.
	go func() {
		// The parent-death signal follows the thread that started the child and not the
		// process: the thread must live as long as the child.
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
		_ = cmd.Wait() // what it says is in ProcessState, or is ErrWaitDelay
		children.Lock()
		delete(children.pids, cmd.Process.Pid)
		children.Unlock()
		close(exited)
	}()
	return <-started
}
