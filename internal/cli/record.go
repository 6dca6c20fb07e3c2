package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/progress"
	"gauntlet/internal/run/runstate"
)

// progressFlag has a command say in a file what it is at, for gauntlet view, and leave its JSON report there.
func (a *app) progressFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.progressFile, "progress", "", "write what the run is at to this `FILE` as it goes on, and the JSON report in its place at the end, for gauntlet view (default none)")
	cmd.Flags().BoolVar(&a.viewed, "view", false, "show what the run is at in a browser on this machine, at the address that it prints, until it ends (default off)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		a.command = cmd
		return a.prepareView()
	}
}

// startProgress starts a progress line if a person is there to see it. The caller must
// stop it.
func (a *app) startProgress() *progress.Line {
	var terminal io.Writer
	if !a.quiet && isTerminal(a.host.Stderr) {
		terminal = a.host.Stderr
	}
	a.progress = progress.Start(terminal, a.startRecord())
	return a.progress
}

// startRecord begins the record that --progress asks for. It returns nil where none is asked for or it
// cannot be written; then the report cannot be written either, and that is told by the exit code.
func (a *app) startRecord() *runstate.Record {
	if a.progressFile == "" || a.record != nil {
		return a.record
	}
	_, name, _ := strings.Cut(a.command.CommandPath(), " ")
	record, err := runstate.Create(a.progressFile, name, time.Now())
	if err != nil {
		a.say("--progress: %s", err)
		return nil
	}
	a.record = record
	a.startView()
	return record
}

// prepareView names the file that --view shows, where --progress names none.
func (a *app) prepareView() (err error) {
	if !a.viewed || a.progressFile != "" {
		return nil
	}
	a.progressFile, err = liveview.TemporaryFile(a.command.Name())
	a.temporary = a.progressFile
	return err
}

// startView shows the record in a browser if --view asks for it.
func (a *app) startView() {
	if !a.viewed {
		return
	}
	view, err := liveview.Show(a.progressFile)
	if err != nil {
		a.say("--view: %s", err)
		return
	}
	a.view = view
	a.say("open %s", view.Address())
}

// endView ends what startView began, after those who watch have seen the report.
func (a *app) endView(ctx context.Context) {
	a.view.End(ctx)
	if a.temporary != "" {
		_ = os.RemoveAll(filepath.Dir(a.temporary))
	}
}

// endRecord tells those who watch a run that it is over without a report. After a report it does nothing.
func (a *app) endRecord(err error) {
	why := "it had nothing to report"
	if err != nil {
		why = err.Error()
	}
	a.record.Fail(why)
}
