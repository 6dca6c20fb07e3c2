package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/report"
	"gauntlet/trace"
)

// traceShowRun is one run of the subcommand trace show.
type traceShowRun struct {
	*app
	filter  traceFilter
	diagram bool
}

func (a *app) traceShowCommand() *cobra.Command {
	s := &traceShowRun{app: a}
	cmd := &cobra.Command{
		Use:   "show [flags] FILE",
		Short: "Show a trace as a timeline or a sequence diagram",
		Long: `show prints a trace a line a message: its number, the seconds since the first one, which
way it went, what it is, how long an answer took, and how it begins. The trace may be of
any length; - reads it from standard input.

Exit codes: 0; 2 if the trace, or a line of it, could not be read.`,
		Example: `  gauntlet trace show trace.ndjson
  gauntlet trace show --method tools/call trace.ndjson
  gauntlet trace show --diagram trace.ndjson`,
		RunE: s.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&s.diagram, "diagram", false, "draw a sequence diagram; the file is read twice, so it can't be - (default off)")
	s.filter.flags(cmd)
	return cmd
}

func (s *traceShowRun) run(cmd *cobra.Command, args []string) error {
	if err := wantTrace(cmd, args); err != nil {
		return err
	}
	if s.diagram && args[0] == "-" {
		return usage(cmd, "--diagram reads the trace twice, and standard input can be read once: name a file")
	}
	err, interrupted := interruptible(cmd.Context(), func() error { return s.show(cmd.Context(), args[0]) })
	if interrupted != nil {
		return interrupted
	}
	return err
}

func (s *traceShowRun) show(ctx context.Context, name string) error {
	if !s.diagram {
		return s.draw(ctx, name, func(w io.Writer) traceView { return report.NewTimeline(w, s.looks(false)) })
	}
	ends := &report.Ends{}
	in, err := s.openTrace(name)
	if err != nil {
		return err
	}
	untold := func(*trace.LineError) {} // the second reading tells
	err = in.each(untold, func(m *trace.Message) error {
		if s.filter.picks(m) {
			ends.See(m)
		}
		return ctx.Err()
	})
	in.close()
	if err != nil {
		return err
	}
	return s.draw(ctx, name, func(w io.Writer) traceView { return report.NewSequence(w, ends, s.looks(false)) })
}

// draw shows the picked messages and adds them up.
func (s *traceShowRun) draw(ctx context.Context, name string, as func(io.Writer) traceView) error {
	in, err := s.openTrace(name)
	if err != nil {
		return err
	}
	defer in.close()
	defer s.settle(in)
	for _, caveat := range in.header.Caveats() {
		s.say("%s: %s", name, caveat)
	}
	return s.writeTo("-", func(w io.Writer) error {
		view := as(w)
		sum := traceSum{}
		err := in.each(s.tellLine(name), func(m *trace.Message) error {
			if sum.all++; !s.filter.picks(m) {
				view.Skip(m)
				return ctx.Err()
			}
			sum.add(m)
			return view.Add(m)
		})
		if flushed := view.Flush(); err == nil {
			err = flushed
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, sum.text(in.unread))
		return err
	})
}

// A traceSum counts messages.
type traceSum struct{ all, shown, requests, failed, strays, invalid int }

func (s *traceSum) add(m *trace.Message) {
	s.shown++
	switch {
	case m.Kind == trace.Request:
		s.requests++
	case m.Kind == trace.Error:
		s.failed++
	case m.Kind == trace.Invalid:
		s.invalid++
	}
	if m.Stray != "" {
		s.strays++
	}
}

func (s *traceSum) text(unread int) string {
	text := fmt.Sprintf("%d messages", s.shown)
	if s.shown != s.all {
		text = fmt.Sprintf("%d of %d messages", s.shown, s.all)
	}
	text += fmt.Sprintf(": requests %d, errors %d", s.requests, s.failed)
	for _, part := range []struct {
		n    int
		what string
	}{{s.strays, "strays"}, {s.invalid, "invalid"}, {unread, "lines unread"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %d", part.what, part.n)
		}
	}
	return text
}

// oneOrAll reports whether names is empty or has name.
func oneOrAll(names []string, name string) bool {
	return len(names) == 0 || slices.Contains(names, name)
}
