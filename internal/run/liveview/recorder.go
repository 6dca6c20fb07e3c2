package liveview

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/run/runstate"
)

// A Recorder keeps the record of one run of this process, and shows it in a browser.
type Recorder struct {
	File string                           // where the record and, in its place, the report go; "" for nowhere
	View bool                             // show it
	Say  func(format string, args ...any) // to the user: what failed, and where the view is

	command   string
	record    *runstate.Record // nil before it begins
	view      *Beside
	temporary string // File, where nobody named one
}

// Prepare says which command runs, and names a file for a view where nobody named one.
func (r *Recorder) Prepare(command string) (err error) {
	r.command = command
	if r.View && r.File == "" {
		r.File, err = TemporaryFile(command[strings.LastIndexByte(command, ' ')+1:])
		r.temporary = r.File
	}
	return err
}

// Start begins the record, once. It returns nil where none is asked for or it cannot be written; then the report cannot be
// written either, and that is told by the exit code.
func (r *Recorder) Start() *runstate.Record {
	if r.File == "" || r.record != nil {
		return r.record
	}
	record, err := runstate.Create(r.File, r.command, time.Now())
	if err != nil {
		r.Say("--progress: %s", err)
		return nil
	}
	r.record = record
	if !r.View {
		return record
	}
	view, err := Show(r.File)
	if err != nil {
		r.Say("--view: %s", err)
		return record
	}
	r.view = view
	r.Say("open %s", view.Address())
	return record
}

// Close ends the record before the report takes its place.
func (r *Recorder) Close() { r.record.Close() }

// End tells those who watch that the run is over, and why it has no report if it has none; those who view it get its last
// page before the view ends.
func (r *Recorder) End(ctx context.Context, err error) {
	why := "it had nothing to report"
	if err != nil {
		why = err.Error()
	}
	r.record.Fail(why)
	r.view.End(ctx)
	if r.temporary != "" {
		_ = os.RemoveAll(filepath.Dir(r.temporary))
	}
}
