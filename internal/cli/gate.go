package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

// gateFlags determine a result's exit code.
type gateFlags struct {
	failOn       finding.Severity
	allowPartial bool
	maturity     string // "stable" or "all"
}

func (g *gateFlags) addGateFlags(cmd *cobra.Command) {
	g.failOn = finding.High
	severity := &value[finding.Severity]{&g.failOn, "SEVERITY", finding.ParseSeverity, finding.Severity.String}
	cmd.Flags().Var(severity, "fail-on", "exit 1 on findings of this severity or higher: "+strings.Join(finding.Severities(), ", "))
	completeWith(cmd, "fail-on", finding.Severities())
	g.maturity = "all"
	cmd.Flags().Var(nameFlag(&g.maturity, "CHECKS", gates), "gate", "let findings of these checks move the exit code: stable, all")
	completeWith(cmd, "gate", gates)
	partialFlag(cmd, &g.allowPartial)
}

var gates = []string{result.GateStable, "all"}

func partialFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "allow-partial", false, "exit 0 instead of 2 if a part was not read, and say which (default off)")
}

// tellIncomplete says what the scan did not cover, and what its gate left out, if the exit code alone would not show it.
func (s *scanCommand) tellIncomplete(r *result.Report) {
	if n := r.Ungated(s.outputs.gate.failOn); n > 0 {
		s.note("--gate stable leaves %s of experimental checks out of the exit code", excerpt.Count(n, "finding"))
	}
	switch {
	case r.Complete() || r.FailsAt(s.outputs.gate.failOn) || r.FailsImported(s.outputs.gate.failOn) || s.scan.ReadNothing():
	case !s.outputs.gate.allowPartial:
		s.note("the scan is incomplete: %s", partialText(r.Problems))
	case r.Read():
		s.say("--allow-partial: the scan is incomplete: %s", partialText(r.Problems))
	default:
		s.say("nothing was read: --allow-partial needs a part")
	}
}

// partialText says on one line what a run did not cover.
func partialText(ps []finding.Problem) string {
	first := target.FailureText(ps[0])
	if len(ps) == 1 {
		return first
	}
	return fmt.Sprintf("%d problems, the first: %s", len(ps), first)
}
