package scanrun

import (
	"context"
	"errors"
	"fmt"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
)

// A Labelling determines what servers' tools can do: by their definitions, a server's source, and models for what is in doubt.
type Labelling struct {
	SourceDir string                // source of the only server; "" for none
	Floor     capability.Confidence // lower labels are left out
	Models    *modelset.Set         // asked about tools in doubt; may be nil
	All       bool                  // also about tools without a label
	Parallel  int
	Plan      func([]modelset.Plan) error // if not nil, receives the planned questions, and no model is asked
	Progress  *runstate.Progress
	Note      func(format string, args ...any)
}

// Label labels every server, drops labels below the floor, and hides what live servers were given. Unreadable parts of the source
// are added to got's failures.
func (l *Labelling) Label(ctx context.Context, got *target.Gathered) ([]capability.Server, error) {
	l.Progress.Step("classifying")
	servers, err := interrupt.Do(ctx, func() []capability.Server { return classify.Catalog(&got.Catalog) })
	if err != nil {
		return nil, err
	}
	var layer3 *advise.Layer3
	if l.Models != nil {
		layer3 = &advise.Layer3{Set: l.Models, All: l.All, Parallel: l.Parallel, Mask: redaction.New(got.Secrets).Replace, Progress: l.Progress}
		layer3.Begin(servers)
	}
	if l.SourceDir != "" {
		found, problems, err := l.addSource(ctx, servers)
		if err != nil {
			return nil, err
		}
		got.Failures = append(got.Failures, problems...)
		if found != nil && layer3 != nil {
			layer3.Source = func(tool string) string { return sourcecode.HandlerText(found.Sources, found.Text, tool) }
		}
	}
	if layer3 != nil {
		if err := l.askModels(ctx, layer3, servers, got); err != nil {
			return nil, err
		}
	}
	got.Failures = append(got.Failures, unread(servers)...)
	for i := range servers {
		classify.AtLeast(&servers[i], l.Floor)
	}
	if len(got.Secrets) > 0 {
		redaction.New(got.Secrets).Labels(servers)
	}
	return servers, nil
}

// unread returns the problems of tools cut off by a limit: the first few, and how many more there are.
func unread(servers []capability.Server) (out []finding.Problem) {
	const most = 20
	total := 0
	for i := range servers {
		for j := range servers[i].Tools {
			t := &servers[i].Tools[j]
			why := classify.Unread(t)
			if why == "" {
				continue
			}
			if total++; total <= most {
				out = append(out, finding.Problem{Kind: finding.Limit, Input: -1, Message: fmt.Sprintf("tool %q was not classified whole: %s", t.Name, why), Location: finding.Location{Server: servers[i].Name, Kind: finding.Tool, Item: t.Name}})
			}
		}
	}
	if total > most {
		out = append(out, finding.Problem{Kind: finding.Limit, Input: -1, Message: fmt.Sprintf("%d more tools were not classified completely", total-most)})
	}
	return out
}

// addSource reads the source and adds its evidence to the labels of the only server. It returns the source, nil if it shows
// nothing; the labels then stay as they are.
func (l *Labelling) addSource(ctx context.Context, servers []capability.Server) (*sourcecode.Analysed, []finding.Problem, error) {
	if len(servers) != 1 {
		return nil, []finding.Problem{sourcecode.Failed(l.SourceDir, errors.New("--source belongs to one server, and this is not one: classify it by itself"))}, nil
	}
	l.Progress.Step("reading sources")
	s := &servers[0]
	var names []string
	for i := range s.Tools {
		names = append(names, s.Tools[i].Name)
	}
	found, err := sourcecode.Analyse(ctx, l.SourceDir, names)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range found.Problems {
		s.Warnings = append(s.Warnings, "source_unread: "+target.FailureText(p))
	}
	if found.Err != nil {
		p := sourcecode.Failed(l.SourceDir, found.Err)
		s.Warnings = append(s.Warnings, "no_source: "+target.FailureText(p))
		return nil, append(found.Problems, p), nil
	}
	classify.WithSources(s, found.Sources)
	l.Note("%s: handlers of %d of %d tools in %d source files", l.SourceDir, found.Tied, len(s.Tools), found.Sources.Files)
	if 2*found.Tied < len(s.Tools) {
		few := fmt.Errorf("handlers of %d of %d tools were found; the labels of the others come from their definitions alone", found.Tied, len(s.Tools))
		return found, append(found.Problems, sourcecode.Failed(l.SourceDir, few)), nil
	}
	return found, found.Problems, nil
}

// askModels has models label what is in doubt, or passes on the planned questions.
func (l *Labelling) askModels(ctx context.Context, layer3 *advise.Layer3, servers []capability.Server, got *target.Gathered) error {
	plans := layer3.Plan(servers, got.Catalog.Servers)
	if l.Plan != nil {
		return l.Plan(plans)
	}
	l.Models.TellPlans(plans, l.Note)
	l.Progress.CountOf("questions")
	asked, _, err := layer3.Label(ctx, servers, got.Catalog.Servers)
	if err != nil {
		return err
	}
	l.Note("layer 3: %d tools in doubt; models: %s", asked, l.Models.Spent())
	return nil
}
