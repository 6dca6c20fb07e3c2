package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/result"
)

// gateFlags say which exit code a result gets.
type gateFlags struct {
	failOn       finding.Severity
	allowPartial bool
}

func (g *gateFlags) flags(cmd *cobra.Command) {
	g.failOn = finding.High
	severity := &value[finding.Severity]{&g.failOn, "SEVERITY", finding.ParseSeverity, finding.Severity.String}
	cmd.Flags().Var(severity, "fail-on", "exit 1 from a finding of this severity on: "+strings.Join(finding.Severities(), ", "))
	completeWith(cmd, "fail-on", finding.Severities())
	partialFlag(cmd, &g.allowPartial)
}

func partialFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "allow-partial", false, "exit 0 instead of 2 if a part was not read, and say which (default off)")
}

// exitCode applies the report's rule. A report that could not be written failed as well,
// and no flag excuses that.
func (s *scanRun) exitCode(r *result.Report, written bool) int {
	code := r.ExitCode(s.gate.failOn, s.gate.allowPartial)
	switch {
	case r.Complete() || r.FailsAt(s.gate.failOn) || s.nothing():
	case !s.gate.allowPartial:
		s.note("the scan is incomplete: %s", partial(r.Problems))
	case r.Read():
		s.say("--allow-partial: the scan is incomplete: %s", partial(r.Problems))
	default:
		s.say("nothing was read: --allow-partial needs a part")
	}
	if code == result.ExitOK && !written {
		return result.ExitTrouble
	}
	return code
}

// partial says on one line what a run did not cover.
func partial(ps []finding.Problem) string {
	first := failureText(ps[0])
	if len(ps) == 1 {
		return first
	}
	return fmt.Sprintf("%d problems, the first: %s", len(ps), first)
}
