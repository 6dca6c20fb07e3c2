package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/buildinfo"
	"gauntlet/internal/run/checkdoc"
)

func (a *app) newChecksCommand() *cobra.Command {
	format, definition := "text", ""
	cmd := newCommand("checks [flags] [CHECK...]", "List all checks, or explain some, or how a text is read", func(cmd *cobra.Command, args []string) error {
		write := func(w io.Writer) error { return checkdoc.WriteList(w, checkdoc.Rules(), format) }
		if definition != "" {
			write = func(w io.Writer) error { return checkdoc.ExplainText(w, definition) }
		} else if len(args) > 0 {
			rules, err := checkdoc.Lookup(args)
			if err != nil {
				return usage(cmd, "%s", err)
			}
			write = func(w io.Writer) error { return checkdoc.Explain(w, rules, format) }
		}
		return a.writeTo("-", write)
	})
	cmd.Aliases = []string{"explain"}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return checkIDs(""), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Flags().StringVar(&definition, "text", "", "show how this `TEXT` of a description is read (default none)")
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}

func version() string { return buildinfo.Read().Version }

func (a *app) newVersionCommand() *cobra.Command {
	cmd := a.newPrinter("version", "Print the version", buildinfo.Write, "text", "json")
	cmd.Hidden = true // --version, with more for bug reports
	return cmd
}

// textFormat adds a flag --format whose default is the first name.
func textFormat(cmd *cobra.Command, to *string, names ...string) {
	parse := func(s string) (string, error) {
		if !slices.Contains(names, s) {
			return "", fmt.Errorf("unknown format %q: want one of %s", s, strings.Join(names, ", "))
		}
		return s, nil
	}
	*to = names[0]
	cmd.Flags().Var(&value[string]{to, "FORMAT", parse, strings.Clone}, "format", "how to write the result: "+strings.Join(names, ", "))
	completeWith(cmd, "format", names)
}
