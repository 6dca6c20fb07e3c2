package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/traceimport"
	"gauntlet/result"
	"gauntlet/trace"
)

type traceImportCommand struct {
	*app
	from    string
	file    string
	options traceimport.Options
}

func (a *app) newTraceImportCommand() *cobra.Command {
	i := &traceImportCommand{app: a, from: traceimport.Auto}
	names := traceimport.Names()
	cmd := &cobra.Command{
		Use:   "import [flags] FILE",
		Short: "Make a trace of what another program recorded",
		RunE:  i.importRecording,
	}
	f := cmd.Flags()
	formats := &value[string]{&i.from, "FORMAT", oneOf(names), func(s string) string { return s }}
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
	if err := wantOne(cmd, args, "no recording: name a file, - for standard input", "files"); err != nil {
		return err
	}
	if err := userfile.CheckWritable(i.file, args); err != nil {
		return usage(cmd, "%s", err)
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
