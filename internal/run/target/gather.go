package target

import (
	"context"
	"errors"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/tracefile"
)

// Options bound the requests to live servers.
type Options struct {
	Timeout time.Duration // time limit for one answer
	Total   time.Duration // time limit for one server
	Pages   int           // most pages of one list
	// Parallel bounds the servers run or asked concurrently.
	Parallel int
	// Differential asks each server again as another client.
	Differential bool
	Limits       catalog.Limits
}

// A Reader reads targets.
type Reader struct {
	Options
	Version  string        // this program's, sent to servers
	Dialer   launch.Dialer // its limits apply within those of a snapshot
	Trace    *tracefile.File
	Progress *runstate.Progress
	// ReadFile returns the text of a snapshot file; its errors are *catalog.Error.
	ReadFile func(name string, limit int) (string, error)
	// Captured, if not nil, is called with what each live server said as soon as it is known, concurrently.
	Captured func(*Gathered)
	// Note is called with the notes about the servers once all are done.
	Note func(Note)
}

// Gathered is what was read from targets.
type Gathered struct {
	Catalog  catalog.Catalog
	Failures []finding.Problem // targets that could not be read, in order
	Outcomes []Outcome         // one per target
	Askings  []check.Asking    // what the catalog's servers said at other times
	Secrets  []string          // what live servers must not disclose, as NAME=VALUE
	Contacts []probe.Contact   // responses of servers behind URLs
}

// An Outcome is the result of one target: servers of the catalog, or a failure.
type Outcome struct {
	Servers []*catalog.Server
	Failure *finding.Problem
}

// Gather reads every target into one catalog, in the targets' order: live servers are captured concurrently, each within its own
// time. An unreadable target becomes a failure and does not affect the others. The error is interrupt.Err or nil; no server runs
// when Gather returns.
func (r *Reader) Gather(ctx context.Context, targets []Target) (*Gathered, error) {
	captured := r.captureAll(ctx, targets)
	if ctx.Err() != nil {
		return nil, interrupt.Err
	}
	several := len(captured) > 1
	g := &Gathered{Outcomes: make([]Outcome, len(targets))}
	for i := range targets {
		documents, servers := len(g.Catalog.Documents), len(g.Catalog.Servers)
		var err error
		if c := captured[i]; c != nil {
			for _, n := range c.Notes {
				if several && !n.Quote {
					n.Server = c.name
				}
				r.Note(n)
			}
			if err = g.addCaptured(c, r.Limits); err == nil {
				g.addAskings(g.Catalog.Servers[servers], c.askings, r.Limits)
			}
			delete(captured, i) // the catalog holds its text
		} else if t := &targets[i]; t.Text != "" {
			limits := r.Limits
			limits.Bytes = len(t.Text)
			if err = g.Catalog.Add("", t.Text, limits); err == nil {
				g.Catalog.Documents[len(g.Catalog.Documents)-1].Origin = t.Name
			}
		} else {
			r.Progress.Step("reading %s", targets[i].File)
			if err = interrupt.Run(ctx, func() error { return r.ReadInto(&g.Catalog, targets[i].File) }); errors.Is(err, interrupt.Err) {
				return nil, err
			}
		}
		if err != nil {
			p := Failure(&targets[i], err)
			g.Failures = append(g.Failures, p)
			g.Outcomes[i].Failure = &p
		}
		if len(g.Catalog.Documents) > documents {
			g.Outcomes[i].Servers = g.Catalog.Servers[servers:len(g.Catalog.Servers):len(g.Catalog.Servers)]
		}
		markServers(g.Outcomes[i].Servers, &targets[i])
	}
	return g, nil
}

// captureAll captures the live servers among targets, by index. The limit concerns the servers' memory, not our processors.
func (r *Reader) captureAll(ctx context.Context, targets []Target) map[int]*Captured {
	out := map[int]*Captured{}
	var live []int
	for i := range targets {
		if targets[i].Live() {
			out[i], live = &Captured{}, append(live, i)
		}
	}
	r.Progress.Count(0, len(live))
	interrupt.Each(len(live), r.Parallel, func(n int) {
		if ctx.Err() != nil {
			return
		}
		into, t := out[live[n]], &targets[live[n]]
		got, err := r.Capture(ctx, *t)
		*into = *got
		into.err = err
		r.tellCaptured(into, t)
		r.Progress.Count(1, 0)
	})
	r.Progress.ResetCount()
	return out
}

func (r *Reader) tellCaptured(c *Captured, t *Target) {
	if r.Captured == nil {
		return
	}
	g := new(Gathered)
	if g.addCaptured(c, r.Limits) == nil {
		markServers(g.Catalog.Servers, t)
		r.Captured(g)
	}
}

// addCaptured adds what a live server said to the catalog.
func (g *Gathered) addCaptured(c *Captured, limits catalog.Limits) error {
	g.Secrets = append(g.Secrets, c.Secrets...)
	if c.contact != nil {
		g.Contacts = append(g.Contacts, *c.contact)
	}
	if c.err != nil {
		return c.err
	}
	// The capture had its own limits; its text adds a few bytes of ours.
	limits.Bytes = len(c.Text)
	problems := len(g.Catalog.Problems)
	if err := g.Catalog.Add("", c.Text, limits); err != nil {
		return err
	}
	g.Catalog.Documents[len(g.Catalog.Documents)-1].Origin = c.name
	for i := range g.Catalog.Problems[problems:] {
		g.Catalog.Problems[problems+i].Location.Origin = c.name
	}
	return nil
}

// ReadInto reads a snapshot or lockfile into a catalog.
func (r *Reader) ReadInto(c *catalog.Catalog, name string) error {
	text, err := r.ReadFile(name, r.Limits.Bytes)
	if err != nil {
		return err
	}
	return adviseFile(text, AddTo(c, name, text, r.Limits))
}
