package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
)

const (
	tailBytes = 8 << 10 // of stderr kept for failure messages
	wordLines = 3       // lines of it in an EndError
	wordBytes = 400     // longest such line
)

// outputTail keeps the end of what is written to it. Write never fails or blocks, so it cannot hold up a verbose server.
type outputTail struct {
	mu    sync.Mutex
	buf   []byte
	total int64
}

func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(b))
	t.buf = append(t.buf, b[max(0, len(b)-tailBytes):]...)
	if len(t.buf) > 4*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
	}
	return len(b), nil
}

// lastLines returns the end of the text, starting with a whole line, and the number of bytes before it.
func (t *outputTail) lastLines() (text string, before int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf[max(0, len(t.buf)-tailBytes):]
	if t.total > int64(len(b)) {
		// A partial line could begin inside a character, or inside a secret, which then would not be recognised.
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	return string(b), t.total - int64(len(b))
}

// Stderr returns the last 8 KiB of the server's stderr, starting with a whole line if possible, and the number of bytes before it.
// Values of Command.Env are replaced by their names. Control characters are kept: [Printable] makes a line safe for a terminal.
func (p *Process) Stderr() (text string, before int64) {
	text, before = p.stderr.lastLines()
	return p.Redact(text), before
}

// Redact replaces values of Command.Env that have at least four bytes by their names, for server text in messages and reports. A
// snapshot keeps a server's definitions unchanged.
func (p *Process) Redact(s string) string { return p.secret.Replace(s) }

// stderrSummary returns the most telling lines of stderr on one line, safe for a terminal.
func (p *Process) stderrSummary() string {
	text, _ := p.Stderr()
	var words []string
	for _, line := range TellingLines(text, wordLines) {
		words = append(words, Printable(excerpt.Clip(line, wordBytes)))
	}
	return strings.Join(words, " | ")
}

// Classes of lines of a failing program: chatter that npm, node and Python print beside the cause, a sign of trouble, the cause
// itself.
var (
	chatter = lazyregexp.New(`(?i)^(npm (notice|warn)|(npm (error|ERR!) )?(a complete log|code E|\d+ *$|\d+ (note that|tarball, folder))|×|╰|│|note: |hint: |\[end of output|error: subprocess-exited|\[notice\]|at |node\.js v\d|traceback \(|file "|node:|throw |\^|\{$|\}$)`)
	trouble = lazyregexp.New(`(?i)error|err!|fatal|exception|panic|fail|usage:`)
	cause   = lazyregexp.New(`(?i)required|missing|not found|not set|is not in|cannot find|can't|no such|no module|invalid|unauthori[sz]ed|denied|refused|must |\b40[134]\b`)
)

// TellingLines returns at most n lines of a failed program's output, in their order. It prefers lines that name a cause to lines
// that report a failure, and these to the last of the others.
func TellingLines(text string, n int) (out []string) {
	type rated struct {
		line  string
		at    int
		score int
	}
	var lines []rated
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || seen[line] {
			continue
		}
		seen[line] = true
		r := rated{line, len(lines), 0}
		switch {
		case chatter.MatchString(line):
			r.score = -1
		case cause.MatchString(line):
			r.score = 2
			if trouble.MatchString(line) {
				r.score = 3
			}
		case trouble.MatchString(line):
			r.score = 1
		}
		lines = append(lines, r)
	}
	slices.SortStableFunc(lines, func(a, b rated) int {
		if a.score == 0 && b.score == 0 {
			return b.at - a.at // of lines that say nothing, the last
		}
		return b.score - a.score
	})
	if len(lines) > 0 && lines[0].score > 0 { // beside a cause, other lines are clutter
		lines = slices.DeleteFunc(lines, func(r rated) bool { return r.score <= 0 })
	}
	lines = lines[:min(len(lines), n)]
	slices.SortFunc(lines, func(a, b rated) int { return a.at - b.at })
	for _, r := range lines {
		out = append(out, r.line)
	}
	return out
}

// processOutput is a server's stdout. It ends when the last holder of the pipe closes it or, after the server has ended, when
// nothing arrives for drain.
type processOutput struct {
	f     *os.File
	ended atomic.Bool
}

func (o *processOutput) Read(b []byte) (int, error) {
	if o.ended.Load() {
		_ = o.f.SetReadDeadline(time.Now().Add(drain))
	}
	n, err := o.f.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// endOutput records that the server has ended and wakes a blocked Read.
func (o *processOutput) endOutput() {
	o.ended.Store(true)
	if o.f.SetReadDeadline(time.Now().Add(drain)) != nil {
		// Windows pipes have no deadlines; there, closing the file is the end.
		time.AfterFunc(drain, func() { o.f.Close() })
	}
}

func (o *processOutput) Close() error { return o.f.Close() }
