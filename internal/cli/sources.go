package cli

import (
	"context"
	"errors"
	"path"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/source"
	"gauntlet/internal/sourcetree"
	"gauntlet/sink"
)

// withSources reads the sources below dir and adds what they say to the labels of the one
// server. What stood in the way is returned; the labels stay what the definitions say then.
func (c *classifyRun) withSources(ctx context.Context, dir string, servers []capability.Server) ([]finding.Problem, error) {
	failed := func(err error) []finding.Problem {
		return []finding.Problem{{Kind: finding.Failed, Message: reason(err).Error(), Location: finding.Location{File: dir}, Input: -1}}
	}
	if len(servers) != 1 {
		return failed(errors.New("--source belongs to one server, and this is not one: classify it by itself")), nil
	}
	c.progress.say("reading sources")
	files, problems, err := sourcetree.Read(ctx, dir, source.Reads, sourcetree.Limits{})
	if err != nil {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		return failed(err), nil
	}
	var names []string
	for i := range servers[0].Tools {
		names = append(names, servers[0].Tools[i].Name)
	}
	found, err := interruptible(ctx, func() *analysed {
		s, more, err := source.Analyse(files, names, func() bool { return ctx.Err() != nil })
		return &analysed{s, more, err}
	})
	if err != nil {
		return nil, err
	}
	problems = append(problems, found.problems...)
	for i := range problems {
		problems[i].Location.File = path.Join(dir, problems[i].Location.File)
	}
	if found.err != nil {
		return append(problems, failed(found.err)...), nil
	}
	classify.WithSources(&servers[0], found.sources)
	have, handlers := 0, found.sources.ByTool()
	for _, name := range names {
		if handlers[name] != nil {
			have++
		}
	}
	c.note("%s: handlers of %d of %d tools in %d source files", dir, have, len(names), found.sources.Files)
	return problems, nil
}

// analysed is what an analysis of sources gave.
type analysed struct {
	sources  *sink.Sources
	problems []finding.Problem
	err      error
}
