package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
)

type attackValidateCommand struct {
	*app
	limits attackLimits
	format string
	output string
	noLint bool
}

func (a *app) newAttackValidateCommand() *cobra.Command {
	v := &attackValidateCommand{app: a}
	cmd := &cobra.Command{
		Use:   "validate [flags] FILE|DIR...",
		Short: "Check attack documents against the format's rules",
		RunE:  v.validateDocuments,
	}
	textFormat(cmd, &v.format, "pretty", "html", "json", "sarif")
	outputFlag(cmd, &v.output, "the verdict")
	cmd.Flags().BoolVar(&v.noLint, "no-lint", false, "leave out warnings that are not the format's own (default off)")
	v.limits.addDocumentLimitFlags(cmd)
	return cmd
}

func (v *attackValidateCommand) validateDocuments(cmd *cobra.Command, args []string) error {
	if err := wantDocuments(cmd, args); err != nil {
		return err
	}
	if err := userfile.CheckWritable(v.output, args); err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := attackdoc.Read(cmd.Context(), args, v.host.Stdin, v.limits.Limits)
	if err != nil {
		return err
	}
	all := make([]attackdoc.Diagnosis, len(texts))
	for i, t := range texts {
		if cmd.Context().Err() != nil {
			return interrupt.Err
		}
		all[i] = t.Validate(v.limits.Limits, !v.noLint)
		v.code = max(v.code, all[i].ExitCode())
	}
	return v.writeFormat(v.format, v.output, func(w io.Writer) error {
		return attackdoc.Write(w, all, v.format, v.terminalOptions(false).Width, version())
	})
}
