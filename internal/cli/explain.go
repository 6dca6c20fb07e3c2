package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/result"
)

func (a *app) explainCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:     "explain CHECK...",
		Short:   "Say what a check finds, why it matters and what to do",
		Long:    "explain prints the documentation of checks, named by id (SEC-001) or name.",
		Example: "  gauntlet explain SEC-001\n  gauntlet explain hidden-unicode",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return checkIDs(""), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "no check: name one as in gauntlet explain SEC-001; gauntlet checks lists them")
			}
			rules, err := lookup(allRules(), args)
			if err != nil {
				return usage(cmd, "%s", err)
			}
			return a.writeTo("-", func(w io.Writer) error { return explain(w, rules, format) })
		},
	}
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}

func explain(w io.Writer, rules []result.Rule, format string) error {
	if format != "text" {
		return writeRules(w, rules, format)
	}
	var b strings.Builder
	for i, r := range rules {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s  %s\n\n", r.ID, r.Name)
		fmt.Fprintf(&b, "severity  %s\nmaturity  %s\naxis      %s\n\n", r.Severity, r.Maturity, r.Axis)
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Doc))
		fmt.Fprintf(&b, "what to do  %s\nsource      %s\n", r.Advice, r.Source)
		for _, t := range r.Taxonomy {
			fmt.Fprintf(&b, "see also    %s %s (%s)\n", t.System, strings.TrimSpace(t.ID+" "+t.Name), t.Fit)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
