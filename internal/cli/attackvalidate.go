package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
)

// attackValidateCommand is one run of attack validate.
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
		Long: `validate checks documents against all rules of the format (V-001 to V-049) and says
everything that is wrong at once, each with its rule, section, path and place, the rules
of x-gauntlet-wire included (GNT-211). It warns
about what the format warns about (W-001 to W-007) and about what is legal and probably
not meant (GNT-201 to GNT-212; --no-lint leaves these out). Of a directory it reads
every .yaml and .yml below.

Exit codes: 0 all documents are valid, 1 one is not, 2 one could not be read.`,
		Example: `  gauntlet attack validate attack.yaml
  gauntlet attack validate --format sarif --output attacks.sarif attacks/`,
		RunE: v.validateDocuments,
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
	write := v.writeTo
	if v.format == "pretty" {
		write = v.writeShown
	}
	return write(v.output, func(w io.Writer) error {
		return attackdoc.Write(w, all, v.format, v.terminalOptions(false).Width, version())
	})
}
