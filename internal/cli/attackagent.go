package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/internal/runtime/simagent"
)

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

// addModelAgentFlags adds the flags of an agent that is a model.
func (f *agentFlags) addModelAgentFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.system, "system", "", "system prompt of the agent, from this `FILE`: of model:ID (default one of ours)")
	cmd.Flags().Var(countFlag(&f.turns, modelagent.DefaultTurns, 1_000), "turns", "most questions to a model in one run: to model:ID for one document")
	f.models.addLimitFlags(cmd)
}

// chooseAgent resolves --agent; nil waits for a client, or is a model.
func (f *agentFlags) chooseAgent(a *app) (*testagent.Agent, error) {
	if f.Agent == "" || strings.HasPrefix(f.Agent, testagent.ModelPrefix) { // see chooseModel
		return nil, nil
	}
	f.Environ, f.Version = a.host.Environ, version()
	chosen, err := testagent.New(f.Options)
	if err != nil {
		return nil, fmt.Errorf("--agent: %w", err)
	}
	return chosen, nil
}

func (a *app) newAttackBridgeCommand() *cobra.Command {
	return withoutArguments(newCommand("bridge", "Carry an agent's stdio to a run (started by its mcp.json)", func(cmd *cobra.Command, _ []string) error {
		return agent.Bridge(cmd.Context(), a.getenv, a.host.Stdin, a.host.Stdout)
	}))
}

// chooseModel opens the model of model:ID, nil for another agent, and returns a function that creates the agent of each run.
func (f *agentFlags) chooseModel(a *app) (*modelset.Set, func(run int) *testagent.Agent, error) {
	id, ok := strings.CutPrefix(f.Agent, testagent.ModelPrefix)
	if !ok {
		return nil, nil, nil
	}
	f.models.IDs = []string{id}
	set, err := a.openModels(&f.models)
	if err != nil {
		return nil, nil, err
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
