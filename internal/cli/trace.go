package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/traceimport"
	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/trace"
)

func (a *app) newTraceCommand() *cobra.Command {
	return group("trace", "Work with recorded conversations", a.newTraceShowCommand(), a.newTraceImportCommand(), a.newTraceRedactCommand())
}

// createTrace begins the trace of --record; nil for "".
func (a *app) createTrace(name string) (*tracefile.File, error) {
	if name == "" {
		return nil, nil
	}
	t, err := tracefile.Create(name, a.host.Stdout, toolName(), func(s string) { a.say("%s", s) })
	if err == nil {
		a.keptLogins().Hide(t.Hide) // including those renewed during recording
	}
	return t, err
}

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

const noTrace = "no trace: name a file, - for standard input"

func addFilterFlags(f *tracefile.Filter, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Servers, "server", nil, "take only the server of this `NAME`; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Methods, "method", nil, "only requests and notifications of this `METHOD`, and its answers; repeatable (default all)")
	cmd.Flags().StringArrayVar(&f.Actors, "actor", nil, "only messages of the actor of this `NAME`; repeatable (default all)")
}

type traceShowCommand struct {
	*app
	filter tracefile.Filter
}

func (a *app) newTraceShowCommand() *cobra.Command {
	s := &traceShowCommand{app: a}
	cmd := newCommand("show [flags] FILE", "Show a trace as a timeline", s.showTrace)
	addFilterFlags(&s.filter, cmd)
	return cmd
}

func (s *traceShowCommand) showTrace(cmd *cobra.Command, args []string) error {
	if err := refuse(cmd, wantOne(args, noTrace, "files")); err != nil {
		return err
	}
	return interrupt.Run(cmd.Context(), func() error { return s.showTimeline(cmd.Context(), args[0]) })
}

// showTimeline shows the selected messages and counts them.
func (s *traceShowCommand) showTimeline(ctx context.Context, name string) error {
	in, err := tracefile.Open(name, s.host.Stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	defer s.tellUnread(name, in)
	for _, caveat := range in.Header.Caveats() {
		s.say("%s: %s", name, caveat)
	}
	return s.writeShown("-", func(w io.Writer) error {
		sum, err := in.Show(ctx, &s.filter, report.NewTimeline(w, s.terminalOptions(false)), s.tellLine(name))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, sum.Text(in.Unread))
		return err
	})
}

type traceImportCommand struct {
	*app
	from    string
	file    string
	options traceimport.Options
}

func (a *app) newTraceImportCommand() *cobra.Command {
	i := &traceImportCommand{app: a, from: traceimport.Auto}
	names := traceimport.Names()
	cmd := newCommand("import [flags] FILE", "Make a trace of what another program recorded", i.importRecording)
	f := cmd.Flags()
	formats := nameFlag(&i.from, "FORMAT", names)
	f.Var(formats, "input-format", "how the recording is written: "+strings.Join(names, ", "))
	outputFlag(cmd, &i.file, "the trace")
	f.StringVar(&i.options.Server, "as", "", "call the server by this `NAME`: where the recording does not say (default what the file's name says)")
	// Old names, from before other commands had flags of these names.
	f.Var(formats, "from", "")
	f.StringVar(&i.options.Server, "server", "", "")
	_ = f.MarkHidden("from")
	_ = f.MarkHidden("server") // fails only for a missing flag
	f.Var(sizeFlag(&i.options.Text, traceimport.DefaultText), "max-bytes", "longest input read: a recording that is read whole, and a line of any")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "input-format", names)
	return cmd
}

func (i *traceImportCommand) importRecording(cmd *cobra.Command, args []string) error {
	if err := refuse(cmd, append(wantOne(args, "no recording: name a file, - for standard input", "files"), failed(userfile.CheckWritable(i.file, args)))); err != nil {
		return err
	}
	if i.options.Server == "" {
		i.options.Server = traceimport.ServerOf(args[0])
	}
	return interrupt.Run(cmd.Context(), func() error { return i.writeTrace(args[0]) })
}

