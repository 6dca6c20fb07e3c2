package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/oatf"
	"gauntlet/result"
)

func (a *app) newAttackShowCommand() *cobra.Command {
	var limits attackLimits
	cmd := &cobra.Command{
		Use:   "show [flags] FILE|NAME...",
		Short: "Summarise attack documents",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantDocuments(cmd, args); err != nil {
				return err
			}
			texts, err := attackdoc.Read(cmd.Context(), args, a.host.Stdin, limits.Limits)
			if err != nil {
				return err
			}
			return a.writeShown("-", func(w io.Writer) error { return a.showAttacks(w, texts, limits.Limits) })
		},
	}
	limits.addDocumentLimitFlags(cmd)
	completeAttacks(cmd)
	return cmd
}

func (a *app) showAttacks(w io.Writer, texts []attackdoc.Text, limits oatf.Limits) error {
	shown := 0
	for _, t := range texts {
		if t.Err != nil {
			a.say("%s", t.Unreadable())
			a.code = result.ExitTrouble
			continue
		}
		d, err := t.Parse(limits)
		if err != nil {
			a.say("%s", err)
			a.code = max(a.code, result.ExitGate)
			continue
		}
		if shown++; shown > 1 {
			_, _ = io.WriteString(w, "\n") // writing the summary will fail too
		}
		if err := attackdoc.WriteSummary(w, oatf.Normalize(d)); err != nil {
			return err
		}
	}
	return nil
}
