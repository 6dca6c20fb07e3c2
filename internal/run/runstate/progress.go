package runstate

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"gauntlet/finding"
	"gauntlet/report"
)

const (
	patience = 500 * time.Millisecond // shorter work shows no progress line
	refresh  = 100 * time.Millisecond
)

// clearLine returns to the start of the terminal's line and clears it.
const clearLine = "\r\x1b[K"

// A Progress shows the current work on a terminal line, and keeps it in the record of the run. The zero value does neither.
type Progress struct {
	// Log, if not nil, takes what Tell is given when there is no terminal.
	Log func(format string, args ...any)

	w    io.Writer // nil if not shown
	quit chan struct{}
	done sync.WaitGroup

	mu           sync.Mutex // also held around every write
	text         string
	shown        bool
	through, all int // servers asked concurrently, or what CountOf says
	what         string
	record       *Record // nil if no file is kept
}

// StartProgress shows the work on terminal, nil if not shown, and keeps it in record, which may be nil. The caller must stop it.
func StartProgress(terminal io.Writer, record *Record) *Progress {
	p := &Progress{w: terminal, quit: make(chan struct{}), record: record}
	if terminal != nil {
		p.done.Go(p.drawUntilStopped) // ends with Stop, which waits for it
	}
	return p
}

// Step sets the text; it may be called at any rate.
func (p *Progress) Step(format string, args ...any) {
	text := report.Visible(fmt.Sprintf(format, args...))
	p.record.Step(text)
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
}

// Tell is Step for what a person should know before the end: without a terminal it goes to the log, since no line is seen there.
func (p *Progress) Tell(format string, args ...any) {
	p.Step(format, args...)
	if p.Log != nil {
		p.Log(format, args...)
	}
}

// Doing returns the text of the last step, "" before the first. It may be called on nil.
func (p *Progress) Doing() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// Count adds to the finished servers and to their total. If there are several, the line shows the count until ResetCount.
func (p *Progress) Count(through, more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through += through
	p.all += more
	p.record.Count(p.through, p.all, cmp.Or(p.what, "servers"))
}

// Watcher returns a function that receives redacted findings before the report; nil if nobody watches.
func (p *Progress) Watcher() func([]finding.Finding) {
	if p.record == nil {
		return nil
	}
	return p.tellFindings
}

func (p *Progress) tellFindings(found []finding.Finding) {
	for i := range found {
		p.record.Result(OfFinding(&found[i]))
	}
}

// Result adds an intermediate result to the record.
func (p *Progress) Result(r Result) { p.record.Result(r) }

// CountOf sets what is counted, if not servers.
func (p *Progress) CountOf(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// ResetCount ends the count.
func (p *Progress) ResetCount() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.through, p.all = 0, 0
}

// Stop removes the line. Stopping twice is harmless, and so is stopping nil.
func (p *Progress) Stop() {
	if p == nil || p.w == nil {
		return
	}
	close(p.quit)
	p.done.Wait()
	p.Hide()
	p.w = nil
}

// Hide removes the line temporarily, so that something else can be printed.
func (p *Progress) Hide() {
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

func (p *Progress) drawLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	const width = 76 // a wrapped line could not be cleared
	text := []rune(p.text)
	if p.all > 1 {
		text = []rune(fmt.Sprintf("%d of %d %s are through; %s", p.through, p.all, cmp.Or(p.what, "servers"), p.text))
	}
	fmt.Fprint(p.w, clearLine, string(text[:min(len(text), width)]), "…")
	p.shown = true
}

func (p *Progress) drawUntilStopped() {
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
