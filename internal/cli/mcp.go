package cli

import (
	"context"
	"io"
	"time"

	"gauntlet/internal/run/mcptools"
	"gauntlet/internal/run/progress"
	"gauntlet/internal/run/vet"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// serveSelf serves gauntlet's own tools to an agent.
func (s *serveCommand) serveSelf(ctx context.Context) error {
	v := &vetCommand{app: s.app, budget: vetBudget, timeout: 30 * time.Second, registry: fetch.DefaultRegistry, cache: s.cache}
	opt := mcptools.Options{Version: version(), Vet: v.vetForAgent}
	return mcptools.Serve(ctx, io.NopCloser(s.host.Stdin), keptOpen{s.host.Stdout}, opt)
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
