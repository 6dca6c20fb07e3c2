package testagent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/agent"
	"gauntlet/internal/runtime/wire"
)

// newCommand returns an agent for a user's command.
func newCommand(opt Options) (*Agent, error) {
	preset, command, known := agent.PresetOf(opt.Agent)
	if !known {
		var err error
		if command, err = agent.Words(opt.Agent); err != nil {
			return nil, err
		}
		if len(command) == 0 {
			return nil, errors.New("the command is empty")
		}
		if opt.ModelURL != "" || opt.Model != "" {
			return nil, errors.New("a model's address and name are only for agents known by name: claude, codex, opencode, gemini, goose, cursor-agent")
		}
	}
	var err error
	own := ""
	if opt.Transport == "stdio" {
		if own, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("the transport stdio: gauntlet cannot find its own program: %w", err)
		}
	}
	return &Agent{OwnTools: !opt.NoOwnTools, Start: func(ctx context.Context, servers []Server, task Task) Outcome {
		servers, peers := splitAgents(servers)
		run := agent.Options{Agents: peers, Command: command, Environ: slices.Concat(opt.Environ, opt.Env), Secret: opt.Env, Prompt: task.Prompt, Files: task.Files, Limit: opt.Limit, Preset: preset, ModelURL: opt.ModelURL, Model: opt.Model}
		if own == "" {
			for _, s := range servers {
				run.Servers = append(run.Servers, agent.Server{Name: s.Name, URL: s.URL})
			}
			exit, err := agent.Run(ctx, run)
			return observed(commandOutcome(ctx, opt.Limit, exit, err), exit, opt.NoOwnTools)
		}
		out, exit := runBridged(ctx, run, servers, own)
		return observed(out, exit, opt.NoOwnTools)
	}}, nil
}

// Named reports whether the agent is a preset. Such an agent connects as its users configure it, so servers negotiate the revision:
// one that supports none as new as 2025-11-25 would otherwise be rejected.
func Named(line string) bool {
	_, _, known := agent.PresetOf(line)
	return known
}

// observed adds the agent's events, and whether everything it did is known.
func observed(out Outcome, e agent.Exit, noOwnTools bool) Outcome {
	out.Observed = noOwnTools
	if e.Stream != nil {
		out.Calls, out.Observed = e.Stream.Calls, noOwnTools || e.Stream.Whole
	}
	out.Calls, out.Observed = append(out.Calls, e.Left...), out.Observed && !e.LeftCut
	return out
}

func splitAgents(all []Server) (servers []Server, agents []agent.Server) {
	for _, s := range all {
		if s.Agent {
			agents = append(agents, agent.Server{Name: s.Name, URL: s.URL})
		} else {
			servers = append(servers, s)
		}
	}
	return servers, agents
}

// runBridged runs the agent with servers that it starts itself.
func runBridged(ctx context.Context, opt agent.Options, servers []Server, own string) (Outcome, agent.Exit) {
	hub, err := agent.OpenHub(ctx)
	if err != nil {
		return commandOutcome(ctx, opt.Limit, agent.Exit{}, err), agent.Exit{}
	}
	serving, stop := context.WithCancel(ctx)
	var hubs sync.WaitGroup
	hubs.Go(func() { // ends with the agent
		hub.Serve(serving, func(ctx context.Context, name string, conn net.Conn) {
			for _, s := range servers {
				if s.Name == name {
					_ = s.Stdio(ctx, conn, conn) // if a bridge broke off, the trace has what arrived
				}
			}
		})
	})
	for _, s := range servers {
		opt.Servers = append(opt.Servers, hub.Server(s.Name, own))
	}
	exit, err := agent.Run(ctx, opt)
	stop()
	hubs.Wait()
	return commandOutcome(ctx, opt.Limit, exit, err), exit
}

// commandOutcome says how a command ended. If it was still working when its time was over, it may have had more to do, so its
// inaction proves nothing.
func commandOutcome(ctx context.Context, limit time.Duration, e agent.Exit, err error) Outcome {
	out := Outcome{Command: true, Answer: e.Answer, AnswerCut: e.AnswerCut, ModelSpoke: e.Stream != nil && e.Stream.Answer != ""}
	switch {
	case err != nil:
		out.Ended, out.Trouble = "there was no agent", err
		return out
	case e.Cut && ctx.Err() != nil:
		out.Ended = "the agent was ended with the run"
	case e.Cut:
		out.Ended = fmt.Sprintf("the agent was still running when its time was over (%v) and was ended", limit)
		out.Trouble = errors.New(out.Ended)
	default:
		out.Ended = "the agent " + e.How
		out.Crashed = e.Code != 0
	}
	if e.Cut || e.Code != 0 {
		out.Stderr = lastLines(e.Stderr)
	}
	return out
}

// lastLines returns the end of a program's output for a report.
func lastLines(s string) string {
	const most = 600
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = "…" + excerpt.Tail(s, most)
	}
	return wire.Printable(s)
}
