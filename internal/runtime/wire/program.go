package wire

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"gauntlet/internal/leaf/redact"
)

// A Program is a process that was started and that nobody speaks to over its standard
// streams, in a process group of its own: it reads nothing, and of what it writes the end
// is kept.
type Program struct {
	cmd    *exec.Cmd
	stdout outputTail
	stderr outputTail
	secret *redact.Redactor
	mark   string
	grace  time.Duration
	exited chan struct{} // closed when the process is gone and its output read
}

// An Exit is what became of a Program.
type Exit struct {
	Code   int    // its exit status, -1 if a signal ended it
	How    string // "exited with status 1", "was ended by signal: killed"
	Cut    bool   // it was still running when its time was over, and was ended
	Stdout string // the last 8 KiB of what it wrote, without the values of Command.Env and Secret
	Stderr string
	// StdoutBefore is how many bytes it wrote to its output before Stdout.
	StdoutBefore int64
}

// Launch starts a program. Of c.Environ it gets everything, since it is the user's own and
// not a stranger's; its errors quote no argument. The caller must call Wait.
func Launch(c Command) (*Program, error) {
	cmd, err := c.findProgram()
	if err != nil {
		return nil, err
	}
	p := &Program{cmd: cmd, grace: c.Grace, mark: markName + "=" + rand.Text(), exited: make(chan struct{})}
	if p.grace == 0 {
		p.grace = DefaultGrace
	}
	p.secret = redact.New(slices.Concat(c.Env, c.Secret, []string{p.mark}))
	cmd.Env = slices.Concat(c.Environ, c.Env, []string{p.mark})
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Dir, &p.stdout, &p.stderr, drain
	if c.Output != nil {
		cmd.Stdout = io.MultiWriter(&p.stdout, c.Output)
	}
	if err := c.startWrapped(cmd, p.exited); err != nil {
		return nil, fmt.Errorf("command %q: %w", c.Args[0], trimPathError(err))
	}
	return p, nil
}

// Wait waits for the end of the program, or of ctx, which ends the program: SIGTERM to its
// group, and SIGKILL after Grace. What is left of the group is killed in any case, and on
// Linux what left the group and kept the environment. The error is that it could not be.
func (p *Program) Wait(ctx context.Context) (Exit, error) {
	var e Exit
	select {
	case <-p.exited:
	case <-ctx.Done():
		e.Cut = true
		terminateGroup(p.cmd.Process)
		closesWithin(p.exited, p.grace)
	}
	killGroupAndLeft(p.cmd.Process, p.mark)
	if !closesWithin(p.exited, p.grace+2*drain) {
		return e, fmt.Errorf("the program (process %d) could not be ended", p.cmd.Process.Pid)
	}
	e.Code = p.cmd.ProcessState.ExitCode()
	e.How = "was ended by " + p.cmd.ProcessState.String()
	if e.Code >= 0 {
		e.How = fmt.Sprintf("exited with status %d", e.Code)
	}
	stdout, before := p.stdout.lastLines()
	stderr, _ := p.stderr.lastLines()
	e.StdoutBefore = before
	e.Stdout, e.Stderr = p.secret.Replace(stdout), p.secret.Replace(stderr)
	return e, nil
}
