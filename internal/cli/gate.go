package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/policy"
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

type suppressCommand struct {
	*app
	from, file             string
	reason, owner, expires string
}

func (a *app) newSuppressCommand() *cobra.Command {
	s := &suppressCommand{app: a}
	cmd := newCommand("suppress [flags] FINGERPRINT... --reason TEXT", "Accept findings of a report, with a reason", s.acceptFindings)
	cmd.Flags().StringVar(&s.reason, "reason", "", "why the finding is accepted, a `TEXT` (required; default none)")
	cmd.Flags().StringVar(&s.from, "from", "", "take the finding from this JSON `REPORT`, - for standard input (default the last run here)")
	cmd.Flags().StringVar(&s.owner, "owner", "", "`WHO` answers for the decision (default none)")
	cmd.Flags().StringVar(&s.expires, "expires", "", "the last `DATE` on which it holds, as 2027-01-31, in UTC (default no end)")
	cmd.Flags().StringVar(&s.file, "suppressions", policyFile, "the `FILE` of accepted findings; the new one is added to it")
	return cmd
}

func (s *suppressCommand) acceptFindings(cmd *cobra.Command, args []string) error {
	if err := s.checkSuppressFlags(cmd, args); err != nil {
		return err
	}
	report, err := s.readReport(cmd.Context())
	if err != nil {
		return err
	}
	text, err := s.readText(s.file, policy.MaxBytes)
	switch {
	case errors.Is(err, userfile.ErrEmpty):
	case err != nil:
		if _, missing := os.Stat(s.file); !errors.Is(missing, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", s.file, userfile.Reason(err))
		}
	}
	var done []string
	for _, print := range args {
		e := policy.Entry{Fingerprint: print, Reason: s.reason, Owner: s.owner, Expires: policy.Date(s.expires)}
		accepted, what, err := policy.Accept(s.file, text, e, report)
		if err != nil {
			return err
		}
		text, done = accepted, append(done, what...)
	}
	if err := s.writeText(s.file, text); err != nil {
		return err
	}
	for _, d := range done {
		s.say("%s: suppressed %s", s.file, d)
	}
	return nil
}

func (s *suppressCommand) checkSuppressFlags(cmd *cobra.Command, args []string) error {
	if err := refuse(cmd, []conflict{
		{len(args) == 0, "no finding: name its fingerprint, which the report shows"},
		{strings.TrimSpace(s.reason) == "", "--reason is missing: say why the finding is accepted"},
		{s.file == "" || s.file == "-", "--suppressions names no file"},
	}); err != nil {
		return err
	}
	if s.expires != "" {
		day, err := policy.ParseDate(s.expires)
		if err != nil {
			return usage(cmd, "--expires: %s", err)
		}
		if day < policy.DateOf(time.Now()) {
			return usage(cmd, "--expires: %s has passed", day)
		}
	}
	return nil
}

// readReport reads a JSON report; only its findings are used.
func (s *suppressCommand) readReport(ctx context.Context) (*result.Report, error) {
	return interrupt.Try(ctx, func() (*result.Report, error) {
		return runstate.ReadReport(s.from, s.getenv, func(name string) (string, error) { return s.readText(name, catalog.DefaultBytes) })
	})
}

const policyFile = ".gauntlet.yaml"
