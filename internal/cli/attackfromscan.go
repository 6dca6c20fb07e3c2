package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

type attackFromScanCommand struct {
	*app
	limits    limitFlags
	dir       string
	snapshots []string
}

func (a *app) newAttackFromScanCommand() *cobra.Command {
	s := &attackFromScanCommand{app: a}
	cmd := &cobra.Command{
		Use:   "from-scan [flags] REPORT",
		Short: "Write attack documents from the findings of a scan",
		RunE:  s.draftDocuments,
	}
	cmd.Flags().StringVarP(&s.dir, "output", "o", ".", "write the result here: the documents to this `DIRECTORY`, created if missing; no file is overwritten")
	cmd.Flags().StringArrayVar(&s.snapshots, "snapshot", nil, "read definitions from this `FILE` too; repeatable (default none)")
	s.limits.addLimitFlags(cmd)
	return cmd
}

func (s *attackFromScanCommand) draftDocuments(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "%d reports: want one", len(args))
	}
	text, err := s.readText(args[0], s.limits.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], userfile.Reason(err))
	}
	findings, files, err := fromscan.Findings(text)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return slices.Contains(s.snapshots, f) })
	c, err := s.readDefinitions(slices.Concat(s.snapshots, files))
	if err != nil {
		return err
	}
	drafts, left := fromscan.Drafts(findings, c)
	for _, why := range fromscan.Reasons(left) {
		s.note("%s", why)
	}
	if len(drafts) == 0 {
		s.say("%s holds no finding that a document could be made from", args[0])
		s.code = result.ExitGate
		return nil
	}
	return attackdoc.WriteDrafts(s.dir, drafts, s.say)
}

func (s *attackFromScanCommand) readDefinitions(files []string) (*catalog.Catalog, error) {
	c := &catalog.Catalog{}
	for _, f := range files {
		text, err := s.readText(f, s.limits.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, userfile.Reason(err))
		}
		if err := c.Add(f, text, s.limits.Limits); err != nil {
			return nil, err
		}
	}
	return c, nil
}
