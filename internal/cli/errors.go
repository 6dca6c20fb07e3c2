package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/leaf/suggest"
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

// withoutArguments has a command refuse arguments.
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

// group returns a command that only contains others.
func group(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: knownCommand, RunE: func(c *cobra.Command, _ []string) error {
		return usage(c, "no command: want %s", commandNames(c))
	}}
	cmd.AddCommand(commands...)
	return cmd
}

// withName adds the file or server to an error.
func withName(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }
