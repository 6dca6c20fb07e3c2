package cli

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/progress"
	"gauntlet/internal/run/runstate"
)

// progressFlag has a command say in a file what it is at, for gauntlet view, and leave its JSON report there.
func (a *app) progressFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.progressFile, "progress", "", "write what the run is at to this `FILE` as it goes on, and the JSON report in its place at the end, for gauntlet view (default none)")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) { a.command = cmd }
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
	return record
}

// endRecord tells those who watch a run that it is over without a report. After a report it does nothing.
func (a *app) endRecord(err error) {
	why := "it had nothing to report"
	if err != nil {
		why = err.Error()
	}
	a.record.Fail(why)
}
