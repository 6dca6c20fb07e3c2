package cli

import (
	"context"
	"errors"
	"fmt"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
)

// withSources reads the sources below dir and adds what they say to the labels of the one
// server. It returns them, nil where they say nothing. What stood in the way is returned; the labels stay what the definitions say then.
func (c *classifyCommand) withSources(ctx context.Context, dir string, servers []capability.Server) (*sourcecode.Analysed, []finding.Problem, error) {
	if len(servers) != 1 {
		return nil, []finding.Problem{sourcecode.Failed(dir, errors.New("--source belongs to one server, and this is not one: classify it by itself"))}, nil
	}
	c.progress.Step("reading sources")
	found, err := sourcecode.Analyse(ctx, dir, toolNames(&servers[0]))
	if err != nil {
		return nil, nil, err
	}
	s := &servers[0]
	for _, p := range found.Problems {
		s.Warnings = append(s.Warnings, "source_unread: "+target.FailureText(p))
	}
	if found.Err != nil {
		p := sourcecode.Failed(dir, found.Err)
		s.Warnings = append(s.Warnings, "no_source: "+target.FailureText(p))
		return nil, append(found.Problems, p), nil
	}
	classify.WithSources(s, found.Sources)
	c.note("%s: handlers of %d of %d tools in %d source files", dir, found.Tied, len(s.Tools), found.Sources.Files)
	if 2*found.Tied < len(s.Tools) {
		few := fmt.Errorf("handlers of %d of %d tools were found; the labels of the others come from their definitions alone", found.Tied, len(s.Tools))
		return found, append(found.Problems, sourcecode.Failed(dir, few)), nil
	}
	return found, found.Problems, nil
}

func toolNames(s *capability.Server) []string {
	var names []string
	for i := range s.Tools {
		names = append(names, s.Tools[i].Name)
	}
	return names
}
