package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/userfile"
	"gauntlet/suite"
	"gauntlet/trust"
)

// recordedFlags name a trace to judge, and its declared boundary.
type recordedFlags struct{ trace, boundary string }

func (f *recordedFlags) addRecordedFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.trace, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (default none)")
	cmd.Flags().StringVar(&f.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --trace (default nothing may)")
}

// findConflict says what is wrong with the flags, or returns "".
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

func (f *recordedFlags) fileNames() []string {
	var out []string
	for _, name := range []string{f.trace, f.boundary} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// readBoundary reads the declared boundary. Any fault in the file is an error: without all of it the judgement would not be the
// requested one.
func (a *app) readBoundary(name string) (trust.Boundary, error) {
	if name == "" {
		return trust.Boundary{}, nil
	}
	s, wrong, err := a.parseSuite(name)
	switch {
	case err != nil:
		return trust.Boundary{}, err
	case wrong > 0:
		return trust.Boundary{}, fmt.Errorf("%s declares no boundary that can be used: %d errors", name, wrong)
	}
	return s.Boundary(), nil
}

// parseSuite reads a suite file, reports its faults, and returns their number.
func (a *app) parseSuite(name string) (s *suite.Suite, wrong int, err error) {
	text, err := a.readText(name, suite.MaxBytes)
	if err != nil {
		return nil, 0, withName(name, userfile.Reason(err))
	}
	s, errs := suite.Parse(name, text)
	for _, e := range errs {
		a.say("%s", e)
	}
	return s, len(errs), nil
}
