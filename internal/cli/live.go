package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/catalog"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

const defaultTotalTimeout = 5 * time.Minute

// liveFlags configure how a server is started or reached, and its time limits.
type liveFlags struct {
	target.Given
	login          bool // in the browser, if needed
	timeout, total time.Duration
	message, pages int
	differential   bool
	sandbox        sandboxFlags
	names          []string // of these flags
}

func (l *liveFlags) addLiveFlags(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	l.addAccessFlags(f)
	f.BoolVar(&l.login, "login", false, "log in by your browser where the server wants a login and none is kept (default off)")
	f.Var(durationFlag(&l.timeout, mcpclient.DefaultTimeout), "timeout", "longest wait for one answer of the server")
	f.Var(durationFlag(&l.total, defaultTotalTimeout), "total-timeout", "longest time for all that is asked of one server")
	f.Var(sizeFlag(&l.message, wire.DefaultMessage), "max-message", "longest message taken from the other side: the server")
	f.Var(countFlag(&l.pages, mcpclient.DefaultPages, 1<<31-1), "max-pages", "most pages of one list read from the server")
	l.sandbox.addSandboxFlags(f, sandbox.Off)
	f.VisitAll(func(flag *pflag.Flag) { l.names = append(l.names, flag.Name) })
	cmd.Flags().AddFlagSet(f)
	completeSandbox(cmd)
}

// addAccessFlags adds what a server is started with, and the credentials sent to it.
func (l *liveFlags) addAccessFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&l.Env, "env", nil, envMeaning)
	f.StringVar(&l.Dir, "cwd", "", "start the server in this `DIR` (default the current directory)")
	f.StringArrayVar(&l.Header, "header", nil, "send `NAME=VALUE` to the server behind a URL; repeatable (default none)")
	f.StringVar(&l.Bearer, "bearer-env", "", "send the token in our variable `NAME` to the server behind a URL (default none)")
}

// firstGiven returns the first of these flags that the user gave, or "".
func (l *liveFlags) firstGiven(cmd *cobra.Command) string {
	for _, name := range l.names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// newTargetReader returns a reader of targets that records live servers in record.
func (a *app) newTargetReader(l *liveFlags, parallel int, limits catalog.Limits, record *tracefile.File) *target.Reader {
	return &target.Reader{
		Sealing: l.sandbox.sealing(record),
		Options: target.Options{Timeout: l.timeout, Total: l.total, Message: l.message, Pages: l.pages, Parallel: parallel, Differential: l.differential, Limits: limits},
		Version: version(), Environ: a.host.Environ, Logins: a.logins(l.login), Trace: record, Progress: a.progress, ReadFile: a.readFile, Note: a.showNote,
	}
}

func (a *app) gatherTargets(ctx context.Context, f *targetFlags, targets []target.Target) (*target.Gathered, error) {
	return a.newTargetReader(&f.live, f.parallel, f.limits.Limits, nil).Gather(ctx, targets)
}

func (a *app) showNote(n target.Note) {
	switch {
	case n.Quote && !a.quiet:
		a.printErr("  | %s", n.Text)
	case n.Quote:
	case n.Server != "":
		a.note("%s: %s", n.Server, n.Text)
	default:
		a.note("%s", n.Text)
	}
}
