package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/redact"
)

// A Command is a server to start. No shell is involved.
type Command struct {
	// Args is the program and its arguments. A program without a path separator is looked up on our PATH; a relative path is
	// relative to Dir.
	Args []string
	Dir  string // working directory, "" for ours
	// Environ is the caller's environment, of which the server gets only what it needs (see [Inherited]). Env holds the variables
	// set for it, as NAME=VALUE, and wins.
	Environ, Env []string
	// SetBy says where a user sets a missing variable, for messages, e.g. "the env of its entry in mcp.json"; "" means the flag
	// --env.
	SetBy string
	// Secret holds values that messages hide in addition to those of Env, as NAME=VALUE.
	Secret []string
	Limits Limits
	// Grace is how long Close waits after closing stdin and again after SIGTERM; default DefaultGrace.
	Grace time.Duration
	// Tap, if not nil, is shown every message in both directions.
	Tap Tap
	// Wrap, if not nil, changes the command before it starts, as a sandbox does. started is called once with the error of the
	// start; if it fails, the process is ended.
	Wrap func(*exec.Cmd) (started func(error) error, err error)
	// Output receives everything that a [Program] writes to standard output; nil discards it.
	Output io.Writer
}

// DefaultGrace lets a server write a file or two without a long wait.
const DefaultGrace = time.Second

// markName is a variable that every server gets with a unique value, by which its leftover processes are recognised.
const markName = "GAUNTLET_SERVER"

// drain is how long output is still read after the process has ended: a grandchild may hold the pipe open for ever.
const drain = 500 * time.Millisecond

// A Process is a Conn to a server running as a child in its own process group.
type Process struct {
	cmd    *exec.Cmd
	stream *Stream
	stdout *processOutput
	stderr *outputTail
	secret *redact.Redactor
	mark   string // environment entry that identifies its processes
	grace  time.Duration
	given  []string      // environment it was started with, as NAME=VALUE
	setBy  string        // Command.SetBy
	exited chan struct{} // closed when the process has ended and its stderr is read

	closeOnce sync.Once
	closeErr  error
}

// Start starts the server. Its errors name the program but no argument or variable value, which may be secret. The caller must
// Close the Process.
func Start(c Command) (*Process, error) {
	env, err := environment(c.Environ, c.Env)
	if err != nil {
		return nil, err
	}
	cmd, err := c.findProgram()
	if err != nil {
		return nil, err
	}
	mark := markName + "=" + rand.Text()
	env = append(env, mark)
	p := &Process{cmd: cmd, stderr: new(outputTail), secret: redact.New(slices.Concat(c.Env, c.Secret, []string{mark})), mark: mark, grace: cmp.Or(c.Grace, DefaultGrace), given: env, setBy: c.SetBy, exited: make(chan struct{})}
	cmd.Env, cmd.Dir, cmd.Stderr, cmd.WaitDelay = env, c.Dir, p.stderr, drain
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Our own pipe, because Wait closes StdoutPipe's before everything is read.
	r, w, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	cmd.Stdout = w
	p.stdout = &processOutput{f: r}
	exited := make(chan struct{})
	err = c.startWrapped(cmd, exited)
	w.Close()
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("command %q: %w", c.Args[0], trimPathError(err))
	}
	p.stream = NewStream(p.stdout, stdin, c.Limits, c.Tap)
	go func() { // ends with the process
		<-exited
		close(p.exited)
		p.stdout.endOutput()
	}()
	return p, nil
}

func (c *Command) startWrapped(cmd *exec.Cmd, exited chan<- struct{}) error {
	if c.Wrap == nil {
		return startChild(cmd, exited)
	}
	started, err := c.Wrap(cmd)
	if err != nil {
		return err
	}
	gone := make(chan struct{})
	err = WhileReadable(func() error { return startChild(cmd, gone) })
	if err := started(err); err != nil {
		if cmd.Process != nil {
			killGroup(cmd.Process)
			<-gone
		}
		return err
	}
	go func() { // ends with the process
		<-gone
		close(exited)
	}()
	return nil
}

