package cli

import (
	"context"
	"errors"
	"sync"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/lock"
)

// gathered is what was read of targets.
type gathered struct {
	catalog  catalog.Catalog
	failures []finding.Problem // targets of which nothing was read, in their order
	outcomes []outcome         // one a target
	askings  []check.Asking    // what servers of the catalog said at other times
	given    []string          // what live servers should keep to themselves, as NAME=VALUE
}

// An outcome is what became of one target: servers of the catalog, or a failure.
type outcome struct {
	servers []*catalog.Server
	failure *finding.Problem
}

// gather reads every target into one catalog, in the order of the targets however long
// each takes: live servers are captured side by side, as many at a time as f says, each
// within its own time. A target that cannot be read becomes a failure and does not keep the
// others from being read. The error is errInterrupted or none; no server runs any more
// when gather returns.
func (a *app) gather(ctx context.Context, f *targetFlags, targets []target) (*gathered, error) {
	asked := a.ask(ctx, f, targets)
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	several := 0
	for i := range targets {
		if targets[i].live() {
			several++
		}
	}
	g := &gathered{outcomes: make([]outcome, len(targets))}
	for i := range targets {
		documents, servers := len(g.catalog.Documents), len(g.catalog.Servers)
		var err error
		if t := &targets[i]; t.live() {
			a.tellNotes(asked[i].captured, several > 1)
			if err = g.add(asked[i], f.limits.Limits); err == nil {
				g.addAskings(g.catalog.Servers[servers], asked[i].askings, f.limits.Limits)
			}
			asked[i] = reply{}
		} else {
			a.progress.say("reading %s", t.file)
			var interrupted error
			err, interrupted = interruptible(ctx, func() error { return a.readInto(&g.catalog, t.file, f.limits.Limits) })
			if interrupted != nil {
				return nil, interrupted
			}
		}
		if err != nil {
			p := failure(&targets[i], err)
			g.failures = append(g.failures, p)
			g.outcomes[i].failure = &p
		}
		if len(g.catalog.Documents) > documents {
			g.outcomes[i].servers = g.catalog.Servers[servers:len(g.catalog.Servers):len(g.catalog.Servers)]
		}
		mark(g.outcomes[i].servers, &targets[i])
	}
	return g, nil
}

// A reply is what one live server said, or why it said nothing.
type reply struct {
	*captured
	err error
}

// ask captures the live servers among targets and returns their answers in their places.
func (a *app) ask(ctx context.Context, f *targetFlags, targets []target) []reply {
	out := make([]reply, len(targets))
	var live []int
	for i := range targets {
		if targets[i].live() {
			live = append(live, i)
		}
	}
	free := make(chan struct{}, f.parallel) // the limit is about the memory of servers, not about our processors
	var running sync.WaitGroup
	a.progress.count(0, len(live))
	for _, i := range live {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		// Ends with its server, whose time is limited.
		running.Go(func() {
			got, err := a.capture(ctx, &f.live, targets[i], f.limits.Limits)
			out[i] = reply{got, err}
			a.progress.count(1, 0)
			<-free
		})
	}
	running.Wait()
	a.progress.uncount()
	return out
}

// add reads what a live server said into the catalog.
func (g *gathered) add(got reply, limits catalog.Limits) error {
	g.given = append(g.given, got.given...)
	if got.err != nil {
		return got.err
	}
	// The capture had its limits; its text has a few bytes of our own on top.
	limits.Bytes = len(got.text)
	problems := len(g.catalog.Problems)
	if err := g.catalog.Add("", got.text, limits); err != nil {
		return err
	}
	g.catalog.Documents[len(g.catalog.Documents)-1].Origin = got.name
	for i := range g.catalog.Problems[problems:] {
		g.catalog.Problems[problems+i].Location.Origin = got.name
	}
	return nil
}

// readInto reads a snapshot or a lockfile into a catalog.
func (a *app) readInto(c *catalog.Catalog, name string, limits catalog.Limits) error {
	text, err := a.readFile(name, limits.Bytes)
	if err != nil {
		return err
	}
	if lock.Is(text) {
		return lock.Add(c, name, text, limits)
	}
	return c.Add(name, text, limits)
}

// failure is the problem of a target of which nothing was read.
func failure(t *target, err error) finding.Problem {
	p := finding.Problem{Kind: finding.Failed, Message: err.Error(), Location: t.place}
	if !t.live() {
		p.Location.File = t.file
	}
	var e *catalog.Error
	if errors.As(err, &e) {
		p.Message, p.Location.Line, p.Location.Column = e.Msg, e.Line, e.Column
	}
	return p
}

func failureText(p finding.Problem) string {
	e := catalog.Error{File: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Msg: p.Message}
	return e.Error()
}