func (i *traceImportCommand) writeTrace(name string) error {
	file, err := userfile.Open(name, i.host.Stdin)
	if err != nil {
		return withName(name, userfile.Reason(err))
	}
	defer file.Close()
	format, in, err := traceimport.Choose(i.from, file)
	if err != nil {
		return withName(name, userfile.Reason(err))
	}
	w, err := tracefile.NewWriter(i.file, i.host.Stdout, trace.Header{Tool: toolName(), Imported: format.Name})
	if err != nil {
		return withName(i.file, userfile.Reason(err))
	}
	sum, err := format.Read(in, i.options, w.Write)
	if closed := w.Close(sum.Unread, "lines or entries of the recording that could not be read"); err == nil {
		err = closed
	}
	for _, p := range sum.Problems {
		i.say("%s: %s", name, &p)
	}
	if sum.Unread > len(sum.Problems) {
		i.say("%s: %d in all could not be read", name, sum.Unread)
	}
	if err != nil {
		return fmt.Errorf("%s: the trace is incomplete: %w", name, userfile.Reason(err))
	}
	if sum.Messages == 0 {
		return fmt.Errorf("%s: it contains no message", name)
	}
	if sum.Broken > 0 {
		i.say("%s: %d messages are kept as they are and cannot be read as JSON", name, sum.Broken)
	}
	if sum.Unread+sum.Broken > 0 {
		i.code = result.ExitTrouble
	}
	i.note("imported from %s: %d messages, %d lines or entries without one", format.Name, sum.Messages, sum.Passed)
	i.note("%s", format.Lost)
	return nil
}

type traceRedactCommand struct {
	*app
	file     string
	values   []string // names of variables
	patterns []string
}

func (a *app) newTraceRedactCommand() *cobra.Command {
	r := &traceRedactCommand{app: a}
	cmd := newCommand("redact [flags] FILE", "Copy a trace without the secrets in it", r.redactTrace)
	f := cmd.Flags()
	outputFlag(cmd, &r.file, "the copy")
	f.StringArrayVar(&r.values, "value-of", nil, "take out the value of our variable `NAME`, in all its spellings; repeatable (default none)")
	f.StringArrayVar(&r.patterns, "pattern", nil, "take out what this `REGEXP` (RE2) matches in a string; repeatable (default none)")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	return cmd
}

func (r *traceRedactCommand) redactTrace(cmd *cobra.Command, args []string) error {
	c, err := r.newRemover()
	if err := refuse(cmd, append(wantOne(args, noTrace, "files"), failed(userfile.CheckWritable(r.file, args)), failed(err))); err != nil {
		return err
	}
	return interrupt.Run(cmd.Context(), func() error { return r.writeCopy(cmd.Context(), args[0], c) })
}

func (r *traceRedactCommand) newRemover() (*tracefile.SecretRemover, error) {
	var given []string
	for _, name := range r.values {
		value, err := r.secretIn("value-of", name)
		switch {
		case err != nil:
			return nil, err
		case len(value) < redact.Shortest:
			return nil, fmt.Errorf("--value-of %s: the value is shorter than %d bytes and would be found in every other word", name, redact.Shortest)
		}
		given = append(given, name+"="+value)
	}
	remover, err := tracefile.NewSecretRemover(given, r.patterns)
	if err != nil {
		return nil, fmt.Errorf("--pattern: %w", err)
	}
	return remover, nil
}

func (r *traceRedactCommand) writeCopy(ctx context.Context, name string, c *tracefile.SecretRemover) error {
	in, err := tracefile.Open(name, r.host.Stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	changed, all, err := c.Copy(ctx, in, r.file, r.host.Stdout, toolName(), r.tellLine(name))
	if err != nil {
		return err
	}
	r.tellUnread(name, in)
	r.note("secrets were taken out of %d of %d messages; read the copy before you give it away", changed, all)
	return nil
}
