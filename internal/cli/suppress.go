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
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/userfile"
	"gauntlet/policy"
	"gauntlet/result"
)

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
		return runstate.ReadReport(s.from, s.getenv, func(name string) (string, error) { return s.readText(name, catalog.OwnBytes) })
	})
}

const policyFile = ".gauntlet.yaml"
