package cli

import (
	"context"
	"errors"
	"fmt"
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
	if len(servers) != 1 {
		return []finding.Problem{failedAt(dir, errors.New("--source belongs to one server, and this is not one: classify it by itself"))}, nil
	}
	c.progress.say("reading sources")
	found, err := readSources(ctx, dir, toolNames(&servers[0]))
	if err != nil {
		return nil, err
	}
	s := &servers[0]
	for _, p := range found.problems {
		s.Warnings = append(s.Warnings, "source_unread: "+failureText(p))
	}
	if found.err != nil {
		p := failedAt(dir, found.err)
		s.Warnings = append(s.Warnings, "no_source: "+failureText(p))
		return append(found.problems, p), nil
	}
	classify.WithSources(s, found.sources)
	c.note("%s: handlers of %d of %d tools in %d source files", dir, found.tied, len(s.Tools), found.sources.Files)
	return found.problems, nil
}

func toolNames(s *capability.Server) []string {
	var names []string
	for i := range s.Tools {
		names = append(names, s.Tools[i].Name)
	}
	return names
}

// failedAt is the problem of a file or directory of which nothing was read.
func failedAt(file string, err error) finding.Problem {
	return failure(&target{file: file}, reason(err))
}

// analysed is what an analysis of the sources of one server gave.
type analysed struct {
	sources  *sink.Sources
	tied     int // listed tools that have a handler
	problems []finding.Problem
	err      error // why the sources say nothing about the tools
}

// readSources analyses the sources below dir for the server that lists these tools. Its
// error says that it was interrupted.
func readSources(ctx context.Context, dir string, tools []string) (*analysed, error) {
	files, problems, err := sourcetree.Read(ctx, dir, source.Reads, sourcetree.Limits{})
	if err != nil {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		return &analysed{err: err}, nil
	}
	a, err := interruptible(ctx, func() *analysed {
		s, more, err := source.Analyse(files, tools, func() bool { return ctx.Err() != nil })
		return &analysed{sources: s, problems: more, err: err}
	})
	if err != nil {
		return nil, err
	}
	a.problems = append(problems, a.problems...)
	for i := range a.problems {
		a.problems[i].Location.File = path.Join(dir, a.problems[i].Location.File)
	}
	handlers := a.sources.ByTool()
	for _, name := range tools {
		if handlers[name] != nil {
			a.tied++
		}
	}
	if a.err == nil && a.tied == 0 && len(tools) > 0 {
		a.err = fmt.Errorf("the sources hold %s, and the server lists none of these tools", plural(len(handlers), "handler"))
	}
	return a, nil
}
