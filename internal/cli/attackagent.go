package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/agent"
	"gauntlet/internal/puppet"
)

// agentFlags say who is attacked.
type agentFlags struct {
	agent     string
	prompt    string
	idle      time.Duration
	transport string
	limit     time.Duration
	env       []string // NAME=VALUE for an agent that is a command, beside our own environment

	start startAgent // nil for whoever connects
}

// startAgent lets the agent under test work on one document, and returns when it has ended.
type startAgent func(ctx context.Context, servers []agentServer, prompt string) agentOutcome

// An agentServer is where the agent finds one server actor.
type agentServer struct {
	name, url string
	stdio     func(ctx context.Context, in io.Reader, out io.Writer) error
}

// An agentOutcome says how an agent ended.
type agentOutcome struct {
	ended    string // in words
	trouble  error  // why nothing can be said of it; nil if something can
	scripted bool   // it did what a script says
	said     string // the end of what it wrote to standard error, where that explains something
	foreign  bool   // it is a program of the user's
	crashed  bool   // that ended by itself and badly
}

const builtinAgents = `builtin:victim does the user's task and obeys whatever it reads. That it complies proves that
an attack reaches agents in readable words and that its indicators see obedience, and
nothing about how likely a model is to obey.
builtin:resister does the same task and obeys nothing. That it resists proves that the
indicators do not take the task itself for obedience.
"builtin:script FILE" does what the script says. It proves what the attack can do, and the
report says that it was scripted.`

func (f *agentFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "the `AGENT` to attack: a command in which {config} and {prompt} stand for its mcp.json and what its user says, or builtin:victim, builtin:resister, \"builtin:script FILE\" (default whoever connects)")
	cmd.Flags().StringVar(&f.prompt, "prompt", "", "`TEXT` that the user says to the agent (default what the document has the user say)")
	cmd.Flags().Var(agentTransport(&f.transport), "agent-transport", "how the agent's mcp.json has it reach servers: http, or stdio for agents that can only start them")
	cmd.Flags().Var(duration(&f.limit, agent.DefaultLimit), "agent-timeout", "longest time that the agent may take for one document")
	cmd.Flags().Var(duration(&f.idle, puppet.DefaultIdle), "agent-idle", "how long a builtin agent listens once its work is done")
}

// choose finds out what --agent stands for.
func (f *agentFlags) choose(a *app) error {
	if f.agent == "" {
		return nil
	}
	name, builtin := strings.CutPrefix(f.agent, "builtin:")
	if !builtin {
		return f.foreign(a)
	}
	opt := puppet.Options{Idle: f.idle, Version: version()}
	word, rest, _ := strings.Cut(name, " ")
	switch opt.Behaviour = puppet.Behaviour(word); opt.Behaviour {
	case puppet.Victim, puppet.Resister:
		if rest != "" {
			return fmt.Errorf("--agent: builtin:%s takes nothing behind it", word)
		}
	case puppet.Scripted:
		text, err := a.readText(strings.TrimSpace(rest), 1<<20)
		if err != nil {
			return fmt.Errorf("--agent: %s: %w", rest, reason(err))
		}
		if opt.Script, err = puppet.ReadScript(text); err != nil {
			return fmt.Errorf("--agent: %s: %w", rest, err)
		}
	default:
		return fmt.Errorf("--agent: there is no builtin agent %q: want victim, resister or script with a file", word)
	}
	f.start = func(ctx context.Context, servers []agentServer, prompt string) agentOutcome {
		opt := opt
		opt.Prompt = prompt
		for _, s := range servers {
			opt.Servers = append(opt.Servers, puppet.Server{Name: s.name, URL: s.url})
		}
		ctx, cancel := context.WithTimeout(ctx, f.limit)
		defer cancel()
		return played(puppet.Run(ctx, opt))
	}
	return nil
}

// played says how a builtin agent ended.
func played(r puppet.Result, err error) agentOutcome {
	out := agentOutcome{ended: "the agent is done", scripted: r.Scripted}
	if r.Cut != "" {
		out.ended = "the agent stopped before it was done: " + r.Cut
	}
	if err != nil {
		out.ended, out.trouble = "the agent never connected", errors.New("the agent never connected: "+err.Error())
	}
	return out
}
