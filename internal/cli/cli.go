// Package cli is gauntlet's command line: one file a command, flags to options, results to an exit code. It decides nothing
// about servers. Files, the environment and the standard streams are read only here.
package cli

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/cli/helppage"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/login"
	"gauntlet/internal/run/runstate"
	"gauntlet/result"
)

// A Host is the outside world of a run.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer // terminals are detected if *os.File
	Environ        []string  // as os.Environ
	Columns, Rows  int       // size of Stdout's terminal; 0 to detect it
}

// Main runs gauntlet with the arguments after the program's name and returns its exit code, one of package result's. It ends early
// with ctx; servers it started have then ended.
func Main(ctx context.Context, args []string, host Host) int {
	a := &app{host: host}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(host.Stdin)
	root.SetOut(host.Stdout)
	root.SetErr(host.Stderr)
	err := cmp.Or(root.ExecuteContext(ctx), a.noHelp)
	a.recorder.End(ctx, err)
	if at := a.progress.Doing(); errors.Is(err, interrupt.Err) && at != "" {
		err = fmt.Errorf("%w; the last step was: %s", err, at)
	}
	if err != nil {
		a.fail(err)
		a.writeFailure(err)
		return result.ExitTrouble
	}
	return a.code
}

type app struct {
	host     Host
	quiet    bool
	progress *runstate.Progress // nil before work begins
	sessions *login.Sessions    // stored logins; nil until needed
	recorder liveview.Recorder  // of --progress and --view
	noHelp   error              // help was requested for a command that does not exist
	asked    outputs            // the reports that are not written yet
	code     int                // of a command that completed; others return an error
}

// helpTexts are the examples and details that --help prints, a file for each command.
//
//go:embed help/*.txt
var helpTexts embed.FS

// Command returns gauntlet with all commands, for documentation; Main runs them.
func Command() *cobra.Command { return (&app{}).rootCommand() }

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "gauntlet",
		Short:         "Test the security of MCP servers and of the agents that use them",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		Version:       version(),
	}
	root.CompletionOptions.HiddenDefaultCmd = true // packages install it
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.newScanCommand(), a.newCaptureCommand(), a.newServeCommand(), a.newLockCommand(), a.newDiffCommand(), a.newViewCommand(), a.newAttackCommand(), a.newRedteamCommand(), a.newGatewayCommand(), a.newGuardCommand(), a.newTraceCommand(), a.newSuppressCommand(), a.newTestCommand(), a.newProbeCommand(), a.newVetCommand(), a.newLoginCommand(), a.newChecksCommand(), a.newClassifyCommand(), a.newVersionCommand())
	a.addSettings(root)
	helppage.SetTexts(root, helpTexts)
	a.setHelp(root)
	return root
}
