package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/attackoauth"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/simagent"
	"gauntlet/oatf"
	"gauntlet/result"
)

func (a *app) newAttackCommand() *cobra.Command {
	return group("attack", "Work with attack documents (OATF)", a.newAttackRunCommand(), a.newAttackBridgeCommand(), a.newPrinter("list", "List the attacks that are built in", writeAttacks, "text", "json", "markdown"), a.newAttackWireCommand(), a.newAttackValidateCommand(), a.newAttackFmtCommand(), a.newAttackShowCommand(), a.newSchemaCommand("attack documents", oatf.Schema), a.newAttackJudgeCommand(), a.newAttackFromScanCommand(), a.newAttackReplayCommand(), a.newAttackAuthCommand())
}

const noDocument = "no document: name a file, a directory or a built-in attack; gauntlet attack list shows those"

func writeAttacks(w io.Writer, format string) error {
	all, err := attackdoc.BuiltIn()
	if err != nil {
		return err
	}
	return attackdoc.WriteList(w, all, format)
}

func addDocumentLimitFlags(cmd *cobra.Command, to *oatf.Limits) {
	*to = oatf.DefaultLimits()
	cmd.Flags().Var(sizeFlag(&to.Bytes, to.Bytes), "max-bytes", "longest input read: a document")
}

// readDocuments reads the documents that the arguments name, unless there is a conflict.
func (a *app) readDocuments(cmd *cobra.Command, args []string, limits oatf.Limits, conflicts ...conflict) ([]attackdoc.Text, error) {
	if err := refuse(cmd, slices.Concat([]conflict{{len(args) == 0, noDocument}, stdinTwice(args)}, conflicts)); err != nil {
		return nil, err
	}
	return attackdoc.Read(cmd.Context(), args, a.host.Stdin, limits)
}

// agentFlags select the agent under attack.
type agentFlags struct {
	testagent.Options
	prompt string
	models modelFlags // for model:ID
	system string
	turns  int
}

func (f *agentFlags) addAgentFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Agent, "agent", "", "the `AGENT` to attack: a command in which {config} and {prompt} stand for its mcp.json and what its user says, or claude, codex, opencode, gemini, goose or cursor-agent (with another program behind the name), builtin:victim, builtin:resister, \"builtin:script FILE\", or model:ID (default whoever connects)")
	completeWith(cmd, "agent", []string{"builtin:resister", "builtin:victim", "builtin:script", "claude", "codex", "gemini", "model:", "opencode"})
	cmd.Flags().StringVar(&f.prompt, "prompt", "", "`TEXT` that the user says to the agent (default what the document has the user say)")
	f.Transport = "http"
	cmd.Flags().Var(nameFlag(&f.Transport, "TRANSPORT", []string{"http", "stdio"}), "agent-transport", "how the agent's mcp.json has it reach servers: http, or stdio for agents that can only start them")
	cmd.Flags().Var(durationFlag(&f.Limit, agent.DefaultLimit), "agent-timeout", "longest run of the agent: one document")
	cmd.Flags().Var(durationFlag(&f.Idle, simagent.DefaultIdle), "agent-idle", "how long the agent still listens for changed definitions once its work is done: a builtin agent or a model")
	cmd.Flags().StringVar(&f.ModelURL, "agent-model-url", "", "`URL` where an agent that is known by name finds its model (default what the agent itself takes)")
	cmd.Flags().StringVar(&f.Model, "agent-model", "", "`NAME` of the model of an agent that is known by name (default its own)")
	cmd.Flags().BoolVar(&f.NoOwnTools, "no-own-tools", false, "the agent has no tools but those of the servers: what it did not ask of them it did not do (default off)")
	f.addModelAgentFlags(cmd)
}

func (f *agentFlags) addModelAgentFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.system, "system", "", "system prompt of the agent, from this `FILE`: of model:ID (default one of ours)")
	cmd.Flags().Var(countFlag(&f.turns, modelagent.DefaultTurns, 1_000), "turns", "most questions to a model in one run: to model:ID for one document")
	f.models.addLimitFlags(cmd)
}

func (a *app) newAttackBridgeCommand() *cobra.Command {
	return withoutArguments(newCommand("bridge", "Carry an agent's stdio to a run (started by its mcp.json)", func(cmd *cobra.Command, _ []string) error {
		return agent.Bridge(cmd.Context(), a.getenv, a.host.Stdin, a.host.Stdout)
	}))
}

// chooseAgent resolves --agent to what returns the agent of each run; nil waits for a client. The set is that of model:ID.
func (f *agentFlags) chooseAgent(a *app) (*modelset.Set, func(run int) *testagent.Agent, error) {
	id, isModel := strings.CutPrefix(f.Agent, testagent.ModelPrefix)
	switch {
	case f.Agent == "":
		return nil, nil, nil
	case !isModel:
		f.Environ, f.Version = a.host.Environ, version()
		chosen, err := testagent.New(f.Options)
		if err != nil {
			return nil, nil, fmt.Errorf("--agent: %w", err)
		}
		return nil, func(int) *testagent.Agent { return chosen }, nil
	}
	f.models.IDs = []string{id}
	set, err := a.openModels(&f.models)
	if err != nil {
		return nil, nil, fmt.Errorf("--agent: %w", err)
	}
	loop := modelagent.Options{Turns: f.turns, Idle: f.Idle, Version: version()}
	if loop.System, err = readSystem(f.system); err != nil {
		return nil, nil, err
	}
	return set, func(run int) *testagent.Agent { return testagent.OfModel(set.Clients[0], loop, run, f.Limit) }, nil
}

// readSystem reads a system prompt; "" if no file is named.
func readSystem(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := userfile.ReadText(file, nil, 1<<20)
	if err != nil {
		return "", fmt.Errorf("--system: %s: %w", file, userfile.Reason(err))
	}
	return text, nil
}

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
