package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/report"
)

type traceShowCommand struct {
	*app
	filter tracefile.Filter
}

func (a *app) newTraceShowCommand() *cobra.Command {
	s := &traceShowCommand{app: a}
	cmd := &cobra.Command{
		Use:   "show [flags] FILE",
		Short: "Show a trace as a timeline",
		RunE:  s.showTrace,
	}
	addFilterFlags(&s.filter, cmd)
	return cmd
}

func (s *traceShowCommand) showTrace(cmd *cobra.Command, args []string) error {
	if err := wantTrace(cmd, args); err != nil {
		return err
	}
	return interrupt.Run(cmd.Context(), func() error { return s.showTimeline(cmd.Context(), args[0]) })
}

// showTimeline shows the selected messages and counts them.
func (s *traceShowCommand) showTimeline(ctx context.Context, name string) error {
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
		sum, err := in.Show(ctx, &s.filter, report.NewTimeline(w, s.terminalOptions(false)), s.tellLine(name))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, sum.Text(in.Unread))
		return err
	})
}
