package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gauntlet/check/config"
	"gauntlet/result"
	"gauntlet/scan"
)

func (a *app) checksCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "checks",
		Short: "List all checks",
		Long: `checks lists what gauntlet looks for. In the format markdown it prints the whole
documentation of every check, which is docs/checks.md.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.writeTo("-", func(w io.Writer) error { return writeRules(w, allRules(), format) })
		},
	}
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}

// allRules describes every check there is: those of servers, then those of configurations.
func allRules() []result.Rule {
	return append(scan.Rules(scan.Checks()), scan.ConfigRules(config.Checks())...)
}

func writeRules(w io.Writer, rules []result.Rule, format string) error {
	switch format {
	case "json":
		return writeIndented(w, rules)
	case "markdown":
		return writeMarkdown(w, rules)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tSEVERITY\tMATURITY")
	for _, r := range rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Maturity)
	}
	return t.Flush()
}
