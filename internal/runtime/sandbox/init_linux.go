package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gauntlet/internal/leaf/sockettable"
)

// RunChild must be the first thing that the main function of a program which starts sandboxes
// calls, with its environment: the processes of a sandbox are that program again. Where ran is
// true, this was one of them, and main must end with code.
func RunChild(environ []string) (code int, ran bool) {
	switch valueOf(environ, stageVariable) {
	case stageProbe:
		return 0, true
	case stageInit:
		return runInit(), true
	case stageExec:
		return runExec(), true
	}
	programRunsChildren = true
	return 0, false
}

// programRunsChildren says that main calls RunChild. Without it our program would begin anew
// inside each sandbox.
var programRunsChildren bool

// firstProcess is process 1 of a sandbox.
type firstProcess struct {
	control *os.File
	notices *os.File
	stdio   []*os.File
	server  *exec.Cmd
	ended   chan int // the exit code of the server
}

// runInit is the first process: it answers requests until the socket or the server ends.
func runInit() int {
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(noticeFD)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = os.WriteFile("/proc/self/comm", []byte("init"), 0) // the name of our program would tell who watches
	p := &firstProcess{
		control: os.NewFile(controlFD, "control"), notices: os.NewFile(noticeFD, "notices"), ended: make(chan int, 1),
		stdio: []*os.File{os.NewFile(0, "stdin"), os.NewFile(1, "stdout"), os.NewFile(2, "stderr")},
	}
	gone := make(chan struct{})
	go func() { // ends with the process
		p.serve()
		close(gone)
	}()
	select {
	case code := <-p.ended:
		waitForSent()
		return code
	case <-gone:
		return 1
	}
}

// sentTime bounds how long the sandbox outlives a server that has ended while the kernel still sends what it left.
const sentTime = 5 * time.Second

// waitForSent waits for the kernel to send what programs that have ended wrote to connections of TCP: the network goes with this
// process, and what a thief sends last would never be seen.
func waitForSent() {
	for end := time.Now().Add(sentTime); time.Now().Before(end) && unsent(); {
		time.Sleep(5 * time.Millisecond)
	}
}

func unsent() bool {
	for _, name := range sockettable.Files {
		f, err := os.Open("/proc/self/" + name)
		if err != nil {
			continue // a kernel without IPv6
		}
		waits := sockettable.Unsent(io.LimitReader(f, maxTable))
		_ = f.Close()
		if waits {
			return true
		}
	}
	return false
}

// serve answers requests until the socket ends, which it does when the process that began the
// sandbox does.
func (p *firstProcess) serve() {
	for {
		var r request
		files, err := receiveMessage(p.control, &r)
		if err != nil {
			return
		}
		answer, fds, err := p.do(&r, files)
		if err != nil {
			answer.Error = err.Error()
			answer.Unavailable = errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
		}
		err = sendMessage(p.control, answer, fds)
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
		closeAll(files)
		if err != nil {
			return
		}
	}
}

func (p *firstProcess) do(r *request, files []*os.File) (reply, []int, error) {
	switch {
	case r.Setup != nil:
		return p.setUp(r.Setup, files)
	case r.Start != nil:
		return reply{}, nil, p.start(r.Start)
	case r.Write != nil:
		return reply{}, nil, placeFile("", r.Write)
	case r.Listen != "":
		return openedSocket(openSocket(r.Listen))
	case r.Connect != "":
		return openedSocket(connectSocket(r.Connect))
	case r.Memory:
		return reply{Memory: peakMemory()}, nil, nil
	case r.Last > 0:
		threads, full := countThreads(r.Last)
		return reply{Threads: threads, Full: full}, nil, nil
	case r.Tables:
		return openTables()
	}
	return reply{}, nil, errors.New("an empty request")
}

func openedSocket(fd int, err error) (reply, []int, error) {
	if err != nil {
		return reply{}, nil, err
	}
	return reply{}, []int{fd}, nil
}

// start starts the second stage, which becomes the server, and forgets the standard streams.
func (p *firstProcess) start(o *startOrder) error {
	orders, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer orders.Close()
	defer theirs.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args, cmd.Env = []string{"/sbin/init"}, []string{stageVariable + "=" + stageExec, "GOGC=off"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdio[0], p.stdio[1], p.stdio[2]
	cmd.ExtraFiles = []*os.File{theirs, p.notices}
	cmd.SysProcAttr = ambientRights()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the second stage: %w", err)
	}
	closeAll(p.stdio)
	_ = p.notices.Close()
	p.server = cmd
	go p.reap(cmd.Process.Pid) // ends with the server
	return sendMessage(orders, o, nil)
}

// ambientRights keeps the second stage from losing its capabilities before it can use them to
// lock itself in.
func ambientRights() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if neededRights[c] {
			a.AmbientCaps = append(a.AmbientCaps, c)
		}
	}
	return a
}

// reap waits for every process that loses its parent, until the server has ended.
func (p *firstProcess) reap(server int) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			p.ended <- 1
			return
		case pid == server:
			code := status.ExitStatus()
			if status.Signaled() {
				code = 128 + int(status.Signal())
			}
			p.ended <- code
			return
		}
	}
}

// setUp builds what the server sees and moves into it.
func (p *firstProcess) setUp(s *setup, mounts []*os.File) (reply, []int, error) {
	b := &rootBuilder{setup: s, mounts: mounts}
	if err := b.build(); err != nil {
		return reply{}, nil, fmt.Errorf("files: %w", err)
	}
	held := []Protection{
		{Name: "processes", Held: true, Detail: "own pid, ipc, uts and cgroup namespaces"},
		{Name: "files", Held: true, Detail: "own mount namespace; the system read-only, home and temporary folders private"},
	}
	wire, err := setUpNetwork()
	if err != nil {
		return reply{}, nil, fmt.Errorf("network: %w", err)
	}
	held = append(held, Protection{Name: "network", Held: true, Detail: "own network namespace; every packet ends in gauntlet, and is recorded"})
	if err := unix.Sethostname([]byte(s.HostName)); err != nil {
		return reply{}, nil, fmt.Errorf("host name: %w", err)
	}
	// Namespaces inside this one would give their makers back what they may not have here.
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	_ = os.WriteFile("/proc/sys/kernel/shmall", []byte("65536"), 0) // pages of shared memory, which count towards no limit of a process
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return reply{}, nil, err
	}
	return reply{Held: append(held, b.held...)}, []int{root, b.private, wire}, nil
}

// runExec is the second stage.
func runExec() int {
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(noticeFD)
	notices := os.NewFile(noticeFD, "notices")
	var o startOrder
	_, err := receiveMessage(os.NewFile(controlFD, "orders"), &o)
	if err == nil {
		err = becomeServer(&o, notices)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		_ = sendMessage(notices, reply{Error: err.Error()}, nil) // nobody is left to tell
	}
	return 127
}
