package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/attacks"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/report"
)

// Registering a completion fails only for a missing flag, which no user can cause.

// completeWith completes the values of a flag from a list.
func completeWith(cmd *cobra.Command, flag string, names []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// completeChecks completes a comma-separated list of check ids.
func completeChecks(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		done := typed[:strings.LastIndexByte(typed, ',')+1]
		return checkIDs(done), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// checkIDs returns every check's id with its name as the description.
func checkIDs(prefix string) []string {
	var out []string
	for _, k := range checkdoc.Rules() {
		out = append(out, cobra.CompletionWithDesc(prefix+string(k.ID), k.Name))
	}
	return out
}

// completeReports completes the format of --report; shells complete no file after it.
func completeReports(cmd *cobra.Command) {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, cobra.CompletionWithDesc(f.Name+"=", f.Summary))
	}
	_ = cmd.RegisterFlagCompletionFunc("report", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoSpace))
}

// completeAttacks completes the names of built-in attacks; the shell adds files.
func completeAttacks(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return attacks.Names(), cobra.ShellCompDirectiveDefault
	}
}
