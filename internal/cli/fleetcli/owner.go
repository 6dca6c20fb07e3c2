package fleetcli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/fleet"
	"gauntlet/report"
)

func (a *app) newStatusCommand() *cobra.Command {
	var n natsFlags
	format := "text"
	cmd := &cobra.Command{
		Use: "status [flags] PLAN.yaml", Short: "Say what a fleet is doing", Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwner(cmd.Context(), &n, args[0], func(o *fleet.Owner) error {
				s, err := o.Status(cmd.Context())
				if err != nil {
					return err
				}
				return a.write("-", func(w io.Writer) error { return s.Write(w, format) })
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "how to write the result: text, json")
	completeFormats(cmd, []string{"text", "json"})
	n.add(cmd, "the server of the plan on this machine")
	return cmd
}

func (a *app) newReportCommand() *cobra.Command {
	var n natsFlags
	var format, output, directory string
	cmd := &cobra.Command{
		Use: "report [flags] PLAN.yaml", Short: "Write the report over all jobs of a plan", Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwner(cmd.Context(), &n, args[0], func(o *fleet.Owner) error { return a.writeReport(cmd.Context(), o, format, output, directory) })
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&format, "format", "pretty", "how to write the result: "+strings.Join(report.FleetNames(), ", "))
	completeFormats(cmd, report.FleetNames())
	f.StringVarP(&output, "output", "o", "-", "write the result here: the report to this `FILE`, - for standard output")
	f.StringVar(&directory, "directory", "", "write reports of each target to this `DIR` as well: pages, SARIF, JSON (default none)")
	n.add(cmd, "the server of the plan on this machine")
	return cmd
}

// writeReport writes the reports of a fleet and sets the exit code.
func (a *app) writeReport(ctx context.Context, owner *fleet.Owner, format, output, directory string) error {
	f, err := report.LookupFleet(format)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	r, err := owner.Report(ctx)
	if err != nil {
		return err
	}
	if directory != "" {
		if err := owner.WriteDirectory(ctx, directory, r, a.say); err != nil {
			return err
		}
	}
	a.code = r.ExitCode()
	return a.write(output, func(w io.Writer) error {
		if format == "pretty" {
			w = report.LogWriter(w)
		}
		return f.Write(w, r, report.Options{})
	})
}

func (a *app) newWatchCommand() *cobra.Command {
	var n natsFlags
	cmd := &cobra.Command{
		Use: "watch [flags] PLAN.yaml", Short: "Show each job as it ends", Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwner(cmd.Context(), &n, args[0], func(o *fleet.Owner) error {
				return o.Watch(cmd.Context(), func(e *fleet.Entry) {
					_, _ = fmt.Fprintln(a.host.Stdout, report.Visible(fleet.EndedLine(e))) // whoever watches is gone
				})
			})
		},
	}
	n.add(cmd, "the server of the plan on this machine")
	return cmd
}

func (a *app) newCancelCommand() *cobra.Command {
	var n natsFlags
	cmd := &cobra.Command{
		Use: "cancel [flags] PLAN.yaml", Short: "Stop a fleet and empty its queue", Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwner(cmd.Context(), &n, args[0], func(o *fleet.Owner) error { return o.Cancel(cmd.Context()) })
		},
	}
	n.add(cmd, "the server of the plan on this machine")
	return cmd
}

func (a *app) newDrainCommand() *cobra.Command {
	var n natsFlags
	cmd := &cobra.Command{
		Use: "drain [flags] PLAN.yaml", Short: "Let workers finish their jobs and start no new ones", Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOwner(cmd.Context(), &n, args[0], func(o *fleet.Owner) error { return o.Drain(cmd.Context()) })
		},
	}
	n.add(cmd, "the server of the plan on this machine")
	return cmd
}
