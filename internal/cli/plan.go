package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/check/config"
	"gauntlet/finding"
	"gauntlet/internal/discover"
	"gauntlet/internal/wire"
	"gauntlet/result"
)

// A plan is what would be started of configurations, and in the end what became of it.
type plan struct {
	files    []config.File
	entries  []*planned            // of all files, in their order
	index    map[*config.Entry]int // of each in entries
	launches []*launch
	problems []finding.Problem
}

// planned is one entry of a configuration.
type planned struct {
	entry  *config.Entry
	launch *launch // nil where it cannot be started; several entries may share one
	state  result.EntryState
	reason string
}

// A launch is one server to start or to connect to, for every entry that names it.
type launch struct {
	target   target
	resolved *config.Entry
	entries  []*config.Entry // as they stand in their files
	outcome  *outcome        // nil before
}

// makePlan reads the configurations and asks what of them may be started; nil where none
// was asked for. Whoever gathers the plan's targets behind others tells it what became of
// them by settle.
func (a *app) makePlan(ctx context.Context, c *configFlags) (*plan, error) {
	if !c.asked() {
		return nil, nil
	}
	files, problems, err := a.readConfigs(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := c.spared(files); err != nil {
		return nil, err
	}
	p := newPlan(a.machine(), files, problems, !c.noLaunch)
	return p, a.consent(ctx, c, p)
}

// newPlan finds out what of the configurations can be started. It starts nothing.
func newPlan(host discover.Host, files []config.File, problems []finding.Problem, resolve bool) *plan {
	p := &plan{files: files, problems: problems, index: map[*config.Entry]int{}}
	same := map[[sha256.Size]byte]*launch{}
	for i := range files {
		for j := range files[i].Entries {
			e := &files[i].Entries[j]
			one := &planned{entry: e, state: result.NotLaunched}
			p.index[e] = len(p.entries)
			p.entries = append(p.entries, one)
			switch {
			case e.Disabled:
				one.state = result.SwitchedOff
			case damaged(&files[i], e):
				one.reason = "a part of it could not be read"
			case e.Transport == config.Unknown:
				one.reason = "its transport is not known"
			case !resolve:
				one.reason = "nothing was to be started"
			default:
				p.resolve(host, one, same)
			}
		}
	}
	return p
}

// damaged reports whether something is wrong with the entry itself: what could be read of
// it may be another server than the one that is meant.
func damaged(f *config.File, e *config.Entry) bool {
	for _, p := range f.Problems {
		if at := p.Location.Pointer; at == e.Place.Pointer || strings.HasPrefix(at, e.Place.Pointer+"/") {
			return true
		}
	}
	return false
}

// resolve makes the entry ready to be started. Entries that come to the same are started
// once.
func (p *plan) resolve(host discover.Host, one *planned, same map[[sha256.Size]byte]*launch) {
	e, problems := host.Resolve(*one.entry)
	e.Filled = slices.DeleteFunc(e.Filled, func(v config.Variable) bool {
		return len(wire.Inherited([]string{v.Name + "="})) > 0 // every server gets those
	})
	if len(problems) > 0 {
		p.problems = append(p.problems, problems...)
		one.reason = "only its client can start it; see the problems"
		return
	}
	t := entryTarget(&e)
	key := identityOf(&t)
	if same[key] == nil {
		same[key] = &launch{target: t, resolved: &e}
		p.launches = append(p.launches, same[key])
	}
	one.launch = same[key]
	one.launch.entries = append(one.launch.entries, one.entry)
}

// entryTarget is the server of a resolved entry.
func entryTarget(e *config.Entry) target {
	t := target{name: entryName(e), place: where(e), guard: e.Guarded()}
	if e.Command == "" {
		t.url, t.sse = e.URL.Reveal(), e.Transport == config.SSE
		for _, h := range e.Headers {
			if !wire.Reserved(h.Name) { // a client's Accept is not for us to send
				t.header = append(t.header, h.Name+"="+h.Value.Reveal())
			}
		}
		return t
	}
	t.command = []string{e.Command}
	for _, a := range e.Args {
		t.command = append(t.command, a.Reveal())
	}
	t.env = entries(e.Env)
	t.dir = e.Cwd
	if e.Project != "" && !filepath.IsAbs(t.dir) {
		t.dir = filepath.Join(e.Project, t.dir)
	}
	return t
}

func where(e *config.Entry) finding.Location {
	return finding.Location{Server: e.Name, Pointer: e.Place.Pointer, File: e.File, Line: e.Place.Line, Column: e.Place.Column}
}

// identityOf is the same for targets that come to the same server.
func identityOf(t *target) [sha256.Size]byte {
	text, _ := json.Marshal([]any{t.command, t.env, t.dir, t.url, t.header, t.sse}) // strings can always be encoded
	return sha256.Sum256(text)
}

// targets are the servers to start, in the order of their first entries; none for no plan.
func (p *plan) targets() []target {
	if p == nil {
		return nil
	}
	var out []target
	for _, l := range p.launches {
		t := l.target
		t.entries = l.addresses()
		out = append(out, t)
	}
	return out
}

// decline takes launches out of the plan and says in every entry why.
func (p *plan) decline(which func(*launch) bool, reason string) {
	for _, one := range p.entries {
		if one.launch != nil && which(one.launch) {
			one.launch, one.reason = nil, reason
		}
	}
	p.launches = slices.DeleteFunc(p.launches, which)
}
