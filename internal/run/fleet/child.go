package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
)

// A Runner does jobs: scans of files in this process, everything else in a process of its own, since it starts or connects to
// something.
type Runner struct {
	// Program is what runs gauntlet with the arguments behind it, within MemoryFlag bytes: this program itself.
	Program []string
	Environ []string
	// Main runs gauntlet in this process, as Program would; nil has files scanned in processes as well.
	Main func(ctx context.Context, args []string, stderr io.Writer) (exit int)
}

// MemoryFlag is the flag of the program of a job that bounds its memory, in bytes.
const MemoryFlag = "--memory"

// An ending is how the process of a job ended.
type ending struct {
	exit   int    // -1 where a signal ended it
	report []byte // nil where it wrote none
	tail   string // the last of what it said
	cause  string // why it was ended, "" where it ended by itself
}

// grace is how long the process of a job gets to end its servers when its time is up.
const grace = 3 * time.Second

// run does one job, which writes its report into a directory. It is over within the time, whatever the target does.
func (r *Runner) run(ctx context.Context, job *Job, limits Limits, args []string, dir string) ending {
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, errTime)
	defer cancel()
	var e ending
	if r.Main != nil && job.Lane == Scan && job.Target.Kind == File {
		e = r.runHere(ctx, args)
	} else {
		e = r.runProcess(ctx, append([]string{fmt.Sprintf("%s=%d", MemoryFlag, limits.Memory), "--"}, args...))
	}
	if ctx.Err() != nil {
		e.cause = context.Cause(ctx).Error()
		return e
	}
	if text, err := userfile.ReadText(filepath.Join(dir, reportName), nil, maxReport); err == nil {
		e.report = []byte(text)
	} else if !errors.Is(err, userfile.ErrMissing) {
		e.cause = "its report: " + err.Error()
	}
	return e
}

func (r *Runner) runProcess(ctx context.Context, args []string) ending {
	said := &tail{}
	cmd := exec.CommandContext(ctx, r.Program[0], append(r.Program[1:len(r.Program):len(r.Program)], args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = r.Environ, said, said
	cmd.WaitDelay = grace
	endWithParent(cmd)
	err := runOnOneThread(cmd)
	e := ending{exit: cmd.ProcessState.ExitCode(), tail: said.text()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		e.cause = err.Error()
	}
	return e
}

// runHere leaves a scan that does not heed the end of its time to itself.
func (r *Runner) runHere(ctx context.Context, args []string) ending {
	over := make(chan ending, 1)
	go func() { // ends with the scan, which ctx ends
		said, e := &tail{}, ending{exit: -1}
		defer func() {
			if p := recover(); p != nil {
				e.cause = fmt.Sprintf("it crashed: %v", p)
			}
			e.tail = said.text()
			over <- e
		}()
		e.exit = r.Main(ctx, args, said)
	}()
	select {
	case e := <-over:
		return e
	case <-ctx.Done():
	}
	select {
	case e := <-over:
		return e
	case <-time.After(grace):
		return ending{exit: -1}
	}
}

var errTime = errors.New("its time was over")

// reportName is the file of a job's report, in a directory of its own.
const reportName = "report.json"

// tail keeps the last of what a process says, up to the line that says why it crashed: the trace behind it tells no user anything.
type tail struct {
	b    []byte
	over bool
}

const tailBytes = 4 << 10

var crash = lazyregexp.New(`(?m)^(?:fatal error|panic|SIG[A-Z]+): .*\n`)

func (t *tail) Write(p []byte) (int, error) {
	if t.over {
		return len(p), nil
	}
	line := bytes.LastIndexByte(t.b, '\n') + 1 // the one that p may end
	t.b = append(t.b, p...)
	if bytes.IndexByte(p, '\n') >= 0 {
		if at := crash.FindStringIndex(string(t.b[line:])); at != nil {
			t.b, t.over = t.b[:line+at[1]], true
		}
	}
	if len(t.b) > 2*tailBytes { // now and then, however short the writes are
		t.b = bytes.Clone(t.b[len(t.b)-tailBytes:])
	}
	return len(p), nil
}

// text is safe to show: targets have a say in it.
func (t *tail) text() string {
	lines := bytes.ReplaceAll(bytes.TrimSpace(t.b[max(0, len(t.b)-tailBytes):]), []byte("\n"), []byte("; "))
	return report.Visible(string(bytes.ToValidUTF8(lines, []byte("?"))))
}
