package liveview

import (
	"context"
	"net"
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
	view      *Server          // nil for none
	stop      context.CancelFunc
	ended     chan struct{} // closed when the view is
	temporary string        // the folder of File, if the user named none
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
	if err := r.show(); err != nil {
		r.Say("--view: %s", err)
	}
	return record
}

// show serves the file on this machine until End.
func (r *Recorder) show() (err error) {
	view, err := New([]string{r.File})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	r.view, r.stop, r.ended = view, stop, make(chan struct{})
	go func() { // ends with End
		defer close(r.ended)
		_ = view.Run(ctx, l) // a failing view does not fail the run
	}()
	r.Say("open %s", view.Address(l))
	return nil
}

// Close ends the record before the report replaces it.
func (r *Recorder) Close() { r.record.Close() }

// End tells viewers that the run is over, and why it has no report, if so; they get its last page before the view ends, at most
// three seconds later, or with ctx.
func (r *Recorder) End(ctx context.Context, err error) {
	why := "it had nothing to report"
	if err != nil {
		why = err.Error()
	}
	r.record.Fail(why)
	if r.view != nil {
		inTime, cancel := context.WithTimeout(ctx, lastLook)
		defer cancel()
		select {
		case <-r.view.tellLast():
		case <-inTime.Done():
		}
		r.stop()
		<-r.ended
	}
	if r.temporary != "" {
		_ = os.RemoveAll(r.temporary)
	}
}

// lastLook bounds how long a finished run waits for viewers to get its last page.
const lastLook = 3 * time.Second

// tellLast makes every viewer reload its page. The returned channel is closed when that is done.
func (s *Server) tellLast() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = make(chan struct{})
	if s.missing = len(s.viewers); s.missing == 0 {
		close(s.last)
		return s.last
	}
	for i := range s.Files {
		s.notify(i)
	}
	return s.last
}

// awaitsLast reports whether viewers still need their last page.
func (s *Server) awaitsLast() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing > 0
}

// notePage counts pages served after tellLast.
func (s *Server) notePage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing == 0 {
		return
	}
	if s.missing--; s.missing == 0 {
		close(s.last)
	}
}
