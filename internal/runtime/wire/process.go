package wire

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/redact"
)

// A Command says which server to start and what it gets. No shell is involved.
type Command struct {
	// Args is the program and its arguments. A program without a path separator is looked
	// for on our PATH; a relative path counts from Dir.
	Args []string
	Dir  string // working directory, "" for ours
	// Environ is the caller's environment, of which the server gets what it needs (see
	// [Inherited]); Env is what was set for it, as NAME=VALUE, and wins.
	Environ, Env []string
	// SetBy tells, in a message about a server that misses a variable, where its user sets one, such
	// as "the env of its entry in mcp.json"; "" for the flag --env.
	SetBy string
	// Secret is what messages hide beside the values of Env, as NAME=VALUE.
	Secret []string
	Limits Limits
	// Grace is how long Close waits after closing stdin, and again after SIGTERM; default
	// DefaultGrace.
	Grace time.Duration
	// Tap, if not nil, is shown every message both ways.
	Tap Tap
	// Wrap, if not nil, changes the command before it is started, as a sandbox does. started is
	// called once with the error of the start; where it fails the process is ended.
	Wrap func(*exec.Cmd) (started func(error) error, err error)
	// Output, of a [Program], gets all that it writes to its standard output; nil for nobody.
	Output io.Writer
}

// DefaultGrace lets a server write a file or two, and lets nobody wait long.
const DefaultGrace = time.Second

// markName is a variable that every server gets, with a value of its own, so that what it
// leaves behind can be told from all other processes.
const markName = "GAUNTLET_SERVER"

// drain is how long output is still read after the process has gone and nothing comes:
// a grandchild may hold the pipe open for ever.
const drain = 500 * time.Millisecond

// A Process is a Conn to a server that runs as a child in a process group of its own.
type Process struct {
	cmd    *exec.Cmd
	stream *Stream
	stdout *processOutput
	stderr *outputTail
	secret *redact.Redactor
	mark   string // the entry of the environment by which its processes are known
	grace  time.Duration
	given  []string      // the environment that it was started with, as NAME=VALUE
	setBy  string        // Command.SetBy
	exited chan struct{} // closed when the process is gone and its stderr read

	closeOnce sync.Once
	closeErr  error
}

// Start starts the server. Its errors name the program but never an argument or the value
// of a variable, either of which may be a secret. The caller must Close the Process.
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
	p := &Process{cmd: cmd, stderr: new(outputTail), secret: redact.New(slices.Concat(c.Env, c.Secret, []string{mark})), mark: mark, grace: c.Grace, given: env, setBy: c.SetBy, exited: make(chan struct{})}
	if p.grace == 0 {
		p.grace = DefaultGrace
	}
	cmd.Env, cmd.Dir, cmd.Stderr, cmd.WaitDelay = env, c.Dir, p.stderr, drain
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of our own, because Wait closes the one of StdoutPipe before all is read.
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
	p.stream = NewTappedStream(p.stdout, stdin, c.Limits, c.Tap)
	go func() { // ends with the process
		<-exited
		close(p.exited)
		p.stdout.endOutput()
	}()
	return p, nil
}

// startWrapped starts the command as Wrap changes it.
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

// findProgram finds the program and explains it if that fails.
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

// trimPathError strips what the caller says better: the operation and the path.
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

// Pid returns the process id, which is also that of its group where groups exist.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Send queues a message; see [Conn].
func (p *Process) Send(ctx context.Context, msg []byte) error { return p.stream.Send(ctx, msg) }

// Unfinished is that of a [Stream].
func (p *Process) Unfinished() int64 { return p.stream.Unfinished() }

// Receive returns the next line of stdout as a message; see [Conn]. When the server has
// gone the error is an [EndError].
func (p *Process) Receive(ctx context.Context) (Message, error) {
	m, err := p.stream.Receive(ctx)
	if !errors.Is(err, io.EOF) {
		return m, err
	}
	timer := time.NewTimer(drain + p.grace)
	defer timer.Stop()
	select {
	case <-p.exited:
		return m, &EndError{How: p.describeExit(), Stderr: p.stderrSummary(), Missing: p.missingVariables(), SetBy: p.setBy}
	case <-timer.C:
	case <-ctx.Done():
	}
	return m, &EndError{How: "closed its stdout", Stderr: p.stderrSummary()}
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

func (p *Process) describeExit() string {
	if code := p.cmd.ProcessState.ExitCode(); code >= 0 {
		return fmt.Sprintf("exited with status %d", code)
	}
	return "was ended by " + p.cmd.ProcessState.String()
}

// Close ends the server as MCP asks: its stdin is closed; if it is still there after
// Grace it gets SIGTERM, and after another Grace SIGKILL, each with its whole process
// group. What is left of the group is killed in any case, and on Linux also what left the
// group and kept the environment, as daemons do.
func (p *Process) Close() error {
	p.closeOnce.Do(func() { p.closeErr = p.endProcess(false) })
	return p.closeErr
}

// Kill ends the server and its group at once, for a caller whose time is over. Like Close
// it waits until nothing runs any more.
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
	// Also when the process has gone: its children may live. The kernel gives the number
	// of a group to nobody else as long as one of them does.
	killGroupAndLeft(p.cmd.Process, p.mark)
	gone := closesWithin(p.exited, p.grace+2*drain)
	p.stream.Close()
	if !gone {
		return fmt.Errorf("the server (process %d) could not be ended", p.Pid())
	}
	return nil
}

// closesWithin waits for a channel to be closed, for at most d, and reports whether it is.
func closesWithin(c <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

// errNotFound is the error for a command that is not on PATH. A whole command line in place of a
// command is a common mistake; what follows its first word may be secret and is not quoted.
func errNotFound(command string) error {
	if program, arguments, ok := strings.Cut(command, " "); ok && program != "" && arguments != "" {
		return fmt.Errorf("command %q not found: its name has spaces in it; give the program and its arguments as separate words", program+" …")
	}
	return fmt.Errorf("command %q not found: is it installed and on PATH?", command)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
