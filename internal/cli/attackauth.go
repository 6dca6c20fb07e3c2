package cli

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/runtime/attackoauth"
	"gauntlet/result"
)

type attackAuthCommand struct {
	*app
	client string
	limit  time.Duration
	format string
}

var builtinClients = []string{"builtin:careful", "builtin:careless"}

func (a *app) newAttackAuthCommand() *cobra.Command {
	c := &attackAuthCommand{app: a, client: builtinClients[0]}
	cmd := newCommand("authorization [flags] [ATTACK]... [-- COMMAND [ARG]...]", "Attack how a client logs in: mixed-up issuers, private addresses, swapped redirects", c.run)
	f := cmd.Flags()
	f.Var(nameFlag(&c.client, "CLIENT", builtinClients), "client", "the client under test: "+strings.Join(builtinClients, ", "))
	runTimeoutFlag(cmd, &c.limit, 30*time.Second, "of COMMAND")
	textFormat(cmd, &c.format, "text", "html", "json")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "client", builtinClients)
	cmd.AddCommand(newVisitCommand(a))
	return cmd
}

// newVisitCommand returns the command with which a client under test opens pages.
func newVisitCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "visit ADDRESS", Short: "Note an address that a client opened", Hidden: true, Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error {
		return attackoauth.NoteVisit(a.getenv(attackoauth.VisitFile), args[0])
	}}
}

func (c *attackAuthCommand) run(cmd *cobra.Command, args []string) error {
	names, client, err := c.chooseClient(cmd, args)
	if err != nil {
		return err
	}
	chosen, err := attackoauth.Choose(names)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	outcomes, err := attackoauth.PlayAll(cmd.Context(), chosen, client, c.client == "")
	if err != nil {
		return err
	}
	if slices.ContainsFunc(outcomes, func(o *attackoauth.Outcome) bool { return o.Fell }) {
		c.code = result.ExitGate
	}
	return c.writeFormat(c.format, "-", func(w io.Writer) error { return attackoauth.Write(w, outcomes, c.format, c.terminalOptions(false)) })
}

// chooseClient returns the named attacks, and the client for each attack or for none.
func (c *attackAuthCommand) chooseClient(cmd *cobra.Command, args []string) ([]string, func(*attackoauth.Attack) attackoauth.Client, error) {
	args, command, err := splitArguments(cmd, args)
	switch {
	case err != nil:
		return nil, nil, err
	case command != nil && cmd.Flags().Changed("client"):
		return nil, nil, usage(cmd, "--client and a command behind -- are two clients: name one")
	case command != nil:
		own, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		program := attackoauth.Command{Args: command, Environ: c.host.Environ, Visit: []string{own, "attack", "authorization", "visit"}, Limit: c.limit}
		c.client = ""
		return args, func(*attackoauth.Attack) attackoauth.Client { return program.Client() }, nil
	case c.client == "builtin:careless":
		return args, func(*attackoauth.Attack) attackoauth.Client { return attackoauth.Careless }, nil
	}
	return args, func(a *attackoauth.Attack) attackoauth.Client { return attackoauth.Careful(a != nil && a.Public) }, nil
}
