package cli

import (
	"github.com/spf13/cobra"

	"gauntlet/internal/run/tracefile"
	"gauntlet/result"
	"gauntlet/trace"
)

func (a *app) newTraceCommand() *cobra.Command {
	return group("trace", "Work with recorded conversations", a.newTraceShowCommand(), a.newTraceImportCommand(), a.newTraceRedactCommand())
}

// openTrace opens a trace, or standard input for "-".
func (a *app) openTrace(name string) (*tracefile.Input, error) {
	return tracefile.Open(name, a.host.Stdin)
}

// createTrace begins a trace.
func (a *app) createTrace(name string) (*tracefile.File, error) {
	t, err := tracefile.Create(name, a.host.Stdout, toolName(), func(s string) { a.say("%s", s) })
	if err == nil {
		a.keptLogins().Hide(t.Hide) // those that are renewed while it is recorded, too
	}
	return t, err
}

// toolName is what a trace says that it was recorded by.
func toolName() string { return "gauntlet " + version() }

// recordFlag adds the flag --record, which names what a conversation is written to. Where a recording is
// read, the flag is --trace; here that name is kept, unseen, for command lines of before.
func recordFlag(cmd *cobra.Command, to *string, meaning string) {
	cmd.Flags().StringVar(to, "record", "", meaning)
	cmd.Flags().StringVar(to, "trace", "", meaning)
	_ = cmd.Flags().MarkHidden("trace") // fails only for a flag that is not there
	cmd.MarkFlagsMutuallyExclusive("record", "trace")
}

// everyMessage is what --record means to commands that record what they hear and say.
const everyMessage = "record every message, both ways: in this `FILE`, - for standard output (default none)"

// tellLine returns what says which line of a trace could not be read.
func (a *app) tellLine(name string) func(*trace.LineError) {
	return func(bad *trace.LineError) { a.say("%s: %s", name, bad) }
}

// tellUnread says how much could not be read, which is trouble.
func (a *app) tellUnread(name string, t *tracefile.Input) {
	if t.Unread > trace.MaxProblems {
		a.say("%s: %d lines in all could not be read", name, t.Unread)
	}
	if t.Unread > 0 {
		a.code = result.ExitTrouble
	}
}

// wantTrace refuses a command line that does not name one file.
func wantTrace(cmd *cobra.Command, args []string) error {
	return wantOne(cmd, args, "no trace: name a file, - for standard input", "files")
}

// addFilterFlags are those that pick messages.
func addFilterFlags(f *tracefile.Filter, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Servers, "server", nil, "take only the server of this `NAME`; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Methods, "method", nil, "only requests and notifications of this `METHOD`, and its answers; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Actors, "actor", nil, "only messages of the actor of this `NAME`; repeatable (default all)")
}
