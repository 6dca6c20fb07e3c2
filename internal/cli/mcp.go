package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/mcptools"
	"gauntlet/internal/run/progress"
	"gauntlet/internal/run/vet"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

func (a *app) newMCPCommand() *cobra.Command {
	v := &vetCommand{app: a, budget: vetBudget, timeout: 30 * time.Second, registry: fetch.DefaultRegistry}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve gauntlet to an agent as an MCP server on stdio",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt := mcptools.Options{Version: version(), Vet: v.vetForAgent}
			return mcptools.Serve(cmd.Context(), io.NopCloser(a.host.Stdin), keptOpen{a.host.Stdout}, opt)
		},
	}
	cmd.Flags().StringVar(&v.cache, "cache", "", "keep what is loaded in this `DIR` (default gauntlet/vet in your cache directory)")
	return cmd
}

func (v *vetCommand) vetForAgent(ctx context.Context, target, depth string) (*result.Report, error) {
	s, err := fetch.Parse(target)
	if err != nil {
		return nil, err
	}
	if depth != "" {
		if v.depth, err = vet.ParseDepth(depth); err != nil {
			return nil, err
		}
	} else {
		v.depth = ""
	}
	opt, err := v.options()
	if err != nil {
		return nil, err
	}
	opt.Fetcher.Public = true       // the target may have been chosen by the author of what the agent reads
	opt.Progress = &progress.Line{} // nobody sees it
	return vet.Run(ctx, *opt, []vet.Target{{Spec: s}})
}

// keptOpen is standard output, which must not be closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