// findProgram looks up the program and explains a failure.
func (c *Command) findProgram() (*exec.Cmd, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, errors.New("no command was given")
	}
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil {
			return nil, fmt.Errorf("working directory %q: %w", c.Dir, trimPathError(err))
		} else if !info.IsDir() {
			return nil, fmt.Errorf("working directory %q is not a directory", c.Dir)
		}
	}
	name := c.Args[0]
	isPath := filepath.Base(name) != name
	if isPath && !filepath.IsAbs(name) && c.Dir != "" {
		dir, err := filepath.Abs(c.Dir)
		if err != nil {
			return nil, err
		}
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		cmd := exec.Command(path, c.Args[1:]...)
		cmd.Args[0] = c.Args[0]
		return cmd, nil
	case errors.Is(err, exec.ErrNotFound) && !isPath:
		return nil, errNotFound(c.Args[0])
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("command %q not found: there is no such file", c.Args[0])
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("command %q cannot be run: the file is not executable", c.Args[0])
	}
	return nil, fmt.Errorf("command %q: %w", c.Args[0], trimPathError(err))
}

// trimPathError removes the operation and the path, which the caller names better.
func trimPathError(err error) error {
	var path *fs.PathError
	var ex *exec.Error
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &ex):
		return ex.Err
	}
	return err
}

// Pid returns the process id, which is also its group id on systems with process groups.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Send queues a message; see [Conn].
func (p *Process) Send(ctx context.Context, msg []byte) error { return p.stream.Send(ctx, msg) }

// Unfinished returns the bytes received of an incomplete line; see [Stream.Unfinished].
func (p *Process) Unfinished() int64 { return p.stream.Unfinished() }

// Receive returns the next line of stdout as a message; see [Conn]. After the server has ended, the error is an [EndError].
func (p *Process) Receive(ctx context.Context) (Message, error) {
	m, err := p.stream.Receive(ctx)
	if !errors.Is(err, io.EOF) {
		return m, err
	}
	select {
	case <-p.exited:
		return m, &EndError{How: describeExit(p.cmd), Stderr: p.stderrSummary(), Missing: p.missingVariables(), SetBy: p.setBy}
	case <-time.After(drain + p.grace):
	case <-ctx.Done():
	}
	return m, &EndError{How: "closed its stdout", Stderr: p.stderrSummary()}
}

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// describeExit says how a process has ended.
func describeExit(cmd *exec.Cmd) string {
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return fmt.Sprintf("exited with status %d", code)
	}
	return "was ended by " + cmd.ProcessState.String()
}

// Close ends the server as MCP specifies: it closes stdin, sends SIGTERM after Grace, and SIGKILL after another Grace, each to the
// whole process group. It always kills the rest of the group, and on Linux also processes that left the group but kept the
// environment, as daemons do.
func (p *Process) Close() error {
	p.closeOnce.Do(func() { p.closeErr = p.endProcess(false) })
	return p.closeErr
}

// Kill ends the server and its group at once, for a caller that is out of time. Like Close it waits until nothing runs any more.
func (p *Process) Kill() error {
	p.closeOnce.Do(func() { p.closeErr = p.endProcess(true) })
	return p.closeErr
}

func (p *Process) endProcess(now bool) error {
	p.stream.finish()
	if !now && !closesWithin(p.exited, p.grace) {
		terminateGroup(p.cmd.Process)
		closesWithin(p.exited, p.grace)
	}
	// Even after the process has ended, its children may live. The kernel does not reuse a group's number while one of them does.
	killGroupAndLeft(p.cmd.Process, p.mark)
	gone := closesWithin(p.exited, p.grace+2*drain)
	p.stream.Close()
	if !gone {
		return fmt.Errorf("the server (process %d) could not be ended", p.Pid())
	}
	return nil
}

func closesWithin(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(d):
		return false
	}
}

// errNotFound is the error for a command that is not on PATH. A whole command line in place of a command is a common mistake; what
// follows its first word may be secret and is not quoted.
func errNotFound(command string) error {
	if program, arguments, ok := strings.Cut(command, " "); ok && program != "" && arguments != "" {
		return fmt.Errorf("command %q not found: its name has spaces in it; give the program and its arguments as separate words", program+" …")
	}
	return fmt.Errorf("command %q not found: is it installed and on PATH?", command)
}

// IsClosed reports whether a channel on which nothing is sent is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

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
