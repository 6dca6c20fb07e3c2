// Command gauntlet-fleet tests thousands of MCP servers, agents and models on NATS JetStream. It holds all of gauntlet: scans
// of files run in the worker, other jobs in processes of their own.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"gauntlet/internal/cli"
	"gauntlet/internal/cli/fleetcli"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
)

func main() {
	if code, ran := sandbox.RunChild(os.Environ()); ran {
		os.Exit(code)
	}
	if err := wire.ProtectProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "gauntlet-fleet: servers may be able to read this process:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks us to end well; a second one ends us at once.
	context.AfterFunc(ctx, stop)
	os.Exit(start(ctx))
}

// start runs a job as gauntlet does, or the command of the fleet.
func start(ctx context.Context) int {
	if len(os.Args) > 1 && os.Args[1] == fleetcli.JobCommand {
		args, err := fleetcli.JobArguments(os.Args[2:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "gauntlet-fleet:", err)
			return result.ExitTrouble
		}
		return cli.Main(ctx, args, cli.Host{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ()})
	}
	program, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gauntlet-fleet:", err)
		return result.ExitTrouble
	}
	return fleetcli.Main(ctx, os.Args[1:], fleetcli.Host{Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Program: program,
		Gauntlet: func(ctx context.Context, args []string, stderr io.Writer) int {
			return cli.Main(ctx, args, cli.Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr, Environ: os.Environ()})
		}})
}
