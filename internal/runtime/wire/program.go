package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"gauntlet/internal/leaf/redact"
)

// A Program is a started process in its own process group that is not an MCP server: it gets no input, and the end of its output is
// kept.
type Program struct {
	cmd    *exec.Cmd
	stdout outputTail
	stderr outputTail
	secret *redact.Redactor
	mark   string
	grace  time.Duration
	exited chan struct{} // closed when the process has ended and its output is read
}

// An Exit is the outcome of a Program.
type Exit struct {
	Code   int    // its exit status, -1 if a signal ended it
	How    string // "exited with status 1", "was ended by signal: killed"
	Cut    bool   // it ran out of time and was ended
	Stdout string // the last 8 KiB of what it wrote, without the values of Command.Env and Secret
	Stderr string
	// StdoutBefore is the number of output bytes before Stdout.
	StdoutBefore int64
}

// Launch starts a program with all of c.Environ, since it is the user's own program. Its errors quote no argument. The caller must
// call Wait.
func Launch(c Command) (*Program, error) {
	cmd, err := c.findProgram()
	if err != nil {
		return nil, err
	}
	p := &Program{cmd: cmd, grace: cmp.Or(c.Grace, DefaultGrace), mark: markName + "=" + rand.Text(), exited: make(chan struct{})}
	p.secret = redact.New(slices.Concat(c.Env, c.Secret, []string{p.mark}))
	cmd.Env = slices.Concat(c.Environ, c.Env, []string{p.mark})
	if dir, err := filepath.Abs(c.Dir); err == nil && c.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+dir) // opencode works where PWD says, and not where it was started
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, &p.stdout, &p.stderr, p.grace
	if c.Output != nil {
		cmd.Stdout = io.MultiWriter(&p.stdout, c.Output)
	}
	if err := c.startWrapped(cmd, p.exited); err != nil {
		return nil, fmt.Errorf("command %q: %w", c.Args[0], trimPathError(err))
	}
	return p, nil
}

// Wait waits for the program to end, and then for Grace for what it left running: an agent may answer while a child of it still
// sends. When ctx ends, it ends the program: SIGTERM to its group, and SIGKILL after Grace. It always
// kills the rest of the group, and on Linux also processes that left the group but kept the environment. The error says that this
// failed.
func (p *Program) Wait(ctx context.Context) (Exit, error) {
	var e Exit
	select {
	case <-p.exited:
		for end := time.Now().Add(p.grace); groupLives(p.cmd.Process) && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
	case <-ctx.Done():
		e.Cut = true
		terminateGroup(p.cmd.Process)
		closesWithin(p.exited, p.grace)
	}
	killGroupAndLeft(p.cmd.Process, p.mark)
	if !closesWithin(p.exited, p.grace+2*drain) {
		return e, fmt.Errorf("the program (process %d) could not be ended", p.cmd.Process.Pid)
	}
	e.Code, e.How = p.cmd.ProcessState.ExitCode(), describeExit(p.cmd)
	stdout, before := p.stdout.lastLines()
	stderr, _ := p.stderr.lastLines()
	e.StdoutBefore = before
	e.Stdout, e.Stderr = p.secret.Replace(stdout), p.secret.Replace(stderr)
	return e, nil
}
