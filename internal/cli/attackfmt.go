package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/result"
)

type attackFmtCommand struct {
	*app
	limits       attackLimits
	write, check bool
	dropComments bool
}

func (a *app) newAttackFmtCommand() *cobra.Command {
	f := &attackFmtCommand{app: a}
	cmd := &cobra.Command{
		Use:   "fmt [flags] FILE|DIR...",
		Short: "Write attack documents in their canonical form",
		RunE:  f.formatDocuments,
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "overwrite the files instead of printing (default off)")
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing, only check: name the files that are not in canonical form (default off)")
	cmd.Flags().BoolVar(&f.dropComments, "drop-comments", false, "overwrite files although their comments are lost (default off)")
	f.limits.addDocumentLimitFlags(cmd)
	completeAttacks(cmd)
	return cmd
}

func (f *attackFmtCommand) formatDocuments(cmd *cobra.Command, args []string) error {
	if err := wantDocuments(cmd, args); err != nil {
		return err
	}
	texts, err := attackdoc.Read(cmd.Context(), args, f.host.Stdin, f.limits.Limits)
	switch {
	case err != nil:
		return err
	case f.write && f.check:
		return usage(cmd, "--write and --check exclude each other")
	case f.dropComments && !f.write:
		return usage(cmd, "--drop-comments is for --write")
	case len(texts) > 1 && !f.write && !f.check:
		return usage(cmd, "%d documents: name one, or use --write or --check", len(texts))
	}
	for _, t := range texts {
		if cmd.Context().Err() != nil {
			return interrupt.Err
		}
		if f.write && t.Name == "-" {
			return usage(cmd, "--write cannot overwrite standard input")
		}
		if f.write && t.BuiltIn {
			return usage(cmd, "--write cannot overwrite %s, which is built in", t.Name)
		}
		code, err := f.formatDocument(t)
		if err != nil {
			f.say("%s", err)
		}
		f.code = max(f.code, code)
	}
	return nil
}

// formatDocument formats one document and returns its exit code; the error explains a code other than 0.
func (f *attackFmtCommand) formatDocument(t attackdoc.Text) (code int, err error) {
	if t.Err != nil {
		return result.ExitTrouble, errors.New(t.Unreadable())
	}
	canonical, comments, err := t.Canonical(f.limits.Limits)
	if err != nil {
		return result.ExitGate, err
	}
	switch {
	case f.check && canonical != t.Text:
		return result.ExitGate, fmt.Errorf("%s: not in canonical form", t.Name)
	case f.check:
		return result.ExitOK, nil
	case !f.write:
		err = f.writeText("-", canonical)
	case canonical == t.Text:
	case comments > 0 && !f.dropComments:
		return result.ExitGate, fmt.Errorf("%s: not overwritten: comments would be lost (%d); --drop-comments allows it", t.Name, comments)
	default:
		err = f.writeText(t.Name, canonical)
	}
	if err != nil {
		return result.ExitTrouble, err
	}
	return result.ExitOK, nil
}
