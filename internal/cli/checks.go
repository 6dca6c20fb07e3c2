package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/checkdoc"
)

func (a *app) newChecksCommand() *cobra.Command {
	format, definition := "text", ""
	cmd := &cobra.Command{
		Use:     "checks [flags] [CHECK...]",
		Aliases: []string{"explain"},
		Short:   "List all checks, or explain some, or how a text is read",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return checkIDs(""), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
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
		},
	}
	cmd.Flags().StringVar(&definition, "text", "", "show how this `TEXT` of a description is read (default none)")
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}
