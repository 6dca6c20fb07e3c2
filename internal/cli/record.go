package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/progress"
)

// progressFlag makes a command record its progress in a file, for gauntlet view, and leave its JSON report there.
func (a *app) progressFlag(cmd *cobra.Command) {
	r := &a.recorder
	cmd.Flags().StringVar(&r.File, "progress", "", "write what the run is at to this `FILE` as it goes on, and the JSON report in its place at the end, for gauntlet view (default none)")
	cmd.Flags().BoolVar(&r.View, "view", false, "show what the run is at in a browser on this machine, at the address that it prints, until it ends (default off)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		r.Say = a.say
		return r.Prepare(name)
	}
}

// startProgress starts a progress line if a person can see it. The caller must stop it.
func (a *app) startProgress() *progress.Line {
	var terminal io.Writer
	if !a.quiet && isTerminal(a.host.Stderr) {
		terminal = a.host.Stderr
	}
	a.progress = progress.Start(terminal, a.recorder.Start())
	return a.progress
}
