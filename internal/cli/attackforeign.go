package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/agent"
	"gauntlet/internal/wire"
)

// agentTransport is how a foreign agent reaches the servers of a run.
func agentTransport(to *string) pflag.Value {
	*to = "http"
	return &value[string]{to, "TRANSPORT", func(s string) (string, error) {
		if s != "http" && s != "stdio" {
			return "", fmt.Errorf("%q: want http or stdio", s)
		}
		return s, nil
	}, strings.Clone}
}

// foreign makes --agent start a command of the user's, once a document.
func (f *agentFlags) foreign(a *app) error {
	command, err := agent.Words(f.agent)
	if err != nil {
		return fmt.Errorf("--agent: %w", err)
	}
	if len(command) == 0 {
		return errors.New("--agent: the command is empty")
	}
	own := ""
	if f.transport == "stdio" {
		if own, err = os.Executable(); err != nil {
			return fmt.Errorf("--agent-transport stdio: gauntlet cannot find its own program: %w", err)
		}
	}
	f.start = func(ctx context.Context, servers []agentServer, prompt string) agentOutcome {
		opt := agent.Options{Command: command, Environ: slices.Concat(a.host.Environ, f.env), Secret: f.env, Prompt: prompt, Limit: f.limit}
		if own == "" {
			for _, s := range servers {
				opt.Servers = append(opt.Servers, agent.Server{Name: s.name, URL: s.url})
			}
			exit, err := agent.Run(ctx, opt)
			return f.ended(ctx, exit, err)
		}
		return f.bridged(ctx, opt, servers, own)
	}
	return nil
}

// bridged runs the agent with servers that it starts itself.
func (f *agentFlags) bridged(ctx context.Context, opt agent.Options, servers []agentServer, own string) agentOutcome {
	hub, err := agent.OpenHub(ctx)
	if err != nil {
		return f.ended(ctx, wire.Exit{}, err)
	}
	serving, stop := context.WithCancel(ctx)
	var hubs sync.WaitGroup
	hubs.Go(func() { // ends with the agent
		hub.Serve(serving, func(ctx context.Context, name string, conn net.Conn) {
			for _, s := range servers {
				if s.name == name {
					_ = s.stdio(ctx, conn, conn) // a bridge that broke off: the trace has what came through
				}
			}
		})
	})
	for _, s := range servers {
		opt.Servers = append(opt.Servers, hub.Server(s.name, own))
	}
	exit, err := agent.Run(ctx, opt)
	stop()
	hubs.Wait()
	return f.ended(ctx, exit, err)
}

// ended says how a foreign agent ended. One that was still at work when its time was over
// may have had more to do, so nothing that it did not do counts for it.
func (f *agentFlags) ended(ctx context.Context, e wire.Exit, err error) agentOutcome {
	out := agentOutcome{foreign: true}
	switch {
	case err != nil:
		out.ended, out.trouble = "there was no agent", err
		return out
	case e.Cut && ctx.Err() != nil:
		out.ended = "the agent was ended with the run"
	case e.Cut:
		out.ended = fmt.Sprintf("the agent was still running when its time was over (%v) and was ended", f.limit)
		out.trouble = errors.New(out.ended)
	default:
		out.ended = "the agent " + e.How
		out.crashed = e.Code != 0
	}
	if e.Cut || e.Code != 0 {
		out.said = lastLines(e.Stderr)
	}
	return out
}

// lastLines is the end of what a program wrote, fit for a report.
func lastLines(s string) string {
	const most = 600
	s = strings.TrimSpace(s)
	if len(s) > most {
		s = "…" + strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return wire.Printable(s)
}

func (a *app) attackBridgeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bridge",
		Short: "Carry an agent's stdio to a run (started by its mcp.json)",
		Long: `bridge is what the mcp.json of attack run --agent-transport stdio has the agent start in
place of each server. It carries its standard input and output to the run over a socket
of this machine, for which the environment has the address and a token. There is no use
for it outside of a run.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return agent.Bridge(cmd.Context(), a.getenv, a.host.Stdin, a.host.Stdout)
		},
	}
}
