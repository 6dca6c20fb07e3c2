package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/attacks"
	"gauntlet/internal/cli/helppage"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/report"
)

// usageError is a mistake in the command line.
type usageError struct {
	cmd *cobra.Command
	msg string
}

func (e *usageError) Error() string { return e.msg }

func usage(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{cmd, fmt.Sprintf(format, args...)}
}

// fail prints the error that ended the run, and where to look after a wrong command line.
func (a *app) fail(err error) {
	a.say("%s", err)
	var wrong *usageError
	if errors.As(err, &wrong) {
		a.printErr("Run '%s --help' for usage.", wrong.cmd.CommandPath())
	}
}

// say prints a message that --quiet does not suppress. Strangers' text in it (file names, server messages) is escaped for the
// terminal.
func (a *app) say(format string, args ...any) {
	a.printErr("gauntlet: "+format, args...)
}

// note prints a message that --quiet suppresses.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.say(format, args...)
	}
}

// printErr ignores errors: there is nobody to tell if stderr cannot be written.
func (a *app) printErr(format string, args ...any) {
	a.progress.Hide()
	_, _ = fmt.Fprintln(a.host.Stderr, report.Visible(fmt.Sprintf(format, args...)))
}

// flagError rewords pflag's message about a wrong flag. Only parsers quote a value: pflag would quote any, and it may be a secret.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	if err := unknownCommand(cmd); err != nil {
		return err
	}
	switch {
	case errors.As(err, &invalid):
		return usage(cmd, "--%s: %s", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &missing):
		return usage(cmd, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown):
		return usage(cmd, "%s", unknownFlag(cmd, unknown))
	}
	return usage(cmd, "%s", err)
}

func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) string {
	name, msg := err.GetSpecifiedName(), ""
	if err.GetSpecifiedShortnames() != "" {
		msg = "unknown flag -" + name
	} else {
		msg = "unknown flag --" + name
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		msg += suggest.Question(suggest.Names(name, names), "--")
	}
	if cmd.Flags().Lookup("env") != nil && !strings.HasSuffix(msg, "?") { // the command can start a server
		msg += "; the flags of a server to start go behind --"
	}
	return msg
}

// unknownCommand returns an error if an argument before the flag that ended parsing, such as --help, should name a subcommand and
// does not. The flag then belongs to the intended command.
func unknownCommand(cmd *cobra.Command) error {
	if !cmd.HasSubCommands() {
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// knownCommand rejects arguments of the root command: misspelt subcommands, or files without a subcommand.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return usage(cmd, "unknown command %q; to scan the file of that name type: gauntlet scan %[1]s", args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if hint := suggest.Question(suggest.Names(args[0], names), ""); hint != "" {
		return usage(cmd, "unknown command %q%s", args[0], hint)
	}
	return usage(cmd, "unknown command %q: want %s", args[0], commandNames(cmd))
}

func commandNames(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, "%s takes no arguments", cmd.Name())
	}
	return nil
}

// A conflict is something that may be wrong with a command line.
type conflict struct {
	found bool
	says  string
}

// failed is the conflict that err describes, if it is not nil.
func failed(err error) conflict {
	if err == nil {
		return conflict{}
	}
	return conflict{true, err.Error()}
}

// refuse returns a usage error for the first conflict that is found.
func refuse(cmd *cobra.Command, conflicts []conflict) error {
	for _, c := range conflicts {
		if c.found {
			return usage(cmd, "%s", c.says)
		}
	}
	return nil
}

// wantOne are the conflicts of a command line that does not name exactly one thing: none is the message if it names nothing, things
// what several are.
func wantOne(args []string, none, things string) []conflict {
	return []conflict{{len(args) == 0, none}, {len(args) > 1, fmt.Sprintf("%d %s: want one", len(args), things)}}
}

// stdinTwice is the conflict of a command line that names standard input more than once.
func stdinTwice(files []string) conflict {
	n := len(slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f != "-" }))
	return conflict{n > 1, fmt.Sprintf("- is named %d times: standard input can be read once", n)}
}

// newCommand returns a command without flags.
func newCommand(use, short string, run func(*cobra.Command, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: run}
}

func withoutArguments(cmd *cobra.Command) *cobra.Command {
	cmd.Args = noArguments
	return cmd
}

// newPrinter returns a command that writes to standard output in one of the formats, of which the first is the default.
func (a *app) newPrinter(use, short string, write func(w io.Writer, format string) error, formats ...string) *cobra.Command {
	format := ""
	cmd := withoutArguments(newCommand(use, short, func(*cobra.Command, []string) error {
		return a.writeTo("-", func(w io.Writer) error { return write(w, format) })
	}))
	textFormat(cmd, &format, formats...)
	return cmd
}

// newSchemaCommand returns a command that prints the JSON Schema of what it names.
func (a *app) newSchemaCommand(of string, schema func() string) *cobra.Command {
	return withoutArguments(newCommand("schema", "Print the JSON Schema of "+of, func(*cobra.Command, []string) error { return a.writeText("-", schema()) }))
}

func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: knownCommand, RunE: func(c *cobra.Command, _ []string) error {
		return usage(c, "no command: want %s", commandNames(c))
	}}
	cmd.AddCommand(commands...)
	return cmd
}

// withName adds the file or server to an error.
func withName(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }

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
