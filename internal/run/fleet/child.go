package fleet

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gauntlet/internal/run/userfile"
	"gauntlet/report"
)

// A Runner starts jobs as processes of their own.
type Runner struct {
	// Program is what runs gauntlet with the arguments behind it, within MemoryFlag bytes: this program itself.
	Program []string
	Environ []string
}

// An ending is how the process of a job ended.
type ending struct {
	exit   int    // -1 where a signal ended it
	report []byte // nil where it wrote none
	tail   string // the last of what it said
	cause  string // why it was ended, "" where it ended by itself
}

// grace is how long the process of a job gets to end its servers when its time is up.
const grace = 3 * time.Second

// run does one job: a process that writes its report to a file. It is over within the time, whatever the target does.
func (r *Runner) run(ctx context.Context, limit time.Duration, args []string, dir string) ending {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
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

var errTime = errors.New("its time was over")

// reportName is the file of a job's report, in a directory of its own.
const reportName = "report.json"

// tail keeps the last of what a process says.
type tail struct{ b bytes.Buffer }

const tailBytes = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > tailBytes {
		p = p[len(p)-tailBytes:]
	}
	if over := t.b.Len() + len(p) - tailBytes; over > 0 {
		t.b.Next(over)
	}
	t.b.Write(p)
	return n, nil
}

// text is safe to show: targets have a say in it.
func (t *tail) text() string {
	lines := bytes.ReplaceAll(bytes.TrimSpace(t.b.Bytes()), []byte("\n"), []byte("; "))
	return report.Visible(string(bytes.ToValidUTF8(lines, []byte("?"))))
}

// workDir makes the directory of one job.
func (w *Worker) workDir() (string, error) { return os.MkdirTemp(w.Temp, "job-") }
