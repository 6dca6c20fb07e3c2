// Command gauntlet finds what is dangerous in the definitions of MCP servers.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"gauntlet/internal/cli"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

func main() {
	if code, ran := sandbox.RunChild(os.Environ()); ran {
		os.Exit(code)
	}
	if os.Getenv("GOGC") == "" {
		// The text of a big catalog is most of the heap, and the usual 100 would allow as
		// much garbage again: 560 MB peak at 1.11 GB with 100 and 0.95 GB with 50, which
		// costs 2% more processor time.
		percent := 50
		if len(os.Args) > 1 && os.Args[1] == "guard" {
			percent = 800 // a client waits for each call, which is over before its few MB are worth a collection
		}
		debug.SetGCPercent(percent)
	}
	if err := wire.ProtectProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "gauntlet: servers may be able to read this process:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals()...)
	// The first signal asks us to end well; a second one ends us at once.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Host{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
	}))
}

// endingSignals are those that ask to end. Each would otherwise end us at once, and leave
// what our servers started. Whoever ignores SIGHUP, as nohup does, has it ignored here too.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
