// Package runstate is the state of a running command: one JSON value per line, written by the command and read by viewers. At the
// end the JSON report replaces it in the same file.
package runstate

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"gauntlet/internal/run/userfile"
)

// Version is the record's version, in its first line.
const Version = "1.0"

// maxLines bounds a record's lines before it is rewritten: nobody reads the first steps of a scan of a hundred thousand servers.
const maxLines = 5_000

// A line is one line of a record. The first has Version, Command and Began, the others what changed.
type line struct {
	Version string    `json:"gauntlet_run,omitempty"`
	Command string    `json:"command,omitempty"`
	Began   time.Time `json:"began,omitzero"`
	LeftOut int       `json:"left_out,omitempty"` // steps before this line that were dropped

	At      float64 `json:"at,omitempty"` // seconds since Began
	Step    string  `json:"step,omitempty"`
	Through int     `json:"through,omitempty"`
	All     int     `json:"all,omitempty"`
	What    string  `json:"what,omitempty"` // what Through counts
	Ended   string  `json:"ended,omitempty"`

	Result *Result `json:"result,omitempty"` // an intermediate result
	More   int     `json:"more,omitempty"`   // unlisted results, of all so far
}

// A Record is a record being written. Its methods are safe for concurrent use, and do nothing on nil. Write errors are ignored: a
// run does not fail because it cannot be watched.
type Record struct {
	name  string
	head  line
	mu    sync.Mutex
	out   *os.File // nil after the end
	lines int
	left  int

	results []Result // listed again when the record is rewritten
	more    int
}

// Create begins a record in a file readable only by its user, replacing its contents.
func Create(name, command string, began time.Time) (*Record, error) {
	r := &Record{name: name, head: line{Version: Version, Command: command, Began: began.UTC()}}
	return r, r.begin()
}

// begin writes the head to a new file and renames it, so that a reader sees either the old file or this one.
func (r *Record) begin() error {
	if r.out != nil {
		_ = r.out.Close() // another file takes its name
		r.out = nil
	}
	err := userfile.WritePrivate(r.name, io.Discard, r.writeBeginning)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(r.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	r.out, r.lines = out, 1+len(r.results)
	return nil
}

// writeBeginning writes the head and the results so far.
func (r *Record) writeBeginning(w io.Writer) error {
	to := json.NewEncoder(w)
	if err := to.Encode(r.head); err != nil {
		return err
	}
	at := r.now()
	for i := range r.results {
		if err := to.Encode(line{At: at, Result: &r.results[i]}); err != nil {
			return err
		}
	}
	return nil
}

func (r *Record) now() float64 { return time.Since(r.head.Began).Seconds() }

// Step records what the run does now.
func (r *Record) Step(text string) { r.add(line{Step: text}) }

// Count records how many of all are finished, and what is counted.
func (r *Record) Count(through, all int, what string) {
	r.add(line{Through: through, All: all, What: what})
}

// Result records an intermediate result, replacing an earlier one with the same ID.
func (r *Record) Result(result Result) {
	if r == nil {
		return
	}
	result.clip()
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.results, result) {
		return
	}
	if len(r.results) >= maxResults {
		r.more++
		r.write(line{More: r.more})
		return
	}
	r.results = append(r.results, result)
	r.write(line{Result: &result})
}

// Fail ends the record of a run without a report, with the reason.
func (r *Record) Fail(why string) {
	r.add(line{Ended: why})
	r.Close()
}

// Close ends the record. The report, if there is one, replaces the file.
func (r *Record) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		_ = r.out.Close()
		r.out = nil
	}
}

func (r *Record) add(l line) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(l)
}

// write appends a line; the caller holds the lock.
func (r *Record) write(l line) {
	if r.out == nil {
		return
	}
	if r.lines >= maxLines {
		r.left += r.lines - 1 - len(r.results)
		r.head.LeftOut = r.left
		if r.begin() != nil {
			return
		}
	}
	l.At = r.now()
	text, err := json.Marshal(l)
	if err != nil {
		return
	}
	_, _ = r.out.Write(append(text, '\n')) // in one call, so that readers see whole lines
	r.lines++
}
