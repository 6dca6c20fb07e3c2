package fleetcli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/fleet"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
)

func (a *app) newStatusCommand() *cobra.Command {
	var format string
	cmd := a.ownerCommand("status", "Say what a fleet is doing", func(ctx context.Context, o *fleet.Owner) error {
		s, err := o.Status(ctx)
		if err != nil {
			return err
		}
		return s.Write(a.host.Stdout, format)
	})
	formatFlag(cmd, &format, []string{"text", "json"})
	return cmd
}

func (a *app) newTellCommand(name, short string, state fleet.State) *cobra.Command {
	return a.ownerCommand(name, short, func(ctx context.Context, o *fleet.Owner) error { return o.Tell(ctx, state) })
}

func (a *app) newReportCommand() *cobra.Command {
	var r reportFlags
	cmd := a.ownerCommand("report", "Write the report over all jobs of a plan", func(ctx context.Context, o *fleet.Owner) error { return a.writeReport(ctx, o, &r) })
	r.add(cmd)
	return cmd
}

// reportFlags say where the report goes.
type reportFlags struct{ format, output, directory string }

func (r *reportFlags) add(cmd *cobra.Command) {
	formatFlag(cmd, &r.format, report.FleetFormats().Names())
	cmd.Flags().StringVarP(&r.output, "output", "o", "-", "write the result here: the report to this `FILE`, - for standard output")
	cmd.Flags().StringVar(&r.directory, "directory", "", "write reports of each target to this `DIR` as well: pages, SARIF, JSON (default none)")
}

// writeReport writes the reports of a fleet and sets the exit code.
func (a *app) writeReport(ctx context.Context, owner *fleet.Owner, to *reportFlags) error {
	f, err := report.FleetFormats().Lookup(to.format)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	r, err := owner.Report(ctx, to.directory, a.say)
	if err != nil {
		return err
	}
	a.code = r.ExitCode()
	return userfile.Write(to.output, a.host.Stdout, func(w io.Writer) error {
		if to.format == "pretty" {
			w = report.LogWriter(w)
		}
		return f.Write(w, r, report.Options{})
	})
}
