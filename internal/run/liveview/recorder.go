package liveview

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/run/runstate"
)

// A Recorder keeps the record of a run in this process, and shows it in a browser.
type Recorder struct {
	File string                           // file for the record and then the report; "" for none
	View bool                             // show it
	Say  func(format string, args ...any) // tells the user what failed, and where the view is

	command   string
	record    *runstate.Record // nil before Start
	view      *Beside
	temporary string // the folder of File, if the user named none
}

// Prepare sets the command, and names a file for a view if the user named none, in a folder readable only by its user.
func (r *Recorder) Prepare(command string) (err error) {
	r.command = command
	if r.View && r.File == "" {
		if r.temporary, err = os.MkdirTemp("", "gauntlet-view-"); err == nil {
			r.File = filepath.Join(r.temporary, command[strings.LastIndexByte(command, ' ')+1:]+".json")
		}
	}
	return err
}

// Start begins the record, once. It returns nil if none is requested or it cannot be written; then the report cannot be written
// either, which the exit code tells.
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

// Close ends the record before the report replaces it.
func (r *Recorder) Close() { r.record.Close() }

// End tells viewers that the run is over, and why it has no report, if so; they get its last page before the view ends.
func (r *Recorder) End(ctx context.Context, err error) {
	why := "it had nothing to report"
	if err != nil {
		why = err.Error()
	}
	r.record.Fail(why)
	r.view.End(ctx)
	if r.temporary != "" {
		_ = os.RemoveAll(r.temporary)
	}
}
