package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gauntlet/oatf"
	"gauntlet/result"
)

// attackFmtRun is one run of attack fmt.
type attackFmtRun struct {
	*app
	limits       attackLimits
	write, check bool
	dropComments bool
}

func (a *app) attackFmtCommand() *cobra.Command {
	f := &attackFmtRun{app: a}
	cmd := &cobra.Command{
		Use:   "fmt [flags] FILE|DIR...",
		Short: "Write attack documents in their canonical form",
		Long: `fmt writes a document in the canonical form of the format: every default written out,
every short form expanded, fields in the order of the specification. It prints one
document, or with --write puts it in the place of the file. Extensions (x-*) and all that
the format passes through stay as they are; comments do not, so a file with comments
is not overwritten unless --drop-comments says so.

Exit codes: 0; 1 if a document is not valid, has comments to lose, or with --check is
not in its canonical form; 2 if one could not be read or written.`,
		Example: `  gauntlet attack fmt attack.yaml
  gauntlet attack fmt --check attacks/
  gauntlet attack fmt --write attack.yaml`,
		RunE: f.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "overwrite the files instead of printing (default off)")
	cmd.Flags().BoolVar(&f.check, "check", false, "only name the files that are not in canonical form (default off)")
	cmd.Flags().BoolVar(&f.dropComments, "drop-comments", false, "overwrite files although their comments are lost (default off)")
	f.limits.flags(cmd)
	return cmd
}

func (f *attackFmtRun) run(cmd *cobra.Command, args []string) error {
	if err := wantDocuments(cmd, args); err != nil {
		return err
	}
	texts, err := f.attackTexts(cmd.Context(), args, &f.limits)
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
			return errInterrupted
		}
		if f.write && t.name == "-" {
			return usage(cmd, "--write cannot overwrite standard input")
		}
		if f.write && t.builtIn {
			return usage(cmd, "--write cannot overwrite %s, which is built in", t.name)
		}
		code, err := f.one(t)
		if err != nil {
			f.say("%s", err)
		}
		f.code = max(f.code, code)
	}
	return nil
}

// one treats one document and returns its exit code; the error says why it is not 0.
func (f *attackFmtRun) one(t attackText) (code int, err error) {
	if t.err != nil {
		return result.ExitTrouble, errors.New(t.unreadable())
	}
	d, err := validDocument(t, f.limits.Limits)
	if err != nil {
		return result.ExitGate, err
	}
	canonical := oatf.Serialize(d)
	// It is longer and more deeply nested than what it was made of.
	if _, err := f.limits.Parse(canonical); err != nil {
		return result.ExitGate, fmt.Errorf("%s: its canonical form is beyond the limits, so it could not be read again: %w", t.name, err)
	}
	print := func(w io.Writer) error {
		_, err := io.WriteString(w, canonical)
		return err
	}
	switch n := d.Comments(); {
	case f.check && canonical != t.text:
		return result.ExitGate, fmt.Errorf("%s: not in canonical form", t.name)
	case f.check:
		return result.ExitOK, nil
	case !f.write:
		err = f.writeTo("-", print)
	case canonical == t.text:
	case n > 0 && !f.dropComments:
		return result.ExitGate, fmt.Errorf("%s: not overwritten: comments would be lost (%d); --drop-comments allows it", t.name, n)
	default:
		err = f.writeTo(t.name, print)
	}
	if err != nil {
		return result.ExitTrouble, err
	}
	return result.ExitOK, nil
}

// validDocument reads a valid document, or says how many errors stand in the way.
func validDocument(t attackText, limits oatf.Limits) (*oatf.Document, error) {
	d, err := limits.Parse(t.text)
	var errs oatf.Errors
	if err == nil {
		errs = oatf.Validate(d).Errors
	} else {
		errors.As(err, &errs)
	}
	if len(errs) == 0 {
		return d, nil
	}
	return nil, fmt.Errorf("%s: not valid: %v%s; gauntlet attack validate shows all of it", t.name, errs[0], andMore(len(errs)-1))
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
