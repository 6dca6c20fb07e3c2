package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/attacks"
	"gauntlet/internal/cli/helppage"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/report"
)

// commandGroups are help's groups of commands, in order. A test requires a group for every command.
var commandGroups = []*cobra.Group{
	{ID: "examine", Title: "Examine servers:"},
	{ID: "approve", Title: "Approve, and notice changes:"},
	{ID: "attack", Title: "Attack agents and servers:"},
	{ID: "watch", Title: "Watch traffic:"},
	{ID: "reference", Title: "Look things up:"},
}

var groupOf = map[string]string{
	"scan": "examine", "capture": "examine", "classify": "examine", "probe": "examine", "vet": "examine", "login": "examine",
	"lock": "approve", "diff": "approve", "suppress": "approve",
	"attack": "attack", "redteam": "attack", "serve": "attack",
	"gateway": "watch", "guard": "watch", "test": "watch", "trace": "watch", "view": "watch",
	"checks": "reference", "version": "reference", "completion": "reference", "help": "reference",
}

// setHelp makes every command below root print help in our format.
func (a *app) setHelp(root *cobra.Command) {
	root.AddGroup(commandGroups...)
	for _, c := range root.Commands() {
		c.GroupID = groupOf[c.Name()]
	}
	finishFlags(root)
	helppage.OnlyName(root, fine, mostFlags)
	root.SetHelpCommandGroupID(groupOf["help"])
	root.SetCompletionCommandGroupID(groupOf["completion"])
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Run, help.RunE = nil, helpOn
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if a.noHelp = unknownCommand(c); a.noHelp != nil {
			return
		}
		helppage.Write(c.OutOrStdout(), c, helppage.Columns(a.helpColumns()))
	})
}

// helpOn shows help on the command that the arguments name, as in gauntlet help attack run.
func helpOn(help *cobra.Command, args []string) error {
	c, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return usage(help, "%s", err)
	case c.HasSubCommands():
		if err := c.ValidateArgs(rest); err != nil {
			return err
		}
	}
	c.InitDefaultHelpFlag() // cobra adds it only to the command that runs
	return c.Help()
}

// helpColumns returns the width for help, 0 if unknown. COLUMNS takes precedence over the terminal.
func (a *app) helpColumns() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return a.terminalOptions(false).Width
}

// fileEndings are the extensions that shells complete for a flag's file; none for any. A flag with a FILE or DIR value that is not
// listed names an output.
var fileEndings = map[string][]string{
	"baseline": {"json"}, "boundary": {"yaml", "yml"}, "config": {}, "from": {"json"}, "import": {"sarif", "json"}, "key-file": {}, "recording": {"ndjson"},
	"snapshot": {"json"}, "suppressions": {"yaml", "yml"}, "tools-from": {"yaml", "yml"}, "trace": {"ndjson"},
}

// finishFlags keeps the flags of all commands in declaration order, and has shells complete their files.
func finishFlags(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// Marking fails only for a missing flag.
		switch kind, _ := pflag.UnquoteUsage(f); {
		case kind == "DIR" || kind == "DIRECTORY":
			_ = cmd.MarkFlagDirname(f.Name)
		case fileEndings[f.Name] != nil && (kind == "FILE" || kind == "REPORT"):
			_ = cmd.MarkFlagFilename(f.Name, fileEndings[f.Name]...)
		}
	})
	for _, sub := range cmd.Commands() {
		finishFlags(sub)
	}
}

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
