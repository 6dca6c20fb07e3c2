package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/policy"
	"gauntlet/result"
)

// suppressRun is one run of the subcommand suppress.
type suppressRun struct {
	*app
	from, file             string
	reason, owner, expires string
}

func (a *app) suppressCommand() *cobra.Command {
	s := &suppressRun{app: a}
	cmd := &cobra.Command{
		Use:   "suppress [flags] FINGERPRINT... --reason TEXT --from REPORT",
		Short: "Accept findings of a report, with a reason",
		Long: `suppress writes a decision about each finding into ` + policyFile + `, from where gauntlet scan
takes it. The finding is still listed as suppressed; it no longer moves the exit code.

FINGERPRINT is the id of a finding in REPORT, a JSON report of gauntlet scan; the pretty
format shows it, too. The decision holds for what the definition says in that report: any
change of it, or a date that has passed, brings the finding back. A decision that is there
already is renewed. The rest of the file stays as it is.

Exit codes: 0 when all decisions are written, else 2 and none is.`,
		Example: `  gauntlet scan --report json=report.json snapshot.json
  gauntlet suppress fbd0a2832fc864304010af023a070769 --reason "reads only its own folder" --from report.json
  gauntlet scan --format json snapshot.json | gauntlet suppress --from - --expires 2027-01-31 --reason "a test server" fbd0a2832fc864304010af023a070769`,
		RunE: s.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&s.reason, "reason", "", "why the finding is accepted, a `TEXT` (required; default none)")
	cmd.Flags().StringVar(&s.from, "from", "", "take the finding from this JSON `REPORT`, - for standard input (required; default none)")
	cmd.Flags().StringVar(&s.owner, "owner", "", "`WHO` answers for the decision (default none)")
	cmd.Flags().StringVar(&s.expires, "expires", "", "the last `DATE` on which it holds, as 2027-01-31, in UTC (default no end)")
	cmd.Flags().StringVar(&s.file, "suppressions", policyFile, "write it into this `FILE`")
	_ = cmd.MarkFlagFilename("from", "json") // fail only for flags that are not there
	_ = cmd.MarkFlagFilename("suppressions", "yaml", "yml")
	return cmd
}

func (s *suppressRun) run(cmd *cobra.Command, args []string) error {
	if err := s.validate(cmd, args); err != nil {
		return err
	}
	report, err := s.readReport(cmd.Context())
	if err != nil {
		return err
	}
	text, err := s.readText(s.file, policy.MaxBytes)
	switch {
	case errors.Is(err, errEmpty):
	case err != nil:
		if _, missing := os.Stat(s.file); !errors.Is(missing, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", s.file, reason(err))
		}
	}
	var done []string
	for _, print := range args {
		if text, err = s.accept(&done, text, report, print); err != nil {
			return err
		}
	}
	if err := s.writeTo(s.file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	for _, d := range done {
		s.say("%s: suppressed %s", s.file, d)
	}
	return nil
}

func (s *suppressRun) validate(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usage(cmd, "no finding: name its fingerprint, which the report shows")
	case strings.TrimSpace(s.reason) == "":
		return usage(cmd, "--reason is missing: say why the finding is accepted")
	case s.from == "":
		return usage(cmd, "--from is missing: name the JSON report that holds the finding, as gauntlet scan --report json=FILE writes it")
	case s.file == "" || s.file == "-":
		return usage(cmd, "--suppressions names no file")
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

// readReport reads a JSON report, of which only the findings count.
func (s *suppressRun) readReport(ctx context.Context) (*result.Report, error) {
	type answer struct {
		report result.Report
		err    error
	}
	name := s.from
	if name == "-" {
		name = "standard input"
	}
	got, err := interruptible(ctx, func() (a answer) {
		var text string
		if text, a.err = s.readText(s.from, catalog.DefaultBytes); a.err == nil {
			a.err = json.Unmarshal([]byte(text), &a.report)
		}
		return a
	})
	switch {
	case err != nil:
		return nil, err
	case got.err != nil:
		return nil, fmt.Errorf("%s: %w", name, reason(got.err))
	case !strings.HasPrefix(got.report.SchemaVersion, "1."):
		return nil, fmt.Errorf("%s: it is not a JSON report of gauntlet scan, version 1", name)
	}
	return &got.report, nil
}

// accept adds the decisions about the findings of one fingerprint to the text of a policy.
func (s *suppressRun) accept(done *[]string, text string, r *result.Report, print string) (string, error) {
	found := slices.Clone(r.Findings)
	for i := range r.Suppressed {
		found = append(found, r.Suppressed[i].Finding)
	}
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Fingerprint != print })
	if len(found) == 0 {
		return "", fmt.Errorf("%s: the report has no finding with this fingerprint", print)
	}
	contents := make([]string, len(found))
	for i := range found {
		contents[i] = found[i].Content
	}
	for i := range found {
		f := &found[i]
		if f.Content == "" {
			return "", fmt.Errorf("%s: the report does not say what was judged (content_hash), so no decision can be bound to it", print)
		}
		e := policy.Entry{
			Fingerprint: print, Rule: f.Rule, Content: f.Content, Definition: strings.ToValidUTF8(about(&f.Location), "\uFFFD"),
			Reason: strings.ToValidUTF8(s.reason, "\uFFFD"), Owner: strings.ToValidUTF8(s.owner, "\uFFFD"), Expires: policy.Date(s.expires),
		}
		// Decisions about contents that are gone give way to this one.
		var stale []int
		old, _ := policy.Parse(s.file, text) // Add says what is wrong with it
		for _, o := range old.Entries {
			if o.Fingerprint == print && !slices.Contains(contents, o.Content) {
				stale = append(stale, o.Line)
			}
		}
		var err error
		if text, err = policy.Add(text, e, stale...); err != nil {
			return "", fmt.Errorf("%s: %w", s.file, err)
		}
		*done = append(*done, fmt.Sprintf("%s in %s", f.Rule, e.Definition))
	}
	return text, nil
}

// about names what a finding is about, for who reviews the decision.
func about(l *finding.Location) string {
	var parts []string
	if l.Item != "" {
		parts = append(parts, strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(string(l.Kind), string(finding.Server)), "_", " ")+" "+finding.Clip(l.Item, 200)))
	}
	if l.Server != "" || parts == nil {
		parts = append(parts, "server "+finding.Clip(l.Server, 200))
	}
	return strings.Join(parts, ", ")
}
