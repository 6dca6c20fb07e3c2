package cli

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"gauntlet/internal/run/runstate"
	"gauntlet/report"
)

const (
	patience = 500 * time.Millisecond // what is done by then needs no progress line
	refresh  = 100 * time.Millisecond
)

// clearLine goes back to the start of the terminal's line and empties it.
const clearLine = "\r\x1b[K"

// progress is one line on the terminal that says what slow work is at. The zero value
// and nil say nothing.
type progress struct {
	w    io.Writer // nil where nobody looks
	quit chan struct{}
	done sync.WaitGroup

	mu           sync.Mutex // also around every write
	text         string
	shown        bool
	through, all int // of the servers asked side by side, or of what countOf says
	what         string
	record       *runstate.Record // nil where no file is kept
}

// startProgress starts a progress line if a person is there to see it. The caller must
// stop it.
func (a *app) startProgress() *progress {
	p := &progress{quit: make(chan struct{}), record: a.startRecord()}
	if !a.quiet && isTerminal(a.host.Stderr) {
		p.w = a.host.Stderr
		p.done.Go(p.drawUntilStopped) // ends with stop, which waits for it
	}
	a.progress = p
	return p
}

// Step sets the text; it may be called as often as one likes.
func (p *progress) Step(format string, args ...any) {
	if p.w == nil && p.record == nil {
		return
	}
	text := report.Visible(fmt.Sprintf(format, args...))
	p.record.Step(text)
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
}

// Count adds to the servers that are through, and to those there are. With more than one
// the line says how far we are, until ResetCount.
func (p *progress) Count(through, more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through += through
	p.all += more
	p.record.Count(p.through, p.all, cmp.Or(p.what, "servers"))
}

// countOf says what is counted, if it is not servers.
func (p *progress) countOf(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

func (p *progress) ResetCount() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through, p.all = 0, 0
}

// stopShowing removes the line for good. Stopping twice is harmless.
func (p *progress) stopShowing() {
	if p.w == nil {
		return
	}
	close(p.quit)
	p.done.Wait()
	p.hideLine()
	p.w = nil
}

// hideLine removes the line for the moment, so that something else can be printed.
func (p *progress) hideLine() {
	if p == nil || p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
}

func (p *progress) drawLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	const width = 76 // a line that wraps could not be cleared
	text := []rune(p.text)
	if p.all > 1 {
		text = []rune(fmt.Sprintf("%d of %d %s are through; %s", p.through, p.all, cmp.Or(p.what, "servers"), p.text))
	}
	fmt.Fprint(p.w, clearLine, string(text[:min(len(text), width)]), "…")
	p.shown = true
}

func (p *progress) drawUntilStopped() {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-timer.C:
			p.drawLine()
			timer.Reset(refresh)
		}
	}
}
