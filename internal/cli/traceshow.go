package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/report"
	"gauntlet/trace"
)

type traceShowCommand struct {
	*app
	filter  tracefile.Filter
	diagram bool
}

func (a *app) newTraceShowCommand() *cobra.Command {
	s := &traceShowCommand{app: a}
	cmd := &cobra.Command{
		Use:   "show [flags] FILE",
		Short: "Show a trace as a timeline or a sequence diagram",
		RunE:  s.showTrace,
	}
	cmd.Flags().BoolVar(&s.diagram, "diagram", false, "draw a sequence diagram; the file is read twice, so it can't be - (default off)")
	addFilterFlags(&s.filter, cmd)
	return cmd
}

func (s *traceShowCommand) showTrace(cmd *cobra.Command, args []string) error {
	if err := wantTrace(cmd, args); err != nil {
		return err
	}
	if s.diagram && args[0] == "-" {
		return usage(cmd, "--diagram reads the trace twice, and standard input can be read once: name a file")
	}
	return interrupt.Run(cmd.Context(), func() error { return s.showTimelineOrDiagram(cmd.Context(), args[0]) })
}

func (s *traceShowCommand) showTimelineOrDiagram(ctx context.Context, name string) error {
	if !s.diagram {
		return s.drawTrace(ctx, name, func(w io.Writer) tracefile.View { return report.NewTimeline(w, s.terminalOptions(false)) })
	}
	ends := &report.Ends{}
	in, err := s.openTrace(name)
	if err != nil {
		return err
	}
	untold := func(*trace.LineError) {} // the second reading reports it
	err = in.Each(untold, func(m *trace.Message) error {
		if s.filter.Picks(m) {
			ends.See(m)
		}
		return ctx.Err()
	})
	in.Close()
	if err != nil {
		return err
	}
	return s.drawTrace(ctx, name, func(w io.Writer) tracefile.View { return report.NewSequence(w, ends, s.terminalOptions(false)) })
}

// drawTrace shows the selected messages and counts them.
func (s *traceShowCommand) drawTrace(ctx context.Context, name string, as func(io.Writer) tracefile.View) error {
	in, err := s.openTrace(name)
	if err != nil {
		return err
	}
	defer in.Close()
	defer s.tellUnread(name, in)
	for _, caveat := range in.Header.Caveats() {
		s.say("%s: %s", name, caveat)
	}
	return s.writeShown("-", func(w io.Writer) error {
		sum, err := in.Show(ctx, &s.filter, as(w), s.tellLine(name))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, sum.Text(in.Unread))
		return err
	})
}
