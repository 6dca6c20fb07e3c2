package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/engine/imported"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

// importFlags name reports of other programs.
type importFlags struct {
	names []string
	gate  bool
	files []*imported.File // those that could be read
}

func (f *importFlags) addImportFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "import", nil, "tie what this `FILE` reports to the findings: SARIF 2.1.0 of any tool, or a JSON report of gauntlet; repeatable (default none)")
	_ = cmd.MarkFlagFilename("import", "sarif", "json") // fails only for a flag that is not there
	cmd.Flags().BoolVar(&f.gate, "gate-imported", false, "let imported findings move the exit code, by --fail-on (default off)")
}

// readImports reads the reports of other programs. One that cannot be read makes the scan incomplete and spoils no other.
func (s *scanCommand) readImports(ctx context.Context) error {
	for _, name := range s.imports.names {
		var f *imported.File
		failed, err := interrupt.Do(ctx, func() error {
			text, err := s.readText(name, s.how.limits.Bytes)
			if err == nil {
				f, err = imported.Parse(name, text)
			}
			return err
		})
		if err != nil {
			return err
		}
		p := finding.Problem{Kind: finding.Failed, Location: finding.Location{File: name}, Input: -1}
		switch {
		case failed != nil:
			p.Message = "the report to import could not be read: " + userfile.Reason(failed).Error()
		case f.Cut:
			p.Kind, p.Message = finding.Limit, fmt.Sprintf("more than %d findings or as many runs to import: the rest is left out", imported.MaxFindings)
		}
		if failed == nil {
			s.imports.files = append(s.imports.files, f)
		}
		if p.Message != "" {
			s.failures = append(s.failures, p)
			s.note("%s", target.FailureText(p))
		}
	}
	return nil
}

// tieImports adds what was imported to the report.
func (s *scanCommand) tieImports(r *result.Report) {
	if len(s.imports.names) == 0 {
		return
	}
	imported.Reconcile(r, &s.gathered.Catalog, s.sourceDir, s.imports.files)
	r.Imported.Gates = s.imports.gate
}
