package cli

import (
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/cli/helppage"
)

// commandGroups are the groups in which help lists the commands, in this order. A test holds every
// command to one of them.
var commandGroups = []*cobra.Group{
	{ID: "examine", Title: "Examine servers:"},
	{ID: "approve", Title: "Approve, and notice changes:"},
	{ID: "attack", Title: "Attack agents and servers:"},
	{ID: "watch", Title: "Watch traffic:"},
	{ID: "reference", Title: "Look things up:"},
}

// groupOf says in which group a command is listed.
var groupOf = map[string]string{
	"scan": "examine", "capture": "examine", "classify": "examine", "probe": "examine", "vet": "examine", "mcp": "examine", "login": "examine", "logout": "examine",
	"lock": "approve", "diff": "approve", "suppress": "approve",
	"attack": "attack", "redteam": "attack", "serve": "attack", "mock": "attack",
	"gateway": "watch", "guard": "watch", "test": "watch", "trace": "watch", "view": "watch",
	"checks": "reference", "explain": "reference", "version": "reference", "completion": "reference", "help": "reference",
}

// setHelp has every command below root print help in our form.
func (a *app) setHelp(root *cobra.Command) {
	root.AddGroup(commandGroups...)
	for _, c := range root.Commands() {
		c.GroupID = groupOf[c.Name()]
	}
	finishFlags(root)
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

// helpOn shows help on the command that the arguments name, as gauntlet help attack run.
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

// helpColumns is how many columns the reader of help has, 0 where that is unknown. COLUMNS counts
// before the terminal, and where there is none.
func (a *app) helpColumns() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return a.terminalOptions(false).Width
}

// fileEndings are the endings of files that flags name, for shells to complete; none for any. A flag whose value is a FILE or DIR
// and that is not here names what is written.
var fileEndings = map[string][]string{
	"baseline": {"json"}, "boundary": {"yaml", "yml"}, "config": {}, "from": {"json"}, "import": {"sarif", "json"}, "key-file": {}, "recording": {"ndjson"},
	"snapshot": {"json"}, "suppressions": {"yaml", "yml"}, "tools-from": {"yaml", "yml"}, "trace": {"ndjson"},
}

// finishFlags keeps the flags of all commands in the order in which they are declared, and has shells complete their files.
func finishFlags(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		// Marking fails only for a flag that is not there.
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
