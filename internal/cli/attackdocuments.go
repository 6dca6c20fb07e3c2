package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	"gauntlet/oatf"
	"gauntlet/result"
)

type attackValidateCommand struct {
	*app
	limits oatf.Limits
	format string
	output string
	noLint bool
}

func (a *app) newAttackValidateCommand() *cobra.Command {
	v := &attackValidateCommand{app: a}
	cmd := newCommand("validate [flags] FILE|DIR...", "Check attack documents against the format's rules", v.validateDocuments)
	textFormat(cmd, &v.format, "pretty", "html", "json", "sarif")
	outputFlag(cmd, &v.output, "the verdict")
	cmd.Flags().BoolVar(&v.noLint, "no-lint", false, "leave out warnings that are not the format's own (default off)")
	addDocumentLimitFlags(cmd, &v.limits)
	return cmd
}

func (v *attackValidateCommand) validateDocuments(cmd *cobra.Command, args []string) error {
	texts, err := v.readDocuments(cmd, args, v.limits, failed(userfile.CheckWritable(v.output, args)))
	if err != nil {
		return err
	}
	all := make([]attackdoc.Diagnosis, len(texts))
	for i, t := range texts {
		if cmd.Context().Err() != nil {
			return interrupt.Err
		}
		all[i] = t.Validate(v.limits, !v.noLint)
		v.code = max(v.code, all[i].ExitCode())
	}
	return v.writeFormat(v.format, v.output, func(w io.Writer) error {
		return attackdoc.Write(w, all, v.format, v.terminalOptions(false).Width, version())
	})
}

type attackFmtCommand struct {
	*app
	limits       oatf.Limits
	write, check bool
	dropComments bool
}

func (a *app) newAttackFmtCommand() *cobra.Command {
	f := &attackFmtCommand{app: a}
	cmd := newCommand("fmt [flags] FILE|DIR...", "Write attack documents in their canonical form", f.formatDocuments)
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "overwrite the files instead of printing (default off)")
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing, only check: name the files that are not in canonical form (default off)")
	cmd.Flags().BoolVar(&f.dropComments, "drop-comments", false, "overwrite files although their comments are lost (default off)")
	addDocumentLimitFlags(cmd, &f.limits)
	completeAttacks(cmd)
	return cmd
}

func (f *attackFmtCommand) formatDocuments(cmd *cobra.Command, args []string) error {
	texts, err := f.readDocuments(cmd, args, f.limits, conflict{f.write && f.check, "--write and --check exclude each other"}, conflict{f.dropComments && !f.write, "--drop-comments is for --write"})
	switch {
	case err != nil:
		return err
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
	canonical, comments, err := t.Canonical(f.limits)
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

func (a *app) newAttackShowCommand() *cobra.Command {
	var limits oatf.Limits
	cmd := newCommand("show [flags] FILE|NAME...", "Summarise attack documents", func(cmd *cobra.Command, args []string) error {
		texts, err := a.readDocuments(cmd, args, limits)
		if err != nil {
			return err
		}
		return a.writeShown("-", func(w io.Writer) error { return a.showAttacks(w, texts, limits) })
	})
	addDocumentLimitFlags(cmd, &limits)
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

func (a *app) newAttackWireCommand() *cobra.Command {
	cmd := newCommand("wire [NAME...]", "List the faults that documents can cause below the message level", func(cmd *cobra.Command, names []string) error {
		for _, n := range names {
			if !slices.Contains(faults.Names(), n) {
				return usage(cmd, "%q: want one of %s", n, strings.Join(faults.Names(), ", "))
			}
		}
		return a.writeTo("-", func(w io.Writer) error { return attackdoc.WriteFaults(w, names) })
	})
	cmd.ValidArgs = faults.Names()
	return cmd
}

type attackFromScanCommand struct {
	*app
	limits    catalog.Limits
	dir       string
	snapshots []string
}

func (a *app) newAttackFromScanCommand() *cobra.Command {
	s := &attackFromScanCommand{app: a}
	cmd := newCommand("from-scan [flags] REPORT", "Write attack documents from the findings of a scan", s.draftDocuments)
	cmd.Flags().StringVarP(&s.dir, "output", "o", ".", "write the result here: the documents to this `DIRECTORY`, created if missing; no file is overwritten")
	cmd.Flags().StringArrayVar(&s.snapshots, "snapshot", nil, "read definitions from this `FILE` too; repeatable (default none)")
	addLimitFlags(cmd, &s.limits)
	return cmd
}

func (s *attackFromScanCommand) draftDocuments(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, "%d reports: want one", len(args))
	}
	text, err := s.readFile(args[0], s.limits.Bytes)
	if err != nil {
		return err
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
		text, err := s.readFile(f, s.limits.Bytes)
		if err != nil {
			return nil, err
		}
		if err := c.Add(f, text, s.limits); err != nil {
			return nil, err
		}
	}
	return c, nil
}
