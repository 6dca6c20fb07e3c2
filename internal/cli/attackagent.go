package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/puppet"
)

// agentFlags say who is attacked.
type agentFlags struct {
	agent  string
	prompt string
	idle   time.Duration

	start startAgent // nil for whoever connects
}

// startAgent lets the agent under test work on one document, and returns when it has ended.
type startAgent func(ctx context.Context, servers []agentServer, prompt string) agentOutcome

// An agentServer is where the agent finds one server actor.
type agentServer struct{ name, url string }

// An agentOutcome says how an agent ended.
type agentOutcome struct {
	ended    string // in words
	trouble  error  // why nothing can be said of it; nil if something can
	scripted bool   // it did what a script says
}

const builtinAgents = `builtin:victim does the user's task and obeys whatever it reads. That it complies proves that
an attack reaches agents in readable words and that its indicators see obedience, and
nothing about how likely a model is to obey.
builtin:resister does the same task and obeys nothing. That it resists proves that the
indicators do not take the task itself for obedience.
"builtin:script FILE" does what the script says. It proves what the attack can do, and the
report says that it was scripted.`

func (f *agentFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.agent, "agent", "", "the `AGENT` to attack: builtin:victim, builtin:resister or \"builtin:script FILE\" (default whoever connects)")
	cmd.Flags().StringVar(&f.prompt, "prompt", "", "`TEXT` that the user says to the agent (default what the document has the user say)")
	cmd.Flags().Var(duration(&f.idle, puppet.DefaultIdle), "agent-idle", "how long a builtin agent listens once its work is done")
}

// choose finds out what --agent stands for.
func (f *agentFlags) choose(a *app) error {
	if f.agent == "" {
		return nil
	}
	name, builtin := strings.CutPrefix(f.agent, "builtin:")
	if !builtin {
		return fmt.Errorf("--agent: %q is no builtin agent: want builtin:victim, builtin:resister or builtin:script with a file", f.agent)
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
