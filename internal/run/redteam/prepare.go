package redteam

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/modelagent"
	"gauntlet/oatf"
)

// FromDocuments returns scenarios for the named attack documents; with all, for the built-in ones on agents.
func FromDocuments(ctx context.Context, names []string, all bool, player attackrun.Player) ([]Scenario, error) {
	if all {
		builtIn, err := attackdoc.BuiltIn()
		if err != nil {
			return nil, err
		}
		for _, l := range builtIn {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	limits := oatf.DefaultLimits()
	texts, err := attackdoc.Read(ctx, names, nil, limits)
	if err != nil {
		return nil, err
	}
	player.Limit, player.Dialer.Limits.Message = attack.DefaultLimit, mcpserver.DefaultBody
	player.Serve.HTTP.Body, player.Serve.IdleStream = mcpserver.DefaultBody, true
	var out []Scenario
	for _, t := range texts {
		doc, problem := t.Load(limits)
		if problem != "" {
			return nil, fmt.Errorf("%s: %s", t.Name, problem)
		}
		if all && !attackrun.HasServer(doc) {
			continue // attacks on servers
		}
		s, err := FromDocument(t.Name, doc, player)
		if err != nil {
			return nil, err
		}
		s.ID = filepath.Base(s.ID)
		out = append(out, s)
	}
	return out, nil
}

// PrepareAll prepares scenarios concurrently, by agents without a model. Scenarios of a real server are left alone.
func PrepareAll(ctx context.Context, scenarios []Scenario, limit time.Duration, parallel int, version string) error {
	var agents []*testagent.Agent
	for _, name := range [...]string{"builtin:resister", "builtin:victim"} {
		one, err := testagent.New(testagent.Options{Agent: name, Limit: limit, Idle: time.Millisecond, Version: version})
		if err != nil {
			return err
		}
		agents = append(agents, one)
	}
	dir, err := os.MkdirTemp("", "gauntlet-redteam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	slots := make(chan struct{}, parallel)
	var all sync.WaitGroup
	for i := range scenarios {
		slots <- struct{}{}
		all.Go(func() { // ends with its two runs, which end with ctx
			defer func() { <-slots }()
			if scenarios[i].Needed == nil {
				Prepare(ctx, &scenarios[i], agents[0], agents[1], filepath.Join(dir, fmt.Sprintf("%d.ndjson", i)))
			}
		})
	}
	all.Wait()
	return nil
}

// Plans estimates every run with the most turns, which few take.
func Plans(set *modelset.Set, scenarios, runs int, control bool, loop modelagent.Options) (out []modelset.Plan) {
	runs *= scenarios
	if control {
		runs *= 2
	}
	for _, c := range set.Clients {
		out = append(out, set.PlanLoops(c, runs, loop.Turns, loop.Tokens))
	}
	return out
}
