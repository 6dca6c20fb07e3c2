package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/checkdoc"
)

func (a *app) newExplainCommand() *cobra.Command {
	format, definition := "text", ""
	cmd := &cobra.Command{
		Use:   "explain CHECK... | --text TEXT",
		Short: "Explain a check, or how a text is read",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return checkIDs(""), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if definition != "" {
				return a.writeTo("-", func(w io.Writer) error { return checkdoc.ExplainText(w, definition) })
			}
			if len(args) == 0 {
				return usage(cmd, "no check: name one as in gauntlet explain SEC-001; gauntlet checks lists them")
			}
			rules, err := checkdoc.Lookup(args)
			if err != nil {
				return usage(cmd, "%s", err)
			}
			return a.writeTo("-", func(w io.Writer) error { return checkdoc.Explain(w, rules, format) })
		},
	}
	cmd.Flags().StringVar(&definition, "text", "", "show how this `TEXT` of a description is read (default none)")
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}
