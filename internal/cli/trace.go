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

func (a *app) openTrace(name string) (*tracefile.Input, error) {
	return tracefile.Open(name, a.host.Stdin)
}

func (a *app) createTrace(name string) (*tracefile.File, error) {
	t, err := tracefile.Create(name, a.host.Stdout, toolName(), func(s string) { a.say("%s", s) })
	if err == nil {
		a.keptLogins().Hide(t.Hide) // including those renewed during recording
	}
	return t, err
}

// toolName is a trace's recorder.
func toolName() string { return "gauntlet " + version() }

// recordFlag adds --record, which names the file to record in. --trace names a recording to read; here it is a hidden alias for
// older command lines.
func recordFlag(cmd *cobra.Command, to *string, meaning string) {
	cmd.Flags().StringVar(to, "record", "", meaning)
	cmd.Flags().StringVar(to, "trace", "", meaning)
	_ = cmd.Flags().MarkHidden("trace") // fails only for a missing flag
	cmd.MarkFlagsMutuallyExclusive("record", "trace")
}

// everyMessage is the meaning of --record for commands that record their messages.
const everyMessage = "record every message, both ways: in this `FILE`, - for standard output (default none)"

// tellLine returns a function that reports an unreadable line of a trace.
func (a *app) tellLine(name string) func(*trace.LineError) {
	return func(bad *trace.LineError) { a.say("%s: %s", name, bad) }
}

// tellUnread reports how much was unreadable, which is trouble.
func (a *app) tellUnread(name string, t *tracefile.Input) {
	if t.Unread > trace.MaxProblems {
		a.say("%s: %d lines in all could not be read", name, t.Unread)
	}
	if t.Unread > 0 {
		a.code = result.ExitTrouble
	}
}

// wantTrace rejects a command line that does not name one file.
func wantTrace(cmd *cobra.Command, args []string) error {
	return wantOne(cmd, args, "no trace: name a file, - for standard input", "files")
}

func addFilterFlags(f *tracefile.Filter, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Servers, "server", nil, "take only the server of this `NAME`; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Methods, "method", nil, "only requests and notifications of this `METHOD`, and its answers; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Actors, "actor", nil, "only messages of the actor of this `NAME`; repeatable (default all)")
}
