package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/suite"
	"gauntlet/trace"
	"gauntlet/trust"
)

// recordedFlags name a trace to judge, and what was declared about it.
type recordedFlags struct{ trace, boundary string }

func (f *recordedFlags) addRecordedFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.trace, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (default none)")
	cmd.Flags().StringVar(&f.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --trace (default nothing may)")
	// Both fail only for a flag that is not there.
	_ = cmd.MarkFlagFilename("trace", "ndjson")
	_ = cmd.MarkFlagFilename("boundary", "yaml", "yml")
}

// findConflict says what is wrong with the flags, "" if nothing.
func (f *recordedFlags) findConflict(cmd *cobra.Command) string {
	for _, name := range []string{"trace", "boundary"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return "--" + name + " names no file"
		}
	}
	if f.boundary != "" && f.trace == "" {
		return "--boundary wants --trace, the recorded conversation that it is about"
	}
	return ""
}

// fileNames are those that the flags name.
func (f *recordedFlags) fileNames() []string {
	var out []string
	for _, name := range []string{f.trace, f.boundary} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// growth is how much memory may grow, in percent of what is in use, before what is no longer
// needed is given back. A trace is held whole, and half as much again is more than enough.
const growth = 25

// readBoundary reads the declared boundary. Without all of it a judgement would be another one
// than was asked for, so any fault in the file is an error.
func (a *app) readBoundary(name string) (trust.Boundary, error) {
	if name == "" {
		return trust.Boundary{}, nil
	}
	text, err := a.readText(name, suite.MaxBytes)
	if err != nil {
		return trust.Boundary{}, withName(name, userfile.Reason(err))
	}
	s, errs := suite.Parse(name, text)
	for _, e := range errs {
		a.say("%s", suiteError(e))
	}
	if n := len(errs); n > 0 {
		return trust.Boundary{}, fmt.Errorf("%s declares no boundary that can be used: %d errors", name, n)
	}
	return s.Boundary(), nil
}

func suiteError(e suite.Error) string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// readTrace reads the trace, if there is one. One that cannot be read becomes a failure and
// does not keep the rest from being scanned.
func (s *scanCommand) readTrace(ctx context.Context) error {
	if s.recorded.trace == "" {
		return nil
	}
	s.progress.Step("reading %s", s.recorded.trace)
	before := debug.SetGCPercent(growth)
	s.undo = func() { debug.SetGCPercent(before) }
	type read struct {
		trace  *trace.Trace
		floods []string
		err    error
	}
	got, interrupted := interrupt.Do(ctx, func() read {
		t, floods, err := tracefile.ReadConversation(s.recorded.trace, s.host.Stdin)
		return read{t, floods, err}
	})
	if interrupted != nil {
		return interrupted
	}
	if got.err != nil {
		s.failures = append(s.failures, finding.Problem{Kind: finding.Failed, Message: "the trace could not be read: " + userfile.Reason(got.err).Error(),
			Location: finding.Location{Kind: finding.Message, File: s.recorded.trace}, Input: -1})
	}
	if got.trace != nil {
		s.conversation = check.Recording{Trace: got.trace, File: s.recorded.trace, Boundary: s.declared, Floods: got.floods}
		s.tellRedacted(got.trace)
		for _, flood := range got.floods {
			s.say("%s: %s", s.recorded.trace, flood)
		}
	}
	return nil
}

// tellRedacted warns of a trace that is not what went over the wire.
func (s *scanCommand) tellRedacted(t *trace.Trace) {
	for _, caveat := range t.Header.Caveats() {
		s.note("%s: %s", s.recorded.trace, caveat)
	}
	n := 0
	for i := range t.Messages {
		if t.Messages[i].Redacted {
			n++
		}
	}
	if n > 0 {
		s.note("%s: %d messages are redacted: what was taken out of them cannot be followed", s.recorded.trace, n)
	}
}
