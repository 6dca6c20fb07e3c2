package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/oatf"
	"gauntlet/result"
)

// attackValidateRun is one run of attack validate.
type attackValidateRun struct {
	*app
	limits attackLimits
	format string
	output string
	noLint bool
}

// A verdictOn is what there is to say about one document.
type verdictOn struct {
	attackText
	errs     []oatf.Diagnostic
	warnings []oatf.Diagnostic
}

func (a *app) attackValidateCommand() *cobra.Command {
	v := &attackValidateRun{app: a}
	cmd := &cobra.Command{
		Use:   "validate [flags] FILE|DIR...",
		Short: "Check attack documents against the format's rules",
		Long: `validate checks documents against all rules of the format (V-001 to V-049) and says
everything that is wrong at once, each with its rule, section, path and place, the rules
of x-gauntlet-wire included (GNT-211). It warns
about what the format warns about (W-001 to W-007) and about what is legal and probably
not meant (GNT-201 to GNT-210; --no-lint leaves these out). Of a directory it reads
every .yaml and .yml below.

Exit codes: 0 all documents are valid, 1 one is not, 2 one could not be read.`,
		Example: `  gauntlet attack validate attack.yaml
  gauntlet attack validate --format sarif --output attacks.sarif attacks/`,
		RunE: v.run,
	}
	cmd.Flags().SortFlags = false
	textFormat(cmd, &v.format, "pretty", "json", "sarif")
	outputFlag(cmd, &v.output, "the verdict")
	cmd.Flags().BoolVar(&v.noLint, "no-lint", false, "leave out warnings that are not the format's own (default off)")
	v.limits.flags(cmd)
	return cmd
}

func (v *attackValidateRun) run(cmd *cobra.Command, args []string) error {
	if err := wantDocuments(cmd, args); err != nil {
		return err
	}
	if err := writable(v.output, args); err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := v.attackTexts(cmd.Context(), args, &v.limits)
	if err != nil {
		return err
	}
	all := make([]verdictOn, len(texts))
	for i, t := range texts {
		if cmd.Context().Err() != nil {
			return errInterrupted
		}
		all[i] = v.judge(t)
		v.code = max(v.code, all[i].code())
	}
	return v.writeTo(v.output, func(w io.Writer) error { return v.write(w, all) })
}

func (v *attackValidateRun) judge(t attackText) verdictOn {
	on := verdictOn{attackText: t}
	if t.err != nil {
		return on
	}
	d, err := v.limits.Parse(t.text)
	if d == nil {
		var errs oatf.Errors
		errors.As(err, &errs)
		on.errs = errs
		return on
	}
	r := oatf.Validate(d)
	on.errs, on.warnings = r.Errors, r.Warnings
	if !v.noLint {
		on.warnings = append(on.warnings, oatf.Lint(d)...)
	}
	return on
}

func (on *verdictOn) code() int {
	switch {
	case on.err != nil:
		return result.ExitTrouble
	case len(on.errs) > 0:
		return result.ExitGate
	}
	return result.ExitOK
}
