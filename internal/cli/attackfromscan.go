package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/confirm"
	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

// attackFromScanRun is one run of attack from-scan.
type attackFromScanRun struct {
	*app
	limits    limitFlags
	dir       string
	snapshots []string
}

func (a *app) attackFromScanCommand() *cobra.Command {
	s := &attackFromScanRun{app: a}
	cmd := &cobra.Command{
		Use:   "from-scan [flags] REPORT",
		Short: "Write attack documents that put findings of a scan to an agent",
		Long: `from-scan reads the JSON report of a scan and writes an attack document for every
definition with poisoned text (SEC-001 to SEC-005) and for every toxic pair of tools
(SEC-035): the scanned definitions as they are, a task for the agent, and indicators of
what it would do if it fell for them. Running one confirms a finding for an agent or
refutes it; the report of the run names the finding's fingerprint.

The definitions come from the snapshots that the report names. For a report about live
servers, name what gauntlet capture wrote with --snapshot.

Exit codes: 0; 1 if no finding could be made into a document; 2 if something could not be read
or written.`,
		Example: `  gauntlet scan --format json --output report.json snapshot.json
  gauntlet attack from-scan --output attacks report.json`,
		RunE: s.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVarP(&s.dir, "output", "o", ".", "write the documents to this `DIRECTORY`, which is made if need be; none is overwritten")
	cmd.Flags().StringArrayVar(&s.snapshots, "snapshot", nil, "read definitions from this `FILE` too; repeatable (default none)")
	_ = cmd.MarkFlagDirname("output") // fails only for a flag that is not there
	_ = cmd.MarkFlagFilename("snapshot", "json")
	s.limits.flags(cmd)
	return cmd
}

func (s *attackFromScanRun) run(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "%d reports: want one", len(args))
	}
	findings, err := s.findings(args[0])
	if err != nil {
		return err
	}
	c, err := s.definitions(findings)
	if err != nil {
		return err
	}
	drafts, left := confirm.Drafts(findings, c)
	s.tellLeft(left)
	if len(drafts) == 0 {
		s.say("%s holds no finding that a document could be made from", args[0])
		s.code = result.ExitGate
		return nil
	}
	return s.writeDrafts(drafts)
}

// tellLeft says which findings no document was made from: one by one where there would be
// one for most, by rule where there never is.
func (s *attackFromScanRun) tellLeft(left []confirm.Left) {
	told := map[string]bool{}
	for _, l := range left {
		at := ""
		if !l.Never {
			at = " " + l.Finding.Fingerprint + " (" + report.Visible(l.Finding.Location.Item) + ")"
		}
		if text := fmt.Sprintf("%s%s: no document: %s", l.Finding.Rule, at, l.Why); !told[text] {
			told[text] = true
			s.note("%s", text)
		}
	}
}

// findings reads those of a report.
func (s *attackFromScanRun) findings(name string) ([]finding.Finding, error) {
	text, err := s.readText(name, s.limits.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	var r struct {
		Version  string             `json:"schema_version"`
		Findings *[]finding.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Findings == nil || r.Version == "" {
		return nil, fmt.Errorf("%s: not the JSON report of a scan", name)
	}
	return *r.Findings, nil
}

// definitions reads the snapshots that the findings name, and those named beside.
func (s *attackFromScanRun) definitions(findings []finding.Finding) (*catalog.Catalog, error) {
	files := slices.Clone(s.snapshots)
	for i := range findings {
		for _, l := range append([]finding.Location{findings[i].Location}, findings[i].Related...) {
			if l.File != "" && l.File != "-" && !slices.Contains(files, l.File) {
				files = append(files, l.File)
			}
		}
	}
	c := &catalog.Catalog{}
	for _, f := range files {
		text, err := s.readText(f, s.limits.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, reason(err))
		}
		if err := c.Add(f, text, s.limits.Limits); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// writeDrafts writes each document to a file of its own that was not there before.
func (s *attackFromScanRun) writeDrafts(drafts []confirm.Draft) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", s.dir, reason(err))
	}
	for _, d := range drafts {
		name := filepath.Join(s.dir, d.Name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("%s: %w", name, reason(err))
		}
		_, err = io.WriteString(f, oatf.Serialize(d.Document))
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, reason(err))
		}
		s.say("wrote %s: %s", name, d.Document.Attack.Name)
	}
	return nil
}
