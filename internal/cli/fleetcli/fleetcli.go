// Package fleetcli is the command line of gauntlet-fleet. It is a program of its own since NATS would make gauntlet a third
// bigger (docs/fleet.md has the figures).
package fleetcli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/cli/helppage"
	"gauntlet/internal/run/buildinfo"
	"gauntlet/internal/run/fleet"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

// A Host is what a run is given of the outside world.
type Host struct {
	Stdout, Stderr io.Writer
	Environ        []string
	Program        string // this program's file, which jobs are started from
	// Gauntlet runs gauntlet in this process.
	Gauntlet func(ctx context.Context, args []string, stderr io.Writer) (exit int)
}

// Main runs gauntlet-fleet with the arguments behind the program's name and returns its exit code, one of those in package
// result.
func Main(ctx context.Context, args []string, host Host) int {
	a := &app{host: host}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(host.Stdout)
	root.SetErr(host.Stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		a.say("%s", err)
		return result.ExitTrouble
	}
	return a.code
}

// helpTexts are the examples and details that --help prints, a file for each command.
//
//go:embed help/*.txt
var helpTexts embed.FS

// Command is gauntlet-fleet with all of its commands, for what describes them; Main runs them.
func Command() *cobra.Command { return (&app{}).rootCommand() }

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "gauntlet-fleet",
		Short:         "Test thousands of MCP servers, agents and models",
		SilenceErrors: true, SilenceUsage: true, Version: version(),
	}
	root.AddCommand(a.newRunCommand(), a.newWorkerCommand(), a.newStatusCommand(), a.newReportCommand(),
		a.newTellCommand("cancel", "Stop a fleet and empty its queue", fleet.Canceled), a.newTellCommand("drain", "Let workers finish their jobs and start no new ones", fleet.Draining))
	helppage.SetTexts(root, helpTexts)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { helppage.Write(c.OutOrStdout(), c, helppage.Width) })
	return root
}

func (a *app) runner() fleet.Runner {
	return fleet.Runner{Program: []string{a.host.Program, JobCommand}, Environ: a.host.Environ, Main: a.host.Gauntlet}
}

// app is one run.
type app struct {
	host Host
	code int
}

// say prints a message. What strangers contributed to it cannot steer the terminal.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintln(a.host.Stderr, report.Visible("gauntlet-fleet: "+fmt.Sprintf(format, args...))) // nobody else to tell
}

func (a *app) lookup(name string) (string, bool) {
	for i := len(a.host.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(a.host.Environ[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// version is that of gauntlet, which reports name.
func version() string { return buildinfo.Read().Version }

// onePlan is for commands whose only argument is the file of a plan.
func onePlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes one plan: gauntlet-fleet %[1]s PLAN.yaml; run 'gauntlet-fleet %[1]s --help' for usage", cmd.Name())
	}
	return nil
}

func addAccessFlags(cmd *cobra.Command, a *fleet.Access, otherwise string) {
	f := cmd.Flags()
	f.StringVar(&a.URL, "nats", "", "use NATS at this `URL`, several separated by commas (default "+otherwise+")")
	f.StringVar(&a.Credentials, "nats-creds", "", "log in with this credentials `FILE` (default none)")
	f.StringArrayVar(&a.CA, "nats-ca", nil, "trust the certificates in this `FILE`; repeatable (default those of the system)")
	f.StringVar(&a.Cert, "nats-cert", "", "present the certificate in this `FILE` (default none)")
	f.StringVar(&a.Key, "nats-key", "", "with the private key in this `FILE` (default none)")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if (a.Cert == "") != (a.Key == "") {
			return errors.New("--nats-cert and --nats-key go together")
		}
		if a.URL == "" && (a.Credentials != "" || a.Cert != "" || len(a.CA) > 0) {
			return errors.New("--nats-creds, --nats-ca and --nats-cert are for --nats")
		}
		return nil
	}
}

// ownerCommand is a command about the fleet of a plan that was begun before.
func (a *app) ownerCommand(name, short string, do func(context.Context, *fleet.Owner) error) *cobra.Command {
	var access fleet.Access
	cmd := &cobra.Command{
		Use: name + " [flags] PLAN.yaml", Short: short, Args: onePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			owner, err := fleet.HomeOf(args[0]).OpenOwner(cmd.Context(), access)
			if err != nil {
				return err
			}
			defer owner.Server.Close()
			return do(cmd.Context(), owner)
		},
	}
	cmd.Flags().SortFlags = false
	addAccessFlags(cmd, &access, "the server of the plan on this machine")
	return cmd
}

func formatFlag(cmd *cobra.Command, format *string, names []string) {
	cmd.Flags().StringVar(format, "format", names[0], "how to write the result: "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
}

// readPlan reads a plan, and says what is wrong with it.
func (a *app) readPlan(file string) (*fleet.Plan, error) {
	text, err := userfile.ReadText(file, nil, fleet.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, userfile.Reason(err))
	}
	plan, wrong := fleet.Parse(file, text)
	if len(wrong) == 0 {
		return plan, nil
	}
	for _, w := range wrong {
		a.say("%s:%d:%d: %s", file, w.Line, w.Column, w.Msg)
	}
	return nil, fmt.Errorf("%s: nothing was begun", file)
}

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
